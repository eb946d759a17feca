"""A person's playbooks: list, show, check, edit, delete. Read-only while on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from playbooks.application.claims import skip_move, without_its_row
from playbooks.application.grants import person_of
from playbooks.application.identity import Caller, owned, owned_off
from playbooks.application.registered import role_cautions, strict_findings
from playbooks.domain.ids import PlaybookId, StepId
from playbooks.domain.playbook import MAX_TITLE, Definition, Playbook, PlaybookState, Step, StepKind
from playbooks.domain.recurrence import PREVIEWED, Occurrence, Rule, occurrences
from playbooks.domain.run import Run
from playbooks.domain.schedule import Schedule, change_rule, disable, enable, skip_what_is_due
from playbooks.domain.sql.saved_query import SavedQuery
from playbooks.errors import Conflict, Finding, Refused
from playbooks.ports.clock import Clock
from playbooks.ports.directory import Directory, Workspace
from playbooks.ports.stores.playbooks import PlaybookStore, RowExists


@dataclass(frozen=True, slots=True)
class ShownPlaybook:
    """A playbook with everything its page shows."""

    playbook: Playbook
    definition: Definition
    schedule: Schedule | None
    saved: Mapping[StepId, SavedQuery]
    findings: tuple[Finding, ...]
    upcoming: tuple[Occurrence, ...]
    cautions: tuple[Finding, ...]
    """What is worth knowing and keeps nothing from running."""


@dataclass(frozen=True)
class Playbooks:
    """The use cases on a person's own playbooks. `formats` are the document formats that can be written."""

    store: PlaybookStore
    directory: Directory
    workspace: Workspace
    clock: Clock
    formats: Collection[str]

    def list(self, caller: Caller) -> Sequence[Playbook]:
        """The caller's playbooks, newest first."""
        return self.store.of_user(caller.tenant, caller.user)

    def show(self, caller: Caller, id_: PlaybookId) -> ShownPlaybook:
        """One playbook; NotFound when it is not the caller's."""
        playbook = owned(self.store, caller, id_)
        definition = self._definition(playbook)
        schedule = self.store.schedule(caller.tenant, id_)
        return ShownPlaybook(
            playbook,
            definition,
            schedule,
            self.store.saved_queries(caller.tenant, id_),
            self._findings(caller, definition, schedule),
            () if schedule is None else self.preview(schedule.rule),
            self._cautions(caller, definition),
        )

    def preview(self, rule: Rule) -> tuple[Occurrence, ...]:
        """The next five occurrences, from the function that the scheduler uses."""
        return occurrences(rule, self.clock.now(), PREVIEWED)

    def edit(self, caller: Caller, id_: PlaybookId, *, rev: int, title: str, steps: Sequence[Step]) -> Playbook:
        """Replace title and steps, loosely checked; Conflict while on or when it was changed meanwhile."""
        playbook = owned_off(self.store, caller, id_, rev)
        if not title.strip() or len(title) > MAX_TITLE:
            message = f"A title of 1 to {MAX_TITLE} characters is expected."
            raise Refused(message, [Finding("invalid_title", "/title", message)], code="invalid_title")
        before = self._definition(playbook)
        definition = before.next_version(steps)
        changed = replace(
            playbook,
            title=title.strip(),
            rev=rev + 1,
            definition_version=definition.version,
            definition_hash=definition.hash,
            warnings=() if definition.version > before.version else playbook.warnings,
        )
        kept = {step.id for step in definition.steps if step.kind is StepKind.QUERY_DATABASE and step.pin_sql}
        forget = [step for step in self.store.saved_queries(caller.tenant, id_) if step not in kept]
        self.store.save(changed, seen_rev=rev, definition=definition, forget=forget)
        return changed

    def set_schedule(self, caller: Caller, id_: PlaybookId, *, rev: int, rule: Rule) -> Schedule:
        """Give the playbook its rule; Conflict while on."""
        playbook = owned_off(self.store, caller, id_, rev)
        seen = self.store.schedule(caller.tenant, id_)
        schedule = change_rule(seen, rule, self.clock.now())
        self.store.save(replace(playbook, rev=rev + 1), seen_rev=rev, schedule=schedule, seen_schedule=seen)
        return schedule

    def enable(self, caller: Caller, id_: PlaybookId) -> Playbook:
        """Switch it on after the strict check; Refused with all findings, or when its one time is over."""
        playbook = owned(self.store, caller, id_)
        if playbook.state is PlaybookState.ON:
            return playbook
        definition = self._definition(playbook)
        schedule = self.store.schedule(caller.tenant, id_)
        findings = self._findings(caller, definition, schedule)
        if findings or schedule is None:
            raise Refused("The playbook cannot be switched on yet.", findings, code="not_ready")
        on = replace(playbook, state=PlaybookState.ON, off_reason="", off_at=None, rev=playbook.rev + 1)
        due = enable(schedule, self.clock.now())
        self.store.save(on, seen_rev=playbook.rev, schedule=due, seen_schedule=schedule)
        return on

    def disable(self, caller: Caller, id_: PlaybookId) -> Playbook:
        """Switch it off; a run that is under way finishes, and what is due and not begun gets its row as skipped."""
        first_has_run = False
        for _ in range(5):
            playbook = owned(self.store, caller, id_)
            if playbook.state is not PlaybookState.ON:
                return playbook
            off = replace(playbook, state=PlaybookState.OFF, rev=playbook.rev + 1)
            schedule = self.store.schedule(caller.tenant, id_)
            after, row = self._passed_over(playbook, schedule, first_has_run=first_has_run)
            try:
                self.store.save(off, seen_rev=playbook.rev, schedule=after, seen_schedule=schedule, row=row)
            except RowExists:
                first_has_run = True  # newer zone data had put an occurrence that ran at a later instant
            except Conflict:
                continue  # the tick moved the schedule at this moment
            else:
                return off
        raise Conflict("The playbook keeps changing; try again in a moment.", code="changed")

    def delete(self, caller: Caller, id_: PlaybookId) -> None:
        """Delete it, leaving a tombstone that ends its runs; a schedule that is on goes off with it."""
        playbook = self.disable(caller, id_)
        gone = replace(playbook, deleted_at=self.clock.now(), rev=playbook.rev + 1)
        self.store.save(gone, seen_rev=playbook.rev)

    def cautions(self, caller: Caller, id_: PlaybookId) -> tuple[Finding, ...]:
        """Warnings to show when it is switched on: what a database role may do beyond reading."""
        return self._cautions(caller, self._definition(owned(self.store, caller, id_)))

    def _passed_over(
        self, playbook: Playbook, schedule: Schedule | None, *, first_has_run: bool
    ) -> tuple[Schedule | None, Run | None]:
        """The schedule when it is off, and the row of what was due."""
        if schedule is None:
            return None, None
        now = self.clock.now()
        skip = skip_what_is_due(schedule, now)
        if skip is None:
            return disable(schedule), None
        move = skip_move(skip, schedule, playbook, self._definition(playbook), now)
        if first_has_run:
            move = without_its_row(move)
        return move.after, move.run

    def _cautions(self, caller: Caller, definition: Definition) -> tuple[Finding, ...]:
        person = person_of(self.directory, caller.tenant, caller.user)
        return role_cautions(definition.steps, self.workspace, caller.tenant, person)

    def _definition(self, playbook: Playbook) -> Definition:
        found = self.store.definition(playbook.tenant, playbook.id, playbook.definition_version)
        return found if found is not None else Definition(playbook.definition_version, ())

    def _findings(self, caller: Caller, definition: Definition, schedule: Schedule | None) -> tuple[Finding, ...]:
        person = person_of(self.directory, caller.tenant, caller.user)
        found = strict_findings(definition.steps, self.workspace, caller.tenant, person, self.formats)
        if schedule is None:
            found += (Finding("no_schedule", "/schedule", "The playbook has no schedule: say when it is to run."),)
        return found
