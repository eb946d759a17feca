"""A playbook as a file a person can read, compare and keep in git: plain mappings in a stable order.

The text form (YAML) is made at the edge. Import is as strict as conversion, takes SQL only when it ran here, and what
it makes starts off, whatever the file says.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from playbooks.domain.conversion import objection
from playbooks.domain.conversion.notes import note
from playbooks.domain.conversion.sql_text import holds_sql
from playbooks.domain.ids import StepId
from playbooks.domain.playbook import MAX_STEPS, MAX_TEXT, MAX_TITLE, REQUIRED_INPUTS, Step, StepKind
from playbooks.domain.recurrence import Rule, parse_rule, rule_mapping
from playbooks.domain.sql.placeholders import (
    Placeholder,
    check_submission,
    parse_placeholders,
    placeholder_mapping,
    render,
)
from playbooks.domain.sql.saved_query import SavedQuery
from playbooks.errors import Finding, Refused
from playbooks.language.notices import LANGUAGES

VERSION = 1
_FIELDS = ("playbook", "title", "language", "schedule", "steps")
_STEP_FIELDS = ("do", "instruction", "inputs", "may_end_run", "pin_sql", "sql")
_SQL_FIELDS = ("statement", "placeholders")
_KINDS = tuple(kind.value for kind in StepKind)


@dataclass(frozen=True, slots=True)
class SavedSql:
    """A statement with its placeholders, as a file carries it."""

    statement: str
    placeholders: tuple[Placeholder, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaybookFile:
    """What a file holds. `notes` say which SQL was left out and why; the steps that lost it stay."""

    title: str
    steps: tuple[Step, ...]
    schedule: Rule | None = None
    language: str = "en"
    sql: Mapping[StepId, SavedSql] = field(default_factory=dict)
    notes: tuple[Finding, ...] = ()


def export_mapping(
    title: str,
    steps: Sequence[Step],
    *,
    schedule: Rule | None,
    saved: Mapping[StepId, SavedQuery],
    language: str = "en",
) -> dict[str, object]:
    """A playbook as plain data in the order a person reads it; the inverse of `import_mapping`.

    Nothing of a run, an owner or a state is in it, so two exports differ only where the playbook does.
    """
    exported: dict[str, object] = {"playbook": VERSION, "title": title, "language": language}
    if schedule is not None:
        exported["schedule"] = rule_mapping(schedule)
    exported["steps"] = [_step_mapping(step, saved.get(step.id)) for step in steps]
    return exported


def _step_mapping(step: Step, saved: SavedQuery | None) -> dict[str, object]:
    mapping: dict[str, object] = {"do": step.kind.value, "instruction": step.instruction}
    filled = {name: value for name, value in sorted(step.inputs.items()) if value}
    if filled:
        mapping["inputs"] = filled
    if step.may_end_run:
        mapping["may_end_run"] = True
    if step.kind is StepKind.QUERY_DATABASE and not step.pin_sql:
        mapping["pin_sql"] = False
    if saved is not None:
        sql: dict[str, object] = {"statement": saved.statement}
        if saved.placeholders:
            sql["placeholders"] = [placeholder_mapping(item) for item in saved.placeholders]
        mapping["sql"] = sql
    return mapping


def statements_in(raw: object) -> tuple[str, ...]:
    """The statements a file carries, for looking up which of them are known; of at most MAX_STEPS steps."""
    steps = raw.get("steps") if isinstance(raw, Mapping) else None
    sql = (
        [step.get("sql") for step in steps[:MAX_STEPS] if isinstance(step, Mapping)] if isinstance(steps, list) else []
    )
    found = [item.get("statement") for item in sql if isinstance(item, Mapping)]
    return tuple(dict.fromkeys(statement for statement in found if isinstance(statement, str)))


def import_mapping(
    raw: object,
    known: Collection[str],
    registered: Mapping[str, Collection[str]] | None = None,
    *,
    notes_in: str = "en",
) -> PlaybookFile:
    """A file's data as a playbook; raises Refused (`invalid_file`) with every finding.

    `known` are the statements that were confirmed in the person's conversations or submitted by a run here; SQL that
    is none of them is left out with a note. `registered` holds, for an input's name, the names this person may use: a
    database or format that is none of them is a finding, another name is kept and noted, and so is an input left open
    (saving is loose, running is strict); None leaves that part out. `notes_in` is the language of the notes.
    """
    if not isinstance(raw, Mapping):
        message = "A playbook file holds fields: playbook, title, steps and perhaps schedule and language."
        raise Refused(message, [Finding("invalid_file", "", message, _FIELDS)], code="invalid_file")
    reading = _Reading(known, registered or {}, notes_in)
    reading.unknown(raw, _FIELDS, "")
    if raw.get("playbook") != VERSION or isinstance(raw.get("playbook"), bool):
        reading.find("unknown_version", "/playbook", f"This is read as version {VERSION}: write playbook: {VERSION}.")
    title = reading.title(raw.get("title"))
    language = raw.get("language", "en")
    if language not in LANGUAGES:
        reading.find("unknown_language", "/language", "The language is one of these.", LANGUAGES)
    schedule = reading.schedule(raw.get("schedule"))
    steps = tuple(reading.steps(raw.get("steps")))
    if reading.findings:
        raise Refused("The file cannot be imported as it is.", reading.findings, code="invalid_file")
    return PlaybookFile(title, steps, schedule, str(language), reading.sql, tuple(reading.notes))


def refusals(raw: Mapping[str, object]) -> tuple[Finding, ...]:
    """What import would refuse of a file whatever is registered; empty when it would take it."""
    try:
        import_mapping(raw, ())
    except Refused as refused:
        return refused.findings
    return ()


def _day_as_text(value: object) -> object:
    """YAML reads an unquoted day or time as such; rules and placeholders are written in text."""
    return value.isoformat(timespec="minutes") if isinstance(value, datetime) else _plain_day(value)


def _plain_day(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _examples_as_text(placeholders: object) -> object:
    if not isinstance(placeholders, list):
        return placeholders
    return [
        {**item, "example": _plain_day(item.get("example"))}
        if isinstance(item, Mapping) and "example" in item
        else item
        for item in placeholders
    ]


@dataclass(slots=True)
class _Reading:
    known: Collection[str]
    registered: Mapping[str, Collection[str]]
    language: str = "en"
    findings: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    sql: dict[StepId, SavedSql] = field(default_factory=dict)

    def find(self, code: str, path: str, message: str, allowed: tuple[str, ...] = ()) -> None:
        self.findings.append(Finding(code, path, message, allowed))

    def unknown(self, given: Mapping[object, object], fields: tuple[str, ...], path: str) -> None:
        for name in list(given)[:50]:
            if name not in fields:
                shown = str(name)[:40]
                self.find("unknown_field", f"{path}/{shown}", f"There is no field {shown!r} here.", fields)

    def title(self, value: object) -> str:
        title = value.strip() if isinstance(value, str) else ""
        if not 1 <= len(title) <= MAX_TITLE:
            self.find("invalid_title", "/title", f"A title of 1 to {MAX_TITLE} characters is expected.")
        return title

    def schedule(self, value: object) -> Rule | None:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            self.find("invalid_rule", "/schedule", "A schedule has the fields start, zone, unit, interval, weekdays.")
            return None
        try:
            return parse_rule({str(name): _day_as_text(item) for name, item in value.items()})
        except Refused as refused:
            self.findings += [
                Finding(item.code, f"/schedule{item.path}", item.message, item.allowed) for item in refused.findings
            ]
            return None

    def steps(self, value: object) -> Iterator[Step]:
        if not isinstance(value, list) or not value:
            self.find("no_steps", "/steps", "A playbook has at least one step.")
            return
        if len(value) > MAX_STEPS:
            message = f"A playbook has at most {MAX_STEPS} steps; these are {len(value)}."
            self.find("too_many_steps", "/steps", message)
        for number, item in enumerate(value[:MAX_STEPS]):
            path = f"/steps/{number}"
            if not isinstance(item, Mapping):
                self.find("invalid_step", path, "A step has the fields do, instruction and perhaps inputs.")
                continue
            self.unknown(item, _STEP_FIELDS, path)
            kind = item.get("do")
            if kind not in _KINDS:
                self.find("unknown_kind", f"{path}/do", f"{str(kind)[:40]!r} is not a kind of step.", _KINDS)
                continue
            yield self._step(StepKind(str(kind)), item, StepId(f"s{number + 1}"), path)

    def _step(self, kind: StepKind, item: Mapping[str, object], step_id: StepId, path: str) -> Step:
        value = item.get("instruction")
        instruction = value.strip() if isinstance(value, str) else ""
        if not 1 <= len(instruction) <= MAX_TEXT:
            message = f"Say in 1 to {MAX_TEXT} characters what the step does."
            self.find("invalid_instruction", f"{path}/instruction", message)
        elif kind is StepKind.QUERY_DATABASE and holds_sql(instruction):
            message = "This is SQL. Ask the question in words; the statement belongs into sql."
            self.find("sql_instead_of_question", f"{path}/instruction", message)
        inputs = self._inputs(kind, item.get("inputs", {}), path)
        may_end_run = self._flag(item, "may_end_run", path, default=False)
        pin_sql = self._flag(item, "pin_sql", path, default=True)
        if item.get("sql") is not None:
            self._sql(kind, item["sql"], step_id, f"{path}/sql", pinned=pin_sql)
        return Step(step_id, kind, instruction, inputs, may_end_run, pin_sql)

    def _inputs(self, kind: StepKind, value: object, path: str) -> dict[str, str]:
        allowed = REQUIRED_INPUTS[kind]
        if not isinstance(value, Mapping):
            self.find("invalid_inputs", f"{path}/inputs", "Inputs are names with texts.", allowed)
            return {}
        inputs: dict[str, str] = {}
        for name, text in list(value.items())[:50]:
            if name not in allowed:
                shown = str(name)[:40]
                self.find("unknown_input", f"{path}/inputs/{shown}", f"{kind} has no input {shown!r}.", allowed)
            elif not isinstance(text, str) or len(text) > MAX_TEXT:
                self.find("invalid_inputs", f"{path}/inputs/{name}", f"{name} is a text.")
            else:
                inputs[name] = text.strip()
        for name in allowed if self.registered else ():
            self._usable(name, inputs.get(name, ""), f"{path}/inputs/{name}")
        return inputs

    def _usable(self, name: str, value: str, path: str) -> None:
        """Whether the person may use what the input names."""
        allowed = tuple(sorted(self.registered.get(name, ())))
        if value in allowed:
            return
        if not value:
            self.notes.append(note("missing_input", path, self.language, text="left_open", allowed=allowed, name=name))
        elif name in {"database", "format"}:
            message = f"The {name} {value[:60]!r} is not registered here or not yours to use."
            self.find(f"unknown_{name}", path, message, allowed)
        else:
            code, shown = f"unknown_{name}", repr(value[:60])
            self.notes.append(
                note(code, path, self.language, text="not_registered", allowed=allowed, name=name, value=shown)
            )

    def _flag(self, item: Mapping[str, object], name: str, path: str, *, default: bool) -> bool:
        value = item.get(name, default)
        if not isinstance(value, bool):
            self.find("invalid_flag", f"{path}/{name}", f"{name} is true or false.", ("true", "false"))
            return default
        return value

    def _sql(self, kind: StepKind, value: object, step_id: StepId, path: str, *, pinned: bool) -> None:
        """The SQL of a step: its shape must be right, and it is kept only when it ran here."""
        if not isinstance(value, Mapping) or not isinstance(value.get("statement"), str):
            self.find("invalid_sql", path, "sql has a statement and perhaps placeholders.", _SQL_FIELDS)
            return
        self.unknown(value, _SQL_FIELDS, path)
        statement = str(value["statement"])
        try:
            placeholders = parse_placeholders(_examples_as_text(value.get("placeholders", [])))
        except Refused as refused:
            self.findings += [
                Finding(item.code, f"{path}{item.path}", item.message, item.allowed) for item in refused.findings
            ]
            return
        if kind is not StepKind.QUERY_DATABASE or not pinned:
            self.notes.append(note("sql_out_of_place", path, self.language))
            return
        dropped = self._objection(statement, placeholders, path)
        if dropped is None:
            self.sql[step_id] = SavedSql(statement, placeholders)
        else:
            self.notes.append(dropped)

    def _objection(self, statement: str, placeholders: tuple[Placeholder, ...], path: str) -> Finding | None:
        if not placeholders:
            return objection(statement, self.known, path, language=self.language)
        if statement in self.known and check_submission(statement, placeholders):
            return note("statement_refused", path, self.language, text="statement_misfit")
        try:
            filled = render(statement, placeholders, {item.name: item.example for item in placeholders})
        except Refused:
            filled = statement
        return objection(statement, self.known, path, filled=filled, language=self.language)
