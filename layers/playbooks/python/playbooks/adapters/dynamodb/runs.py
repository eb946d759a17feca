"""The runs: found, leased, rung and ended."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import instant, unpack
from playbooks.adapters.dynamodb.items import lease_until, read_run, run_item, text_or_missing
from playbooks.adapters.dynamodb.operations import (
    NEW,
    RUNS,
    WAKE,
    AllOf,
    Condition,
    Equals,
    Item,
    Less,
    OneOf,
    Put,
    Table,
    Update,
)
from playbooks.adapters.dynamodb.run_commits import OPEN, RunTransactions
from playbooks.adapters.dynamodb.writing import Pause, write_one
from playbooks.domain.ids import PlaybookId, RunId, TenantId
from playbooks.domain.notice import Notice
from playbooks.domain.run import CLOCK_SKEW, Run, RunStatus
from playbooks.errors import Unavailable
from playbooks.ports.stores.faults import CorruptItem
from playbooks.ports.stores.runs import Checkpoint, OutsideCall, RunCommit, StepResult
from playbooks.ports.stores.wake_index import Page

PAGE = 300
_TAKEABLE = OneOf("status", (RunStatus.QUEUED.value, RunStatus.RUNNING.value))


class DynamoRuns:
    """`RunStore` on the table."""

    def __init__(self, table: Table, pause: Pause, report: Callable[[CorruptItem], None] = lambda _error: None) -> None:
        self._table = table
        self._pause = pause
        self._report = report
        self._transactions = RunTransactions(table, pause)

    def run(self, tenant: TenantId, run: RunId) -> Run | None:
        stored = self._table.get(keys.run(tenant, run))
        return read_run(stored) if stored is not None else None

    def load(self, refs: Sequence[tuple[TenantId, RunId]]) -> Mapping[RunId, Run]:
        found = self._table.batch_get([keys.run(tenant, run) for tenant, run in refs])
        return {run.id: run for run in self._readable(found.values())}

    def create(self, run: Run) -> bool:
        return write_one(self._table, Put(run_item(run), NEW), self._pause) is None

    def lease(self, seen: Run, leased: Run, now: datetime) -> bool:
        # As it was seen, for a late save of the worker before may have moved the run since. An absent `lease_until`
        # makes both comparisons false: a run without one is not free.
        free: Condition = AllOf(
            (
                _TAKEABLE,
                Equals("fence", seen.lease.fence),
                Equals("lease_until", lease_until(seen)),
                Less("lease_until", instant(now - CLOCK_SKEW)),
            )
        )
        try:
            failed = write_one(self._table, Put(run_item(leased), free), self._pause)
        except Unavailable:
            if _holds(self._table.get(keys.run(leased.tenant, leased.id)), leased):
                return True
            raise
        return failed is None or _holds(failed.item, leased)

    def commit(self, commit: RunCommit) -> None:
        self._transactions.commit(commit)

    def cancel(self, run: Run) -> bool:
        for _ in range(5):
            seen = self.run(run.tenant, run.id)
            if seen is None or seen.status.over or seen.lease.fence != run.lease.fence - 1:
                return False
            # What was done and what it cost since the caller looked stays in the row.
            ended = replace(
                seen,
                status=run.status,
                reason=run.reason,
                reason_code=run.reason_code,
                ended_at=run.ended_at,
                wake_at=None,
                lease=run.lease,
            )
            if self._transactions.end(seen, ended, None):
                return True
        return False

    def ring(self, seen: Run, rung: Run) -> bool:
        assert rung.wake_at is not None
        change: dict[str, object] = {
            "wake_at": instant(rung.wake_at),
            "rings": rung.rings,
            **keys.work_wake(seen.tenant, seen.id, keys.META, instant(rung.wake_at)),
        }
        as_seen = AllOf((OPEN, text_or_missing("wake_at", seen.wake_at), Equals("fence", seen.lease.fence)))
        return (
            write_one(self._table, Update(keys.run(seen.tenant, seen.id), change, condition=as_seen), self._pause)
            is None
        )

    def expire(self, seen: Run, ended: Run, notice: Notice | None) -> bool:
        return self._transactions.end(seen, ended, notice)

    def steps(self, tenant: TenantId, run: RunId) -> Sequence[StepResult]:
        found, _ = self._table.query(keys.run_partition(tenant, run), prefix=keys.STEPS)
        return [unpack(StepResult, stored) for stored in found]

    def checkpoints(self, tenant: TenantId, run: RunId, step: int) -> Sequence[Checkpoint]:
        found, _ = self._table.query(keys.run_partition(tenant, run), prefix=keys.checkpoints(step))
        return [unpack(Checkpoint, stored) for stored in found]

    def call(self, tenant: TenantId, run: RunId, step: int, call_id: str) -> OutsideCall | None:
        stored = self._table.get(keys.call(tenant, run, step, call_id))
        return unpack(OutsideCall, stored) if stored is not None else None

    def of_playbook(
        self, tenant: TenantId, playbook: PlaybookId, limit: int, after: str | None = None
    ) -> tuple[Sequence[Run], str | None]:
        partition = keys.runs_of_playbook(tenant, playbook)
        start: object = None
        if after is not None:
            sort, run_id = after, RunId(after.rpartition("#")[2])
            key = keys.run(tenant, run_id)
            start = self._table.index_start(RUNS, partition, sort, key)
        found, more = self._table.query(partition, index=RUNS, descending=True, limit=limit, start=start)
        wanted = [(str(stored["PK"]), str(stored["SK"])) for stored in found]
        items = self._table.batch_get(wanted) if wanted else {}
        runs = list(self._readable(items[key] for key in wanted if key in items))
        return runs, str(found[-1]["runs_sk"]) if more is not None else None

    def _readable(self, items: Iterable[Item]) -> Iterator[Run]:
        """The runs of the items; one that cannot be read is named and the others go on."""
        for stored in items:
            try:
                yield read_run(stored)
            except CorruptItem as error:
                self._report(error)

    def due_work(self, shard: int, until: datetime, after: object = None) -> Page:
        found, more = self._table.query(
            keys.work_shard(shard), index=WAKE, up_to=instant(until) + "~", limit=PAGE, start=after
        )
        named = [keys.parse_work((str(stored["PK"]), str(stored["SK"]))) for stored in found]
        return Page(
            runs=tuple(name for name in named if isinstance(name, tuple)),
            notices=tuple(name for name in named if name is not None and not isinstance(name, tuple)),
            after=more,
        )


def _holds(stored: Mapping[str, object] | None, leased: Run) -> bool:
    """The stored run has this very lease: the answer was lost, not the write."""
    return stored is not None and stored.get("lease_id") == leased.lease.id
