"""The tool by which the model hands over a playbook: flat, every property required, no unions, no recursion.

`may_end_run` is not in it: the person who builds the playbook decides where a run may end. A statement is picked by
its number; there is no place for SQL.
"""

from collections.abc import Mapping

from playbooks.domain.playbook import DOCUMENT_FORMATS, MAX_STEPS, StepKind
from playbooks.domain.recurrence import Unit, Weekday

TOOL = "save_playbook"
DESCRIPTION = "Hand over the playbook: its title, its steps in order, and the schedule the user asked for, if any."

NO_UNIT = "once"
KINDS = ("none", "once", "recurring")


def _text(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}


def _object(properties: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


STEP_PROPERTIES: Mapping[str, Mapping[str, object]] = {
    "kind": {"type": "string", "enum": [kind.value for kind in StepKind]},
    "instruction": _text("What to do, in words. For query_database: the question, never SQL."),
    "database": _text("query_database: the name of one of <databases>. Otherwise empty."),
    "statement": {
        "type": "integer",
        "description": "query_database: the number in <confirmed_queries> of the query that answers it; 0 for none.",
    },
    "format": {
        "type": "string",
        "enum": ["", *DOCUMENT_FORMATS],
        "description": "create_document: the file format. Otherwise empty.",
    },
    "source": _text("read_documents: the name of the document source. Otherwise empty."),
    "tool": _text("call_service: the name of the tool. Otherwise empty."),
    "approver": _text("approval: who decides. Otherwise empty."),
}

CHAT_TOOL = "create_playbook"
CHAT_DESCRIPTION = (
    "Make a recurring task of what was done in this chat: a draft playbook that the user looks at, switches on and "
    "approves. Call it when the user asks for something to be repeated."
)
CHAT_STEP_PROPERTIES: Mapping[str, Mapping[str, object]] = {
    **{name: schema for name, schema in STEP_PROPERTIES.items() if name != "statement"},
    "sql": _text(
        "query_database: the SELECT that answered it in this chat, to the letter, or empty. SQL that did not run is "
        "left out."
    ),
}

PROPERTIES: Mapping[str, Mapping[str, object]] = {
    "title": _text("A short title in the user's language, without dates or results."),
    "steps": {
        "type": "array",
        "maxItems": MAX_STEPS,
        "items": _object(STEP_PROPERTIES),
    },
    "schedule_kind": {
        "type": "string",
        "enum": list(KINDS),
        "description": "none when the user did not ask for a time.",
    },
    "schedule_unit": {
        "type": "string",
        "enum": [NO_UNIT, *(unit.value for unit in Unit)],
        "description": "recurring: what the interval counts; otherwise once.",
    },
    "schedule_interval": {"type": "integer", "description": "recurring: every how many units, exactly as asked."},
    "schedule_time": _text("HH:MM as the user's clock shows it; empty when the user named no time."),
    "schedule_weekdays": {
        "type": "array",
        "items": {"type": "string", "enum": [day.text for day in Weekday]},
        "description": "recurring weeks: the weekdays; otherwise empty.",
    },
    "schedule_day": _text(
        "once: the day as stated: YYYY-MM-DD, today, tomorrow, +3 (days from today) or a weekday (mon … sun). "
        "recurring months: the day of the month as a number; years: MM-DD. Otherwise empty."
    ),
    "schedule_zone": _text("The IANA time zone the user named, such as Asia/Seoul; empty when the user named none."),
}


def input_schema() -> dict[str, object]:
    """The JSON schema of the arguments of `save_playbook`."""
    return _object(PROPERTIES)


def chat_input_schema() -> dict[str, object]:
    """The JSON schema of the arguments of `create_playbook`, the tool a chat's model calls: SQL instead of a number.

    Without bounds, which strict modes refuse: whoever offers the tool passes it on as it is.
    """
    description = f"In order, at most {MAX_STEPS}."
    steps = {"type": "array", "description": description, "items": _object(CHAT_STEP_PROPERTIES)}
    return _object({**PROPERTIES, "steps": steps})
