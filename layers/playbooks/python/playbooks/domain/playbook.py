"""A playbook: typed steps in one line, and the state it is in."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from playbooks.domain.ids import ConversationId, PlaybookId, StepId, TenantId, UserId
from playbooks.errors import Finding, Refused

MAX_STEPS = 50
MAX_TITLE = 200
MAX_TEXT = 4_000


class StepKind(StrEnum):
    """What a step does; each kind has inputs that must be filled before the playbook can be enabled."""

    READ_DOCUMENTS = "read_documents"
    QUERY_DATABASE = "query_database"
    ORGANIZE = "organize"
    CREATE_DOCUMENT = "create_document"
    CALL_SERVICE = "call_service"
    APPROVAL = "approval"


REQUIRED_INPUTS: Mapping[StepKind, tuple[str, ...]] = {
    StepKind.READ_DOCUMENTS: ("source",),
    StepKind.QUERY_DATABASE: ("database",),
    StepKind.ORGANIZE: (),
    StepKind.CREATE_DOCUMENT: ("format",),
    StepKind.CALL_SERVICE: ("tool",),
    StepKind.APPROVAL: ("approver",),
}
"""Inputs besides the instruction, which every kind needs."""

DOCUMENT_FORMATS = ("xlsx", "csv", "docx", "pdf", "md")


class PlaybookState(StrEnum):
    """Draft until it is enabled for the first time; off says why when the system switched it off."""

    DRAFT = "draft"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `instruction` is what to do in words: for a query step the question, never SQL."""

    id: StepId
    kind: StepKind
    instruction: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    may_end_run: bool = False
    pin_sql: bool = True


@dataclass(frozen=True, slots=True)
class Definition:
    """The steps as they were at one version; a run keeps to the version it started with."""

    version: int
    steps: tuple[Step, ...]

    @property
    def hash(self) -> str:
        """SHA-256 over the canonical form of the steps: what an approval of outside writes is given for."""
        return hashlib.sha256(canonical(steps_mapping(self.steps)).encode()).hexdigest()

    def next_version(self, steps: Sequence[Step]) -> "Definition":
        """The definition after an edit; the same steps stay the same version."""
        return self if tuple(steps) == self.steps else Definition(self.version + 1, tuple(steps))


@dataclass(frozen=True, slots=True)
class RecentEnd:
    """How one of the last ten runs ended, for the strip in a list of playbooks."""

    run: str
    status: str
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class Playbook:
    """What a list shows of a playbook. `rev` grows with each change and is its ETag."""

    tenant: TenantId
    id: PlaybookId
    owner: UserId
    title: str
    state: PlaybookState
    rev: int
    definition_version: int
    definition_hash: str
    created_at: datetime
    language: str = "en"
    off_reason: str = ""
    off_at: datetime | None = None
    conversation: ConversationId | None = None
    warnings: tuple[str, ...] = ()
    recent: tuple[RecentEnd, ...] = ()
    deleted_at: datetime | None = None
    made_from: str = ""


def canonical(value: object) -> str:
    """JSON with sorted keys and no white space: equal values give equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def step_mapping(step: Step) -> dict[str, object]:
    """A step as plain data, the inverse of `parse_steps` for one step."""
    return {
        "id": step.id,
        "kind": step.kind.value,
        "instruction": step.instruction,
        "inputs": dict(sorted(step.inputs.items())),
        "may_end_run": step.may_end_run,
        "pin_sql": step.pin_sql,
    }


def steps_mapping(steps: Sequence[Step]) -> list[dict[str, object]]:
    """Steps as plain data, the inverse of `parse_steps`."""
    return [step_mapping(step) for step in steps]


def parse_steps(raw: Sequence[Mapping[str, object]]) -> tuple[Step, ...]:
    """Steps from plain data, loosely: empty inputs are fine, a shape that is not a step is Refused.

    What a playbook needs before it runs is checked by `playbooks.domain.enablement`.
    """
    findings: list[Finding] = []
    steps: list[Step] = []
    if len(raw) > MAX_STEPS:
        findings.append(
            Finding("too_many_steps", "", f"A playbook has at most {MAX_STEPS} steps; these are {len(raw)}.")
        )
        raw = raw[:MAX_STEPS]
    for number, item in enumerate(raw):
        step = _parse_step(item, f"/{number}", findings)
        if step is not None:
            if any(other.id == step.id for other in steps):
                findings.append(Finding("duplicate_step_id", f"/{number}/id", f"Two steps have the id {step.id!r}."))
            steps.append(step)
    if findings:
        raise Refused("The steps cannot be saved as they are.", findings, code="invalid_steps")
    return tuple(steps)


def _parse_step(item: Mapping[str, object], path: str, findings: list[Finding]) -> Step | None:
    before = len(findings)
    known = {"id", "kind", "instruction", "inputs", "may_end_run", "pin_sql"}
    findings += [
        Finding("unknown_field", f"{path}/{name}", f"A step has no field {name!r}.", tuple(sorted(known)))
        for name in item
        if name not in known
    ]
    kind_text = item.get("kind")
    kinds = tuple(kind.value for kind in StepKind)
    if kind_text not in kinds:
        findings.append(Finding("unknown_kind", f"{path}/kind", f"{kind_text!r} is not a kind of step.", kinds))
    instruction = item.get("instruction", "")
    inputs = item.get("inputs", {})
    step_id = item.get("id", "")
    if not isinstance(instruction, str) or len(instruction) > MAX_TEXT:
        findings.append(
            Finding("invalid_text", f"{path}/instruction", f"A text of at most {MAX_TEXT} characters is expected.")
        )
    if not isinstance(inputs, Mapping) or not all(
        isinstance(name, str) and isinstance(value, str) and len(name) <= 40 and len(value) <= MAX_TEXT
        for name, value in inputs.items()
    ):
        findings.append(Finding("invalid_inputs", f"{path}/inputs", "Inputs are names with texts."))
    if not isinstance(step_id, str) or not step_id or len(step_id) > 40 or "#" in step_id:
        findings.append(Finding("invalid_id", f"{path}/id", "A step needs an id of at most 40 characters without #."))
    flags = {name: item.get(name, default) for name, default in (("may_end_run", False), ("pin_sql", True))}
    findings += [
        Finding("invalid_flag", f"{path}/{name}", f"{name} is true or false.", ("true", "false"))
        for name, value in flags.items()
        if not isinstance(value, bool)
    ]
    if len(findings) > before:
        return None
    assert isinstance(inputs, Mapping)
    return Step(
        StepId(str(step_id)),
        StepKind(str(kind_text)),
        str(instruction),
        {str(name): str(value) for name, value in inputs.items()},
        may_end_run=flags["may_end_run"] is True,
        pin_sql=flags["pin_sql"] is True,
    )
