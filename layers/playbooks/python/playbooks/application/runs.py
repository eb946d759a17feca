"""A person's runs: run now, list, show, cancel, fetch a document."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from playbooks.application.grants import grant_problem, person_of
from playbooks.application.identity import Caller, owned
from playbooks.application.registered import strict_findings
from playbooks.domain.ids import PlaybookId, RunId, requested_run_id
from playbooks.domain.run import FIRST_RING, Run, RunKind, RunStatus, end
from playbooks.errors import Conflict, NotFound, Refused
from playbooks.language.reasons import reason_text
from playbooks.ports.artifacts import Artifacts
from playbooks.ports.clock import Clock
from playbooks.ports.directory import Directory, Workspace
from playbooks.ports.queue import Doorbell
from playbooks.ports.stores.playbooks import PlaybookStore
from playbooks.ports.stores.runs import RunStore, StepResult

PAGE = 20


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run with its steps."""

    run: Run
    steps: Sequence[StepResult]


@dataclass(frozen=True)
class Runs:
    """The use cases on a person's own runs."""

    store: RunStore
    playbooks: PlaybookStore
    directory: Directory
    workspace: Workspace
    artifacts: Artifacts
    doorbell: Doorbell
    clock: Clock
    formats: Collection[str]

    def run_now(self, caller: Caller, id_: PlaybookId, key: str) -> Run:
        """Start a run at once, on or off, never moving the schedule; the same key starts one run.

        Refused with all findings when the playbook could not run.
        """
        playbook = owned(self.playbooks, caller, id_)
        definition = self.playbooks.definition(caller.tenant, id_, playbook.definition_version)
        steps = definition.steps if definition is not None else ()
        person = person_of(self.directory, caller.tenant, caller.user)
        findings = strict_findings(steps, self.workspace, caller.tenant, person, self.formats)
        if findings or definition is None:
            raise Refused("The playbook cannot run yet.", findings, code="not_ready")
        databases = {database.name: database for database in self.workspace.databases(caller.tenant)}
        if (problem := grant_problem(definition, person, databases, person.language)) is not None:
            raise Refused(problem.text, code=problem.code)
        schedule = self.playbooks.schedule(caller.tenant, id_)
        now = self.clock.now()
        run = Run(
            tenant=caller.tenant,
            id=requested_run_id(caller.tenant, id_, caller.user, key),
            kind=RunKind.NOW,
            status=RunStatus.QUEUED,
            run_as=caller.user,
            title=playbook.title,
            created_at=now,
            playbook=id_,
            definition_version=definition.version,
            step_count=len(steps),
            zone=schedule.rule.zone if schedule is not None else person.zone,
            language=playbook.language,
            wake_at=now + FIRST_RING,
        )
        if self.store.create(run):
            self.doorbell.ring([(run.tenant, run.id, run.kind)])
            return run
        return self._own(caller, run.id)

    def list(self, caller: Caller, id_: PlaybookId, after: str | None) -> tuple[Sequence[Run], str | None]:
        """The playbook's runs, newest first, and a cursor for more."""
        owned(self.playbooks, caller, id_)
        return self.store.of_playbook(caller.tenant, id_, PAGE, after)

    def show(self, caller: Caller, run_id: RunId) -> ShownRun:
        """A run with its steps; NotFound when it is not the caller's."""
        run = self._own(caller, run_id)
        return ShownRun(run, self.store.steps(caller.tenant, run_id))

    def cancel(self, caller: Caller, run_id: RunId) -> Run:
        """End a run that is not over; no failure, no push. What it did stays in its log."""
        for _ in range(5):
            run = self._own(caller, run_id)
            if run.status.over:
                raise Conflict(f"The run is over already: {run.status.value}.", code="run_over")
            ended = end(run, RunStatus.CANCELLED, reason_text("cancelled", run.language), self.clock.now())
            cancelled = replace(ended, lease=replace(ended.lease, fence=run.lease.fence + 1))
            if self.store.cancel(cancelled):
                return cancelled
        raise Conflict("The run keeps moving; try again in a moment.", code="changed")

    def document_link(self, caller: Caller, run_id: RunId, name: str) -> str:
        """A link to a document of the run, good for five minutes."""
        shown = self.show(caller, run_id)
        for step in shown.steps:
            for document in step.documents:
                if document.name == name:
                    return self.artifacts.link(document.key, document.name)
        raise NotFound("The run has no document of that name.")

    def _own(self, caller: Caller, run_id: RunId) -> Run:
        run = self.store.run(caller.tenant, run_id)
        if run is None or run.run_as != caller.user or run.kind is RunKind.CONVERSION:
            raise NotFound("There is no such run, or it is not yours.")
        return run
