"""The tick: claim what is due, wake what is owed. Correct with any number of ticks at once, late, doubled or lost."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from playbooks.application.claims import move_for
from playbooks.application.commit_moves import Left, commit_moves
from playbooks.application.ends import ended_notice
from playbooks.application.grants import grant_problem, incomplete, person_problem
from playbooks.application.notify import Notifier
from playbooks.application.recompute_zones import recompute_page
from playbooks.domain import enablement
from playbooks.domain.ids import RunId, TenantId, UserId
from playbooks.domain.playbook import Playbook, StepKind
from playbooks.domain.run import Run, RunKind, RunStatus, end, overdue, rung
from playbooks.domain.schedule import PreRunCheck, Reason, Schedule, decide
from playbooks.errors import PlaybooksError
from playbooks.language.reasons import reason_text
from playbooks.ports.clock import Clock
from playbooks.ports.directory import Directory, Person, RegisteredDatabase, Workspace
from playbooks.ports.queue import Doorbell
from playbooks.ports.stores.notices import NoticeRef
from playbooks.ports.stores.runs import RunStore
from playbooks.ports.stores.schedules import DueSchedule, ScheduleMove, ScheduleStore
from playbooks.ports.stores.wake_index import SHARDS, Page, ScheduleRef
from playbooks.ports.telemetry import Telemetry

BUDGET = timedelta(seconds=50)
NAMED = 10
"""Runs that one log line names."""


class TickFailed(PlaybooksError):
    """Raised after the loop when an item went wrong: the others were seen to, and an alarm is to ring."""

    code = "tick_failed"


@dataclass
class TickReport:
    """What a tick did."""

    claimed: int = 0
    skipped: int = 0
    blocked: int = 0
    switched_off: int = 0
    lost: int = 0
    rung: int = 0
    expired: int = 0
    notices: int = 0
    recomputed: int = 0
    faults: int = 0
    oldest_due_seconds: int = 0


@dataclass(frozen=True)
class Dispatcher:
    """What a tick needs."""

    schedules: ScheduleStore
    runs: RunStore
    directory: Directory
    workspace: Workspace
    doorbell: Doorbell
    notifier: Notifier
    clock: Clock
    telemetry: Telemetry
    pause: Callable[[int], None] = lambda _attempt: None
    budget: timedelta = BUDGET

    def tick(self) -> TickReport:
        """One tick; raises TickFailed at the end when something went wrong on the way."""
        tick = _Tick(self, self.clock.now())
        # Each minute begins elsewhere: when there is more than a tick can do, no shard is always the last.
        shards = [(tick.now.minute + number) % SHARDS for number in range(SHARDS)]
        for shard in shards:
            tick.dispatch(shard)
        for shard in shards:
            tick.wake(shard)
        tick.recompute()
        report = tick.report
        self.telemetry.event("tick", **{name: getattr(report, name) for name in TickReport.__dataclass_fields__})
        if report.faults:
            self.telemetry.count("TickFaults", report.faults)
            raise TickFailed(f"{report.faults} items of the tick went wrong; each is named in the log.")
        return report


@dataclass
class _Tick:
    """One tick's state: what it has read of people and databases, and what it did."""

    deps: Dispatcher
    now: datetime
    report: TickReport = field(default_factory=TickReport)
    people: dict[tuple[TenantId, UserId], Person | PlaybooksError | None] = field(default_factory=dict)
    databases: dict[TenantId, Mapping[str, RegisteredDatabase]] = field(default_factory=dict)
    named: set[ScheduleRef] = field(default_factory=set)

    def dispatch(self, shard: int) -> None:
        """Claim what is due in a shard."""
        for page in self._pages(shard, lambda after: self.deps.schedules.due(shard, self.now, after)):
            refs: Sequence[ScheduleRef] = page.schedules
            while refs and self._time_left():
                try:
                    committed = self._commit(self._moves(self.deps.schedules.load_due(refs)))
                except PlaybooksError as error:
                    self._fault("dispatch_failed", error, shard=shard)
                    break
                # Behind a late one that was passed over another may be due already: in a minute it may be late too.
                refs = [move.ref for move in committed if _is_due(move.after, self.now)]

    def wake(self, shard: int) -> None:
        """Ring for runs and send notices that are owed in a shard."""
        for page in self._pages(shard, lambda after: self.deps.runs.due_work(shard, self.now, after)):
            try:
                runs = self.deps.runs.load(page.runs)
            except PlaybooksError as error:
                self._fault("wake_failed", error, shard=shard)
                continue
            self._ring(list(runs.values()))
            for ref in page.notices:
                if self._time_left():
                    self._send(ref)

    def recompute(self) -> None:
        """When this program's zone data is newer than what was gone through: one page of schedules."""
        if not self._time_left():
            return
        try:
            done = recompute_page(self.deps.schedules, self.now, pause=self.deps.pause, time_left=self._time_left)
        except PlaybooksError as error:
            self._fault("recompute_failed", error)
            return
        self.report.recomputed += done.moved
        for item in done.unreadable:
            self._unreadable(item)
        for left in done.left:
            self._left(left)

    def _pages(self, shard: int, read: Callable[[object], Page]) -> Iterator[Page]:
        after: object = None
        while self._time_left():
            try:
                page = read(after)
            except PlaybooksError as error:
                self._fault("query_failed", error, shard=shard)
                return
            if page.schedules or page.runs or page.notices:
                yield page
            after = page.after
            if after is None:
                return

    def _time_left(self) -> bool:
        return self.deps.clock.now() - self.now < self.deps.budget

    def _moves(self, due: Sequence[DueSchedule]) -> list[ScheduleMove]:
        self._read_people(due)
        moves = []
        for item in due:
            if item.schedule is None or item.playbook is None:
                self._unreadable(item)
                continue
            try:
                move = self._move(item, item.schedule, item.playbook)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with one schedule, the others go on
                self._fault("undecided_schedule", error, playbook=item.ref.playbook)
                continue
            if move is not None:
                moves.append(move)
        return moves

    def _move(self, item: DueSchedule, schedule: Schedule, playbook: Playbook) -> ScheduleMove | None:
        if schedule.next is None or not _is_due(schedule, self.now):
            return None  # the index was stale
        late = int((self.now - schedule.next.instant).total_seconds())
        self.report.oldest_due_seconds = max(self.report.oldest_due_seconds, late)
        return move_for(
            decide(schedule, self.now, self._check(item, playbook)), schedule, playbook, item.definition, self.now
        )

    def _read_people(self, due: Sequence[DueSchedule]) -> None:
        wanted: dict[TenantId, set[UserId]] = defaultdict(set)
        for item in due:
            if item.playbook is not None and (item.playbook.tenant, item.playbook.owner) not in self.people:
                wanted[item.playbook.tenant].add(item.playbook.owner)
        for tenant, users in wanted.items():
            try:
                found = self.deps.directory.people(tenant, users)
                self.people |= {(tenant, user): found.get(user) for user in users}
            except PlaybooksError:
                self.people |= {(tenant, user): self._person(tenant, user) for user in users}

    def _person(self, tenant: TenantId, user: UserId) -> Person | PlaybooksError | None:
        """One person alone, after a batch that failed: one item that cannot be read must not stop the others."""
        try:
            return self.deps.directory.people(tenant, [user]).get(user)
        except PlaybooksError as error:
            return error

    def _databases(self, tenant: TenantId) -> Mapping[str, RegisteredDatabase]:
        if tenant not in self.databases:
            self.databases[tenant] = {item.name: item for item in self.deps.workspace.databases(tenant)}
        return self.databases[tenant]

    def _check(self, item: DueSchedule, playbook: Playbook) -> PreRunCheck:
        previous = item.last_run
        open_ = previous is not None and previous.status in {RunStatus.QUEUED, RunStatus.RUNNING}
        switch_off: Reason | None = None
        steps = item.definition.steps if item.definition is not None else ()
        found = enablement.findings(steps)
        if found:
            switch_off = incomplete(found, playbook.language)
        person = self.people.get((playbook.tenant, playbook.owner))
        if isinstance(person, PlaybooksError):
            raise person
        block = person_problem(person, playbook.language)
        if block is None and person is not None and item.definition is not None:
            asks = any(step.kind is StepKind.QUERY_DATABASE for step in steps)
            block = grant_problem(
                item.definition, person, self._databases(playbook.tenant) if asks else {}, playbook.language
            )
        return PreRunCheck(previous_over=not open_, block=block, switch_off=switch_off)

    def _commit(self, moves: Sequence[ScheduleMove]) -> Sequence[ScheduleMove]:
        """Commit, then ring and tell; the moves that were committed."""
        committed = commit_moves(self.deps.schedules, moves, pause=self.deps.pause, time_left=self._time_left)
        self.report.lost += committed.lost
        for left in committed.left:
            self._left(left)
        # Only now, after the commit: a bell or a push before it could name a run that never was.
        claimed = [move.run for move in committed.done if move.run is not None and not move.run.status.over]
        self._doorbell(claimed)
        for move in committed.done:
            self._count(move)
            if move.notice is not None and self._time_left():
                self._send(NoticeRef(move.ref.tenant, move.notice.run, move.notice.playbook, move.notice.id))
        return committed.done

    def _count(self, move: ScheduleMove) -> None:
        if move.playbook is not None:
            self.report.switched_off += 1
            self.deps.telemetry.count("PlaybooksTurnedOff")
            return
        match move.run.status if move.run is not None else None:
            case RunStatus.QUEUED:
                self.report.claimed += 1
                self.deps.telemetry.count("OccurrencesClaimed")
            case RunStatus.SKIPPED:
                self.report.skipped += 1
                self.deps.telemetry.count("OccurrencesSkipped")
            case RunStatus.BLOCKED:
                self.report.blocked += 1
                self.deps.telemetry.count("OccurrencesBlocked")
            case _:
                pass

    def _ring(self, runs: Sequence[Run]) -> None:
        ringing = []
        for run in runs:
            if run.status.over or run.wake_at is None or run.wake_at > self.now or not self._time_left():
                continue
            try:
                if (code := overdue(run, self.now)) is not None:
                    self._expire(run, code)
                elif self.deps.runs.ring(run, rung(run, self.now)):
                    ringing.append(run)
            except PlaybooksError as error:
                self._fault("wake_failed", error, run=run.id)
        self._doorbell(ringing)
        self.report.rung += len(ringing)

    def _expire(self, run: Run, code: str) -> None:
        ended = end(run, RunStatus.FAILED, reason_text(code, run.language), self.now, code)
        notice = ended_notice(ended)
        if self.deps.runs.expire(run, ended, notice):
            self.report.expired += 1
            self.deps.telemetry.event("run_expired", run=run.id, reason=code)
            self.deps.telemetry.count("RunsFailed")
            if notice is not None:
                self._send(NoticeRef(run.tenant, run.id, None, notice.id))

    def _doorbell(self, runs: Sequence[Run]) -> None:
        if not runs:
            return
        named: list[tuple[TenantId, RunId, RunKind]] = [(run.tenant, run.id, run.kind) for run in runs]
        try:
            unsent = self.deps.doorbell.ring(named)
        except PlaybooksError as error:
            self._fault("ring_failed", error, count=len(named), runs=_first_ids(run for _, run, _ in named))
            return
        if unsent:
            runs_unsent = _first_ids(run for _, run in unsent)
            self.deps.telemetry.event("rings_unsent", count=len(unsent), runs=runs_unsent)
            self.deps.telemetry.count("RingsUnsent", len(unsent))

    def _send(self, ref: NoticeRef) -> None:
        try:
            if self.deps.notifier.send(ref):
                self.report.notices += 1
        except PlaybooksError as error:
            self._fault("notice_failed", error, notice=ref.id, run=ref.run, playbook=ref.playbook)

    def _unreadable(self, item: DueSchedule) -> None:
        if item.ref in self.named:
            return
        self.named.add(item.ref)
        self.report.faults += 1
        self.deps.telemetry.event("unreadable_schedule", playbook=item.ref.playbook, problem=item.problem)
        self.deps.telemetry.count("ItemsUnreadable")

    def _left(self, left: Left) -> None:
        self.report.faults += 1
        self.deps.telemetry.event("move_left", playbook=left.move.ref.playbook, detail=left.detail)
        self.deps.telemetry.count("ClaimsFailed")

    def _fault(self, name: str, error: Exception, **fields: str | int | None) -> None:
        self.report.faults += 1
        self.deps.telemetry.fault(name, error, **fields)


def _is_due(schedule: Schedule, now: datetime) -> bool:
    return schedule.next is not None and schedule.next.instant <= now


def _first_ids(runs: Iterable[RunId]) -> str:
    """The first runs by name: a log line has an end, and the tick comes back to all of them."""
    return " ".join(islice(runs, NAMED))
