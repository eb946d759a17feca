"""The model's arguments of `save_playbook` as a plan, with all findings at once."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from playbooks.domain.conversation.fields import encodable
from playbooks.domain.conversion.numbers import point_out
from playbooks.domain.conversion.plan import INPUT_OF_KIND, Plan, Surroundings
from playbooks.domain.conversion.schedule_words import read_schedule
from playbooks.domain.conversion.schema import PROPERTIES
from playbooks.domain.conversion.sql_text import holds_sql
from playbooks.domain.conversion.statement_source import PickedByNumber, StatementSource, WrittenOut
from playbooks.domain.ids import StepId
from playbooks.domain.playbook import MAX_STEPS, MAX_TEXT, MAX_TITLE, Step, StepKind
from playbooks.domain.sql.literal_dates import literal_dates
from playbooks.errors import Finding, Refused
from playbooks.language.warnings import warning_text

_KINDS = tuple(kind.value for kind in StepKind)
_INPUT_WORDS = {
    "source": "which document source to search",
    "database": "which database to ask",
    "format": "which file format to write",
    "tool": "which tool to call",
    "approver": "who decides",
}


def read_plan(arguments: Mapping[str, object], surroundings: Surroundings, *, zone: str, now: datetime) -> Plan:
    """A plan that may be saved; raises Refused (`invalid_plan`) with every finding for the model to mend.

    What needs no mending but a person's eye comes back as notes of the plan: a statement number that is not on the
    list (dropped, the step stays), numbers the user did not write, literal dates, a schedule that cannot be expressed.
    """
    return _read(
        arguments, _Reading(surroundings, PickedByNumber(surroundings.collected.kept, surroundings.language)), zone, now
    )


def read_chat_plan(
    arguments: Mapping[str, object], surroundings: Surroundings, known: Collection[str], *, zone: str, now: datetime
) -> Plan:
    """The same for the chat tool, whose steps carry SQL as text: kept only when it is one of `known`, to the letter."""
    return _read(arguments, _Reading(surroundings, WrittenOut(known, surroundings.language)), zone, now)


def statements_in(arguments: Mapping[str, object]) -> tuple[str, ...]:
    """The statements that a call of the chat tool carries, to look up which are known; of at most MAX_STEPS steps."""
    steps = arguments.get("steps")
    given = (
        [step.get("sql") for step in steps[:MAX_STEPS] if isinstance(step, Mapping)] if isinstance(steps, list) else []
    )
    return tuple(dict.fromkeys(statement for statement in given if isinstance(statement, str) and statement))


def _read(arguments: Mapping[str, object], reading: "_Reading", zone: str, now: datetime) -> Plan:
    title = reading.title(arguments)
    reading.unknown_fields(arguments, PROPERTIES, "")
    steps = reading.steps(arguments.get("steps"))
    schedule = read_schedule(arguments, zone, now, reading.surroundings.language)
    findings = [*reading.findings, *schedule.findings]
    if findings:
        raise Refused("The playbook cannot be saved as it is.", findings, code="invalid_plan")
    return Plan(title, steps, reading.statements, schedule.proposed, (*reading.notes, *schedule.notes))


@dataclass(slots=True)
class _Reading:
    surroundings: Surroundings
    source: StatementSource
    findings: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    statements: dict[str, str] = field(default_factory=dict)

    def note(self, code: str, path: str, *, text: str = "", **values: object) -> None:
        said = warning_text(text or code, self.surroundings.language, **values)
        self.notes.append(Finding(code, path, said))

    def title(self, arguments: Mapping[str, object]) -> str:
        title = arguments.get("title")
        clean = " ".join(encodable(title).split()) if isinstance(title, str) else ""
        if not 1 <= len(clean) <= MAX_TITLE:
            message = f"A title of 1 to {MAX_TITLE} characters is expected."
            self.findings.append(Finding("invalid_title", "/title", message))
        return clean

    def unknown_fields(self, given: Mapping[str, object], known: Mapping[str, object], path: str) -> None:
        for name in list(given)[:50]:
            if name not in known:
                message = f"There is no field {name[:40]!r}: leave it out."
                self.findings.append(Finding("unknown_field", f"{path}/{name[:40]}", message, tuple(known)))

    def steps(self, raw: object) -> tuple[Step, ...]:
        if not isinstance(raw, list) or not raw:
            message = "Give at least one step: a playbook without steps would succeed doing nothing."
            self.findings.append(Finding("no_steps", "/steps", message))
            return ()
        if len(raw) > MAX_STEPS:
            message = f"A playbook has at most {MAX_STEPS} steps; these are {len(raw)}: join what belongs together."
            self.findings.append(Finding("too_many_steps", "/steps", message))
        return tuple(self._steps(raw[:MAX_STEPS]))

    def _steps(self, raw: Sequence[object]) -> Iterator[Step]:
        for number, item in enumerate(raw):
            path = f"/steps/{number}"
            if not isinstance(item, Mapping):
                self.findings.append(Finding("invalid_step", path, "A step is an object with kind, instruction, …"))
                continue
            self.unknown_fields(item, self.source.step_properties, path)
            kind = item.get("kind")
            if kind not in _KINDS:
                shown = repr(kind)[:60]
                message = f"{shown} is not a kind of step."
                self.findings.append(Finding("unknown_kind", f"{path}/kind", message, _KINDS))
                continue
            yield self._step(StepKind(str(kind)), item, number, path)

    def _step(self, kind: StepKind, item: Mapping[str, object], number: int, path: str) -> Step:
        step_id = StepId(f"s{number + 1}")
        instruction = self._instruction(kind, item.get("instruction"), path)
        name = INPUT_OF_KIND.get(kind)
        inputs = {} if name is None else {name: self._input(name, item.get(name), number, path)}
        self._statement(kind, item.get(self.source.field), step_id, number, path)
        return Step(step_id, kind, instruction, inputs)

    def _instruction(self, kind: StepKind, value: object, path: str) -> str:
        text = encodable(value).strip() if isinstance(value, str) else ""
        path = f"{path}/instruction"
        if not text:
            self.findings.append(Finding("missing_instruction", path, "Say in words what the step does."))
        elif len(text) > MAX_TEXT:
            message = f"At most {MAX_TEXT} characters are kept; these are {len(text)}."
            self.findings.append(Finding("instruction_too_long", path, message))
        elif kind is StepKind.QUERY_DATABASE and holds_sql(text):
            message = f"This is SQL. Ask the question in words; {self.source.how}."
            self.findings.append(Finding("sql_instead_of_question", path, message))
        else:
            told = point_out(text, self.surroundings.user_text, self.surroundings.language)
            if told:
                self.notes.append(Finding("unwritten_numbers", path, told))
        return text

    def _input(self, name: str, value: object, number: int, path: str) -> str:
        """A name the person may use; a single database needs no choice, what is not registered is left open."""
        given = value.strip() if isinstance(value, str) else ""
        allowed = self.surroundings.allowed(name)
        where = f"{path}/{name}"
        if given in allowed:
            return given
        if name == "database" and not given and len(allowed) == 1:
            return allowed[0]
        if name in {"database", "format"} and allowed:
            said = f"Step {number + 1} names {given[:60]!r}" if given else f"Step {number + 1} does not name one"
            message = f"Say {_INPUT_WORDS[name]}. {said}."
            self.findings.append(Finding(f"unknown_{name}", where, message, allowed))
            return ""
        self.note("missing_input", where, text=f"missing_{name}", step=number + 1)
        return ""

    def _statement(self, kind: StepKind, value: object, step_id: StepId, number: int, path: str) -> None:
        """The statement of a step; whatever may not be kept is dropped with a reason and the step stays."""
        if value is None or (value == 0 and not isinstance(value, bool)) or value == "":
            return
        where = f"{path}/{self.source.field}"
        if kind is not StepKind.QUERY_DATABASE:
            self.note("statement_without_query", where, step=number + 1)
            return
        found = self.source.statement(value, number + 1, where)
        if isinstance(found, Finding):
            self.notes.append(found)
            return
        self.statements[step_id] = found
        dates = literal_dates(found)
        if dates:
            self.note("literal_dates", where, step=number + 1, dates=", ".join(dates[:5]))
