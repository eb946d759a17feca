"""From what the model hands over to a plan that may be saved: all findings at once, each dropped part with a reason."""

from playbooks.domain.conversion.admission import objection
from playbooks.domain.conversion.material import queries_material, turns_material, user_text
from playbooks.domain.conversion.plan import Plan, ProposedSchedule, Surroundings
from playbooks.domain.conversion.reading import read_chat_plan, read_plan, statements_in
from playbooks.domain.conversion.schema import (
    CHAT_DESCRIPTION,
    CHAT_TOOL,
    DESCRIPTION,
    TOOL,
    chat_input_schema,
    input_schema,
)

__all__ = [
    "CHAT_DESCRIPTION",
    "CHAT_TOOL",
    "DESCRIPTION",
    "TOOL",
    "Plan",
    "ProposedSchedule",
    "Surroundings",
    "chat_input_schema",
    "input_schema",
    "objection",
    "queries_material",
    "read_chat_plan",
    "read_plan",
    "statements_in",
    "turns_material",
    "user_text",
]
