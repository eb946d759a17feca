"""One process of the installation: the real application over a table and an outside that are not to be relied on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import FREE
from playbooks.adapters.dynamodb.notices import DynamoNotices
from playbooks.adapters.dynamodb.people import DynamoDevices
from playbooks.adapters.dynamodb.playbooks import DynamoPlaybooks
from playbooks.adapters.dynamodb.runs import DynamoRuns
from playbooks.adapters.dynamodb.schedules import DynamoSchedules
from playbooks.adapters.dynamodb.workspace import DynamoWorkspace
from playbooks.adapters.memory.outside import MemoryArtifacts, MemoryTelemetry
from playbooks.application.agent_loop import converse
from playbooks.application.dispatch_due import Dispatcher
from playbooks.application.lease import HeldRun
from playbooks.application.notify import Notifier
from playbooks.application.playbooks import Playbooks
from playbooks.application.runs import Runs
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.application.work_on_run import Worker
from playbooks.domain.ids import PlaybookId, RunId, StepId, TenantId
from playbooks.domain.playbook import Definition, Playbook, PlaybookState, Step, StepKind
from playbooks.domain.run import Outcome, Run
from playbooks.ports.stores.playbooks import NewPlaybook
from playbooks.ports.stores.runs import RunCommit
from playbooks.ports.stores.schedules import GroupRefusal, ScheduleMove
from tests.simulation.engine import Actor, Engine
from tests.simulation.faults import Fates
from tests.simulation.outside import Doorbell, Effects, Model, Outside, Push, Tools
from tests.simulation.table import ProcessTable, WatchedTable

LAMBDA = timedelta(seconds=900)


class Clock:
    """The process's own clock, a little off."""

    def __init__(self, engine: Engine, actor: Actor) -> None:
        self._engine, self._actor = engine, actor

    def now(self) -> datetime:
        return self._engine.clock(self._actor)


class InterruptedSchedules(DynamoSchedules):
    """Something may come between what was read and the write that rests on it."""

    before_write: Callable[[], None] = staticmethod(lambda: None)

    def commit(self, moves: Sequence[ScheduleMove]) -> GroupRefusal | None:
        self.before_write()
        return super().commit(moves)


class InterruptedRuns(DynamoRuns):
    """One who takes over a run may be slow about it, and the worker before may wake up meanwhile."""

    before_takeover: Callable[[Run], None] = staticmethod(lambda _seen: None)
    before_step_is_saved: Callable[[], None] = staticmethod(lambda: None)

    def lease(self, seen: Run, leased: Run, now: datetime) -> bool:
        if seen.lease.until is not None:
            self.before_takeover(seen)
        return super().lease(seen, leased, now)

    def commit(self, commit: RunCommit) -> None:
        if commit.step is not None:
            self.before_step_is_saved()
        super().commit(commit)


@dataclass
class Process:
    """Everything one process has of its own."""

    engine: Engine
    fates: Fates
    table: WatchedTable
    outside: Outside
    actor: Actor

    def __post_init__(self) -> None:
        self.effects = Effects(self.engine, self.fates, self.actor)
        self.clock = Clock(self.engine, self.actor)
        table = ProcessTable(self.table, self.engine, self.fates, self.actor)
        self.telemetry = MemoryTelemetry()
        self.runs = InterruptedRuns(table, self.pause)
        self.runs.before_takeover = self._hesitate
        self.runs.before_step_is_saved = self._doze
        self.playbooks = DynamoPlaybooks(table, self.pause)
        self.schedules = InterruptedSchedules(table)
        self.workspace = DynamoWorkspace(table)
        self.doorbell = Doorbell(self.effects, self.outside)
        push = Push(self.effects, self.outside)
        devices = DynamoDevices(table, self.pause)
        self.notifier = Notifier(DynamoNotices(table), devices, push, self.clock, self.telemetry)
        self.artifacts = MemoryArtifacts()

    def pause(self, attempt: int) -> None:
        self.engine.sleep(self.actor, 0.05 * 2 ** min(attempt, 4) * self.engine.random.random())

    def _hesitate(self, seen: Run) -> None:
        """Between a look at a run and its lease; in some seeds exactly until the worker before lets go of it."""
        if self.fates.calm or self.engine.random.random() < 0.5:
            return
        if not self.fates.dozing:
            self.engine.sleep(self.actor, self.engine.random.uniform(0, 120))
            return
        key = keys.run(seen.tenant, seen.id)
        for _ in range(600):
            self.engine.sleep(self.actor, 0.2)
            stored = self.table.get(key)
            if stored is None or stored["lease_until"] == FREE:
                return

    def _doze(self) -> None:
        """Past the lease, until about the time that another one takes the run over."""
        if self.fates.dozing and not self.fates.calm and self.engine.random.random() < 0.5:
            self.engine.sleep(self.actor, self.engine.random.uniform(340, 480))

    def dispatcher(self, *, before_write: Callable[[], None] = lambda: None) -> Dispatcher:
        """A tick's parts; `before_write` comes between what it decided and the write that rests on it."""
        self.schedules.before_write = before_write
        return Dispatcher(
            schedules=self.schedules,
            runs=self.runs,
            directory=self.workspace,
            workspace=self.workspace,
            doorbell=self.doorbell,
            notifier=self.notifier,
            clock=self.clock,
            telemetry=self.telemetry,
            pause=self.pause,
        )

    def work(self, tenant: TenantId, run: RunId) -> None:
        worker = Worker(
            runs=self.runs,
            playbooks=self.playbooks,
            directory=self.workspace,
            artifacts=self.artifacts,
            doorbell=self.doorbell,
            notifier=self.notifier,
            clock=self.clock,
            telemetry=self.telemetry,
            execute=self._execute,
            convert=self._convert,
        )
        worker.work(tenant, run, until=self.clock.now() + LAMBDA)

    def use_playbooks(self) -> Playbooks:
        return Playbooks(self.playbooks, self.workspace, self.workspace, self.clock, ())

    def use_runs(self) -> Runs:
        return Runs(
            self.runs,
            self.playbooks,
            self.workspace,
            self.workspace,
            self.artifacts,
            self.doorbell,
            self.clock,
            (),
        )

    def _execute(self, held: HeldRun, context: StepContext) -> StepWork:
        writes = {"key": "write_with_key", "plain": "write_plain"}.get(context.step.instruction, "")
        poisoned = context.step.instruction == "poison"
        model = Model(self.effects, self.outside, writes=writes)
        tools = Tools(self.effects, self.outside, held, poisoned=poisoned)
        return StepWork(Outcome.DONE, converse(held, model, tools, system="", opening=""))

    def _convert(self, held: HeldRun) -> NewPlaybook:
        tools = Tools(self.effects, self.outside, held, poisoned=False)
        converse(held, Model(self.effects, self.outside, writes=""), tools, system="", opening="")
        run = held.run
        definition = Definition(1, (Step(StepId("s1"), StepKind.ORGANIZE, "look"),))
        playbook = Playbook(
            run.tenant,
            PlaybookId(f"made-{run.id}"),
            run.run_as,
            run.title,
            PlaybookState.DRAFT,
            1,
            1,
            definition.hash,
            self.clock.now(),
        )
        return NewPlaybook(replace(playbook, conversation=run.conversation), definition, {})
