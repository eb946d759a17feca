"""A whole installation in memory: the real application and stores over a table in memory, and a clock to move."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from playbooks.adapters.dynamodb.notices import DynamoNotices
from playbooks.adapters.dynamodb.operations import Table
from playbooks.adapters.dynamodb.people import DynamoConversations, DynamoDevices
from playbooks.adapters.dynamodb.playbooks import DynamoPlaybooks
from playbooks.adapters.dynamodb.runs import DynamoRuns
from playbooks.adapters.dynamodb.schedules import DynamoSchedules
from playbooks.adapters.dynamodb.statements import DynamoStatements
from playbooks.adapters.dynamodb.workspace import DynamoWorkspace
from playbooks.adapters.memory.outside import (
    ManualClock,
    MemoryArtifacts,
    MemoryDoorbell,
    MemoryPush,
    MemoryTelemetry,
)
from playbooks.adapters.memory.table import MemoryTable
from playbooks.application.conversations import Conversations
from playbooks.application.conversions import Conversions
from playbooks.application.create_playbook import CreatePlaybook
from playbooks.application.devices import Devices
from playbooks.application.dispatch_due import Dispatcher, TickReport
from playbooks.application.identity import Caller
from playbooks.application.lease import HeldRun
from playbooks.application.notify import Notifier
from playbooks.application.playbook_files import PlaybookFiles
from playbooks.application.playbooks import Playbooks
from playbooks.application.runs import Runs
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.application.work_on_run import ConversionExecutor, Worker
from playbooks.domain.ids import PlaybookId, RunId, StepId, TenantId, UserId
from playbooks.domain.playbook import Definition, Playbook, PlaybookState, Step, StepKind
from playbooks.domain.recurrence import Rule, parse_rule
from playbooks.domain.run import LeaseTimes, Outcome, Run
from playbooks.domain.schedule import Schedule, change_rule
from playbooks.ports.directory import Person, RegisteredDatabase
from playbooks.ports.push import Platform
from playbooks.ports.stores.playbooks import NewPlaybook

ACME, MINA = TenantId("acme"), UserId("mina")
START = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
SHOP = RegisteredDatabase("shop", "127.0.0.1", 5432, "shop", "databases/shop", (("analysts", "shop_reader"),), "off")
FORMATS = ("xlsx", "csv", "md")


def no_pause(_attempt: int) -> None:
    """Tries again at once."""


def done_at_once(_held: HeldRun, context: StepContext) -> StepWork:
    """A step that is done without a model."""
    return StepWork(Outcome.DONE, f"{context.step.instruction} done")


def hourly(start: str = "2026-11-30T09:00", zone: str = "UTC") -> Rule:
    """Every hour from nine."""
    return parse_rule({"start": start, "zone": zone, "unit": "hours", "interval": 1})


def steps(count: int = 2) -> tuple[Step, ...]:
    """Steps that pass the strict check."""
    return tuple(Step(StepId(f"s{n}"), StepKind.ORGANIZE, f"part {n}") for n in range(1, count + 1))


@dataclass
class World:
    """Everything of one installation; `table` may be any table."""

    table: Table = field(default_factory=MemoryTable)
    execute: Callable[[HeldRun, StepContext], StepWork] = done_at_once
    convert: ConversionExecutor | None = None
    now: datetime = START
    times: LeaseTimes = field(default_factory=LeaseTimes)
    telemetry: Any = field(default_factory=MemoryTelemetry)

    def __post_init__(self) -> None:
        self.clock = ManualClock(self.now)
        self.doorbell, self.push = MemoryDoorbell(), MemoryPush()
        self.artifacts = MemoryArtifacts()
        self.playbooks = DynamoPlaybooks(self.table, no_pause)
        self.runs = DynamoRuns(self.table, no_pause)
        self.schedules = DynamoSchedules(self.table)
        self.workspace = DynamoWorkspace(self.table)
        self.devices = DynamoDevices(self.table, no_pause)
        self.notices = DynamoNotices(self.table)
        self.notifier = Notifier(self.notices, self.devices, self.push, self.clock, self.telemetry)
        self.dispatcher = Dispatcher(
            schedules=self.schedules,
            runs=self.runs,
            directory=self.workspace,
            workspace=self.workspace,
            doorbell=self.doorbell,
            notifier=self.notifier,
            clock=self.clock,
            telemetry=self.telemetry,
        )
        self.worker = Worker(
            runs=self.runs,
            playbooks=self.playbooks,
            directory=self.workspace,
            artifacts=self.artifacts,
            doorbell=self.doorbell,
            notifier=self.notifier,
            clock=self.clock,
            telemetry=self.telemetry,
            execute=lambda held, context: self.execute(held, context),
            convert=self.convert,
            times=self.times,
        )
        conversations = Conversations(
            DynamoConversations(self.table, no_pause), self.artifacts, self.clock, self.workspace
        )
        self.use_conversations = conversations
        self.use_conversions = Conversions(conversations, self.runs, self.workspace, self.doorbell, self.clock)
        self.statements = DynamoStatements(self.table)
        making = (self.playbooks, self.statements, self.workspace, self.workspace, self.clock, FORMATS)
        self.use_create, self.use_files = CreatePlaybook(*making), PlaybookFiles(*making)
        self.use_playbooks = Playbooks(self.playbooks, self.workspace, self.workspace, self.clock, FORMATS)
        self.use_runs = Runs(
            self.runs,
            self.playbooks,
            self.workspace,
            self.workspace,
            self.artifacts,
            self.doorbell,
            self.clock,
            FORMATS,
        )
        self.use_devices = Devices(self.devices, self.push, self.clock)
        self.mina = Caller(ACME, MINA)

    def people(self) -> "World":
        """Mina with a phone, and the shop database."""
        self.workspace.register_person(ACME, Person(MINA, "Mina", frozenset({"analysts"}), zone="Asia/Seoul"))
        self.workspace.register_database(ACME, SHOP)
        self.use_devices.register(self.mina, Platform.FCM, "token-of-mina")
        return self

    def playbook(
        self,
        name: str = "p1",
        *,
        rule: Rule | None = None,
        steps: tuple[Step, ...] = steps(),
        on: bool = True,
        owner: UserId = MINA,
    ) -> PlaybookId:
        """A playbook of Mina's, switched on unless said otherwise."""
        definition = Definition(1, steps)
        schedule: Schedule = change_rule(None, rule or hourly(), self.clock.now())
        playbook = Playbook(
            ACME,
            PlaybookId(name),
            owner,
            f"Report {name}",
            PlaybookState.DRAFT,
            1,
            1,
            definition.hash,
            self.clock.now(),
        )
        from playbooks.adapters.dynamodb.playbook_writes import creation_writes

        self.table.transact(creation_writes(NewPlaybook(playbook, definition, {}, schedule)))
        if on:
            self.use_playbooks.enable(Caller(ACME, owner), playbook.id)
        return playbook.id

    def tick(self) -> TickReport:
        """One tick now."""
        return self.dispatcher.tick()

    def deliver(self) -> int:
        """Deliver every doorbell until none rings; how many there were."""
        count = 0
        while self.doorbell.rings:
            tenant, run, _ = self.doorbell.rings.pop(0)
            self.worker.work(tenant, run, until=self.clock.now() + timedelta(seconds=900))
            count += 1
        return count

    def runs_of(self, playbook: PlaybookId) -> list[Run]:
        """The playbook's runs, newest first."""
        return list(self.runs.of_playbook(ACME, playbook, 100)[0])

    def run(self, run: RunId) -> Run:
        """A run that is there."""
        found = self.runs.run(ACME, run)
        assert found is not None
        return found
