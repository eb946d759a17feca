"""What a conversion makes of a conversation, before it is saved: steps, their statements, a proposed schedule."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from playbooks.domain.conversation import Collected
from playbooks.domain.playbook import DOCUMENT_FORMATS, Step, StepKind
from playbooks.domain.recurrence import Occurrence, Rule
from playbooks.errors import Finding


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a plan is checked against.

    `registered` holds, for an input's name (database, source, tool, approver, format), the names this person may use;
    `user_text` is everything the user wrote, for the numbers that may stand in a step; None when no record says it.
    `language` is that of the person who reads the notes.
    """

    collected: Collected
    registered: Mapping[str, Collection[str]]
    user_text: str | None = ""
    language: str = "en"

    def allowed(self, name: str) -> tuple[str, ...]:
        """The values of an input, sorted."""
        return tuple(sorted(self.registered.get(name, DOCUMENT_FORMATS if name == "format" else ())))


@dataclass(frozen=True, slots=True)
class ProposedSchedule:
    """A rule in the person's zone with its first run, and the zone the chat named, which is theirs to confirm."""

    rule: Rule
    first: Occurrence
    named_zone: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps with the statement each starts with, verbatim, by step id. `notes` are for the person who reads it."""

    title: str
    steps: tuple[Step, ...]
    statements: Mapping[str, str] = field(default_factory=dict)
    schedule: ProposedSchedule | None = None
    notes: tuple[Finding, ...] = ()


INPUT_OF_KIND: Mapping[StepKind, str] = {
    StepKind.READ_DOCUMENTS: "source",
    StepKind.QUERY_DATABASE: "database",
    StepKind.CREATE_DOCUMENT: "format",
    StepKind.CALL_SERVICE: "tool",
    StepKind.APPROVAL: "approver",
}
"""The one input each kind has besides its instruction."""
