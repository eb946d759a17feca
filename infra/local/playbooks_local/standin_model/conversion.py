"""A conversion by rule: title, steps and schedule from the conversation's final requirement."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from playbooks_local.standin_model.answers import Answer
from playbooks_local.standin_model.picking import main_table, pick_queries
from playbooks_local.standin_model.prompt import Prompt
from playbooks_local.standin_model.requirement import Requirement, read_requirement
from playbooks_local.standin_model.schedule_words import SpokenSchedule, find_schedule
from playbooks_local.standin_model.wording import FORMAT_NAMES, document_words, organize_words, question, title_of

TOOL = "save_playbook"


def conversion(prompt: Prompt) -> Answer:
    """The call that hands over the playbook; after a refusal, mended where the finding says what is allowed."""
    turns = [turn for turn in prompt.blocks.get("conversation") or [] if isinstance(turn, dict)]
    texts = [
        str(turn.get("text", "")) for turn in turns if turn.get("role") == "user" and str(turn.get("text", "")).strip()
    ]
    wish = read_requirement(texts)
    wish.format = wish.format or _written_format(turns)
    schedule = next((found for text in reversed(texts) if (found := find_schedule(text)) is not None), None)
    language = str(prompt.blocks.get("language", "en")).strip() or "en"
    queries = prompt.blocks.get("confirmed_queries") or []
    arguments = {
        "title": title_of(wish, schedule, language),
        "steps": _steps(prompt, wish, pick_queries(wish, queries, turns), language),
        **_schedule(schedule),
    }
    if prompt.exchanges and prompt.exchanges[-1].tool == TOOL:
        _mend(arguments, prompt.exchanges[-1].result)
    return Answer("", TOOL, _shaped(arguments, prompt.tools[TOOL]))


def _written_format(turns: Sequence[Mapping[str, Any]]) -> str:
    """The format of the last document that was made in the conversation; empty when none was."""
    for turn in reversed(turns):
        for call in reversed(turn.get("calls", [])):
            written = (call.get("arguments") or {}).get("format")
            if call.get("result") == "ok" and written in FORMAT_NAMES:
                return str(written)
    return ""


def _steps(
    prompt: Prompt, wish: Requirement, picked: Sequence[Mapping[str, Any]], language: str
) -> list[dict[str, Any]]:
    steps = [_query(prompt, wish, query, language) for query in picked] or [_query(prompt, wish, None, language)]
    if wish.compared or wish.organized:
        steps.append({"kind": "organize", "instruction": organize_words(wish, language)})
    if wish.format:
        kind = _format(prompt, wish.format)
        steps.append({"kind": "create_document", "instruction": document_words(wish, kind, language), "format": kind})
    return steps


def _query(prompt: Prompt, wish: Requirement, query: Mapping[str, Any] | None, language: str) -> dict[str, Any]:
    return {
        "kind": "query_database",
        "instruction": question(wish, main_table(query["statement"]) if query else "", language),
        "database": _database(prompt, query),
        "statement": query["number"] if query else 0,
    }


def _database(prompt: Prompt, query: Mapping[str, Any] | None) -> str:
    names = [str(item["name"]) for item in prompt.blocks.get("databases") or []]
    named = str((query or {}).get("database") or "")
    return named if named in names else names[0] if names else ""


def _format(prompt: Prompt, wanted: str) -> str:
    offered = [str(name) for name in prompt.blocks.get("document_formats") or []]
    return wanted if wanted in offered or not offered else offered[0]


def _schedule(said: SpokenSchedule | None) -> dict[str, Any]:
    if said is None:
        return {"schedule_kind": "none", "schedule_unit": "once"}
    return {
        "schedule_kind": said.kind,
        "schedule_unit": said.unit,
        "schedule_interval": said.interval,
        "schedule_time": said.time,
        "schedule_weekdays": list(said.weekdays),
        "schedule_day": said.day,
    }


def _mend(arguments: dict[str, Any], refusal: str) -> None:
    """Put the first accepted value where a finding points to and lists some."""
    start = refusal.find("[")
    try:
        findings = json.loads(refusal[start:]) if start >= 0 else []
    except ValueError:
        return
    for finding in findings:
        allowed = finding.get("allowed") or []
        place: Any = arguments
        *parents, name = str(finding.get("path", "")).strip("/").split("/")
        for parent in parents:
            place = place[int(parent)] if isinstance(place, list) else place.get(parent, {})
        if allowed and isinstance(place, dict) and name in place:
            place[name] = allowed[0]


def _shaped(value: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The value with exactly the schema's properties; what was not said is empty."""
    shaped: dict[str, Any] = {}
    for name, part in schema.get("properties", {}).items():
        items = part.get("items", {})
        if part.get("type") == "array" and items.get("type") == "object":
            shaped[name] = [_shaped(item, items) for item in value.get(name, [])]
        else:
            shaped[name] = value.get(name, _EMPTY.get(str(part.get("type"))))
    return shaped


_EMPTY: Mapping[str, object] = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}
