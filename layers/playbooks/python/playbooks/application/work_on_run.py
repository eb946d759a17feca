"""Answer a doorbell: take the run's lease, work on its current step until that is over, commit, ring for the next.

A message is only a hint. Duplicate, stale and lost ones change nothing: the lease lets one worker in, every commit
carries the fence, and the wake index rings for what nobody finished.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import assert_never

from playbooks.application.agent_loop import WorkFailed
from playbooks.application.ends import ended_notice
from playbooks.application.grants import Blocked, blocked, person_of
from playbooks.application.lease import HandOver, HeldRun
from playbooks.application.notify import Notifier
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.domain.ids import RunId, TenantId
from playbooks.domain.run import (
    Ended,
    LeaseTimes,
    NextStep,
    Outcome,
    Run,
    RunKind,
    RunStatus,
    decide,
    end,
    gone_in_circles,
    handed_over,
    is_free,
    leased,
    overdue,
)
from playbooks.domain.schedule import late_at_first_lease, lateness_seconds
from playbooks.errors import PlaybooksError
from playbooks.language.notices import notice_text
from playbooks.language.reasons import reason_text
from playbooks.ports.artifacts import Artifacts
from playbooks.ports.clock import Clock
from playbooks.ports.directory import Directory
from playbooks.ports.model import ModelBusy
from playbooks.ports.queue import Doorbell
from playbooks.ports.stores.notices import NoticeRef
from playbooks.ports.stores.playbooks import NewPlaybook, PlaybookStore
from playbooks.ports.stores.runs import LeaseLost, RunCommit, RunStore
from playbooks.ports.telemetry import Telemetry

AWAY = timedelta(seconds=30)
MAX_AWAY = timedelta(minutes=10)

StepExecutor = Callable[[HeldRun, StepContext], StepWork]
ConversionExecutor = Callable[[HeldRun], NewPlaybook]


@dataclass(frozen=True)
class Worker:
    """What working on a run needs. `execute` does a step of a playbook, `convert` the one step of a conversion."""

    runs: RunStore
    playbooks: PlaybookStore
    directory: Directory
    artifacts: Artifacts
    doorbell: Doorbell
    notifier: Notifier
    clock: Clock
    telemetry: Telemetry
    execute: StepExecutor | None = None
    convert: ConversionExecutor | None = None
    times: LeaseTimes = LeaseTimes()

    def work(self, tenant: TenantId, run_id: RunId, *, until: datetime) -> None:
        """Work on the run until its current step is over or the time is; `until` is when this worker ends."""
        try:
            held = self._lease(tenant, run_id, until)
            if held is not None:
                self._work(held)
        except LeaseLost:
            # Another worker owns the run, or somebody ended it: what this one did since its last save does not count.
            self.telemetry.event("lease_lost", run=run_id)
        except PlaybooksError as error:
            # Nothing more can be done here, and the message is no use again: the wake index comes back to the run.
            self.telemetry.fault("run_interrupted", error, run=run_id)
            self.telemetry.count("RunsInterrupted")

    def _lease(self, tenant: TenantId, run_id: RunId, until: datetime) -> HeldRun | None:
        seen = self.runs.run(tenant, run_id)
        if seen is None:
            self.telemetry.event("unknown_run", run=run_id)
            self.telemetry.count("UnknownRuns")
            return None
        now = self.clock.now()
        if not is_free(seen, now):
            return None
        mine = leased(seen, uuid.uuid4().hex, now, self.times)
        if not self.runs.lease(seen, mine, now):
            return None
        held = HeldRun(mine, self.runs, self.artifacts, self.clock, self.times, until)
        if (reason := self._cannot_start(seen, mine, now)) is not None:
            self._end(held, *reason)
            return None
        return held

    def _cannot_start(self, seen: Run, run: Run, now: datetime) -> tuple[RunStatus, str, str] | None:
        """An end that the run has come to before any work, or None."""
        if run.kind is RunKind.SCHEDULED and run.due is not None and run.started_at is not None:
            # By the time of the first lease, at every lease: the one that found it late may not have written so.
            late = late_at_first_lease(run.due, run.started_at)
            if late is not None:
                when = run.occurrence.replace("T", " ")
                text = notice_text("skipped_late", run.language, when=when, minutes=late // 60)
                return RunStatus.SKIPPED, text, "late"
        if gone_in_circles(run):
            said = f" {run.reason}" if run.reason else ""
            return RunStatus.FAILED, reason_text("no_progress", run.language, said=said), "no_progress"
        # As it was seen: the lease has just set the deadline of a run that waited for its first worker.
        if (code := overdue(seen, now)) is not None:
            return RunStatus.FAILED, reason_text(code, run.language), code
        return None

    def _work(self, held: HeldRun) -> None:
        try:
            if held.run.kind is RunKind.CONVERSION:
                self._convert(held)
            else:
                self._step(held)
        except Blocked as missing:
            self._end(held, RunStatus.BLOCKED, told(missing, held.run), missing.code)
        except WorkFailed as failed:
            self.telemetry.fault("work_failed", failed, run=held.run.id, step=held.run.cursor)
            self._end(held, RunStatus.FAILED, told(failed, held.run), failed.code)
        except HandOver:
            self._ring(held.run)
        except LeaseLost:
            raise
        except PlaybooksError as error:
            self.telemetry.fault("step_error", error, run=held.run.id, step=held.run.cursor)
            if not error.retryable:
                self._end(held, RunStatus.FAILED, told(error, held.run), error.code)
            else:
                self._wait(held, error)

    def _wait(self, held: HeldRun, error: PlaybooksError) -> None:
        """Give the run back until what is away may answer again; several times without progress end it.

        As long as a server asks for, but not beyond the run's deadline. A wait it asked for is no going in circles;
        leases that were lost before still count, so a step that kills its worker cannot hide behind it.
        """
        run, now = held.run, self.clock.now()
        asked = error.retry_after if isinstance(error, ModelBusy) else None
        before = max(run.lease.without_progress - 1, 0)
        at = now + (asked or min(AWAY * 2**before, MAX_AWAY))
        later = handed_over(run, min(at, run.deadline or at), error.message)
        if asked:
            later = replace(later, lease=replace(later.lease, without_progress=before))
        held.commit(RunCommit(later, run.lease))

    def _step(self, held: HeldRun) -> None:
        assert self.execute is not None
        context = self._context(held.run)
        work = self.execute(held, context)
        now = self.clock.now()
        run, effect = decide(held.run, work.as_outcome(), now)
        match effect:
            case NextStep():
                self._commit_step(held, run, work, context)
                self._ring(run)
            case Ended():
                self._commit_step(held, run, work, context)
                self._tell(run)
            case _:
                assert_never(effect)

    def _context(self, run: Run) -> StepContext:
        """What the step is given, read now: permissions, tombstone and definition version included."""
        assert run.playbook is not None
        playbook = self.playbooks.playbook(run.tenant, run.playbook)
        definition = self.playbooks.definition(run.tenant, run.playbook, run.definition_version)
        if playbook is None or playbook.deleted_at is not None or definition is None:
            raise blocked("playbook_deleted")
        person = person_of(self.directory, run.tenant, run.run_as)
        step = definition.steps[run.cursor]
        saved = self.playbooks.saved_queries(run.tenant, run.playbook).get(step.id)
        earlier = [result for result in self.runs.steps(run.tenant, run.id) if result.step < run.cursor]
        return StepContext(run, playbook, step, person, earlier, saved)

    def _commit_step(self, held: HeldRun, run: Run, work: StepWork, context: StepContext) -> None:
        result = work.as_result(context, self.clock.now())
        notice = ended_notice(run) if run.status.over else None
        saved = work.saved_query if run.kind is not RunKind.TEST and work.outcome is not Outcome.FAILED else None
        held.commit(RunCommit(run, held.run.lease, step=result, saved_query=saved, notice=notice))

    def _convert(self, held: HeldRun) -> None:
        assert self.convert is not None
        new = self.convert(held)
        run = end(held.run, RunStatus.COMPLETED, reason_text("converted", held.run.language), self.clock.now())
        held.commit(RunCommit(replace(run, result=new.playbook.id), held.run.lease, created=new))

    def _end(self, held: HeldRun, status: RunStatus, reason: str, code: str) -> None:
        now = self.clock.now()
        run = end(held.run, status, reason, now, code)
        if status is RunStatus.SKIPPED and run.due is not None:
            run = replace(run, late_seconds=lateness_seconds(run.due, now))
        step = held.so_far(Outcome.FAILED.value, reason, now) if held.so_far is not None else None
        held.commit(RunCommit(run, held.run.lease, step=step, notice=ended_notice(run)))
        self._tell(run)

    def _ring(self, run: Run) -> None:
        """Ring for a run that is committed; a bell that fails is rung by the tick, for the commit made the run due."""
        try:
            self.doorbell.ring([(run.tenant, run.id, run.kind)])
        except PlaybooksError as error:
            self.telemetry.fault("ring_failed", error, run=run.id)

    def _tell(self, run: Run) -> None:
        """Tell the operator and the person of an end that is committed; a push that fails stays owed."""
        self.telemetry.count(f"Runs{run.status.value.capitalize()}")
        self.telemetry.event("run_ended", run=run.id, status=run.status.value, reason=run.reason_code)
        notice = ended_notice(run)
        if notice is None:
            return
        try:
            self.notifier.send(NoticeRef(run.tenant, run.id, None, notice.id))
        except PlaybooksError as error:
            self.telemetry.fault("notice_failed", error, run=run.id)


def told(error: PlaybooksError, run: Run) -> str:
    """An error in the language of the person who reads the run; one that stands for itself as it is."""
    return error.message if error.values is None else reason_text(error.code, run.language, **error.values)
