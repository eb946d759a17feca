"""From what the model hands over to a plan that may be saved: all findings at once, each dropped part with a reason."""

from playbooks.domain.conversion.admission import objection
from playbooks.domain.conversion.material import queries_material, turns_material, user_text
from playbooks.domain.conversion.plan import Plan, ProposedSchedule, Surroundings
from playbooks.domain.conversion.reading import read_plan
from playbooks.domain.conversion.schema import DESCRIPTION, TOOL, input_schema

__all__ = [
    "DESCRIPTION",
    "TOOL",
    "Plan",
    "ProposedSchedule",
    "Surroundings",
    "input_schema",
    "objection",
    "queries_material",
    "read_plan",
    "turns_material",
    "user_text",
]
