"""The runs: leases, fences, and the one transaction that a step ends with."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import instant, pack, unpack
from playbooks.adapters.dynamodb.items import item, notice_item, read_run, run_item, text_or_missing
from playbooks.adapters.dynamodb.operations import (
    NEW,
    RUNS,
    WAKE,
    AllOf,
    Condition,
    ConditionFailed,
    Equals,
    Less,
    OneOf,
    Put,
    Table,
    Throttled,
    Update,
    Write,
)
from playbooks.adapters.dynamodb.playbooks import creation_writes, read_recent, recent_write, saved_query_item
from playbooks.adapters.dynamodb.writing import CONDITION, Pause, transact
from playbooks.domain.ids import PlaybookId, RunId, TenantId
from playbooks.domain.notice import Notice
from playbooks.domain.playbook import RecentEnd
from playbooks.domain.run import CLOCK_SKEW, Run, RunStatus
from playbooks.ports.stores import (
    Checkpoint,
    CorruptItem,
    LeaseLost,
    Page,
    RunCommit,
    SavedQueryChange,
    StepResult,
    StoreBusy,
)

PAGE = 300
CHECKPOINTS_KEPT_DAYS = 30
_OPEN = OneOf("status", tuple(status.value for status in RunStatus if not status.over))
_TAKEABLE = OneOf("status", (RunStatus.QUEUED.value, RunStatus.RUNNING.value))
_DROPPABLE = frozenset({"saved_query", "recent"})


class DynamoRuns:
    """`RunStore` on the table."""

    def __init__(self, table: Table, pause: Pause, report: Callable[[CorruptItem], None] = lambda _error: None) -> None:
        self._table = table
        self._pause = pause
        self._report = report

    def run(self, tenant: TenantId, run: RunId) -> Run | None:
        stored = self._table.get(keys.run(tenant, run))
        return read_run(stored) if stored is not None else None

    def load(self, refs: Sequence[tuple[TenantId, RunId]]) -> Mapping[RunId, Run]:
        found = self._table.batch_get([keys.run(tenant, run) for tenant, run in refs])
        runs: dict[RunId, Run] = {}
        for stored in found.values():
            try:
                run = read_run(stored)
            except CorruptItem as error:
                self._report(error)
            else:
                runs[run.id] = run
        return runs

    def create(self, run: Run) -> bool:
        return self._write(Put(run_item(run), NEW)) is None

    def lease(self, seen: Run, leased: Run, now: datetime) -> bool:
        free: Condition = AllOf(
            (_TAKEABLE, Equals("fence", seen.lease.fence), Less("lease_until", instant(now - CLOCK_SKEW)))
        )
        failed = self._write(Put(run_item(leased), free))
        return failed is None or (failed.item is not None and failed.item.get("lease_id") == leased.lease.id)

    def commit(self, commit: RunCommit) -> None:
        write_id = uuid.uuid4().hex
        parts = self._parts(commit, write_id)
        for _ in range(5):
            reasons = transact(self._table, [write for _, write in parts], self._pause)
            if reasons is None:
                return
            refused = {name for (name, _), reason in zip(parts, reasons, strict=True) if reason == CONDITION}
            if "run" in refused or "created" in refused:
                stored = self._table.get(keys.run(commit.run.tenant, commit.run.id))
                if stored is not None and stored.get("write_id") == write_id:
                    return
                raise LeaseLost("Another worker owns the run now, or it is over.")
            parts = [part for part in parts if part[0] not in refused & _DROPPABLE]
            if "recent" in refused:
                parts += self._recent(commit.run)
        raise StoreBusy("The run's playbook changed at every try; the step is saved at the next ring.")

    def cancel(self, run: Run) -> bool:
        before = run.lease.fence - 1
        return self._write(Put(run_item(run), AllOf((_OPEN, Equals("fence", before))))) is None

    def ring(self, seen: Run, rung: Run) -> bool:
        assert rung.wake_at is not None
        change: dict[str, object] = {
            "wake_at": instant(rung.wake_at),
            "rings": rung.rings,
            **keys.work_wake(seen.tenant, seen.id, keys.META, instant(rung.wake_at)),
        }
        as_seen = AllOf((_OPEN, text_or_missing("wake_at", seen.wake_at), Equals("fence", seen.lease.fence)))
        return self._write(Update(keys.run(seen.tenant, seen.id), change, condition=as_seen)) is None

    def expire(self, seen: Run, ended: Run, notice: Notice | None) -> bool:
        as_seen = AllOf((_OPEN, text_or_missing("wake_at", seen.wake_at), Equals("fence", seen.lease.fence)))
        writes: list[Write] = [Put(run_item(ended), as_seen)]
        if notice is not None:
            writes.append(Put(notice_item(notice)))
        if ended.playbook is not None:
            writes += [write for _, write in self._recent(ended)]
        return transact(self._table, writes, self._pause) is None

    def steps(self, tenant: TenantId, run: RunId) -> Sequence[StepResult]:
        found, _ = self._table.query(keys.run_partition(tenant, run), prefix=keys.STEPS)
        return [unpack(StepResult, stored) for stored in found]

    def checkpoints(self, tenant: TenantId, run: RunId, step: int) -> Sequence[Checkpoint]:
        found, _ = self._table.query(keys.run_partition(tenant, run), prefix=keys.checkpoints(step))
        return [unpack(Checkpoint, stored) for stored in found]

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
        runs = [read_run(items[key]) for key in wanted if key in items]
        return runs, str(found[-1]["runs_sk"]) if more is not None else None

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

    def _write(self, write: Write) -> ConditionFailed | None:
        for attempt in range(8):
            try:
                self._table.write(write)
            except ConditionFailed as failed:
                return failed
            except Throttled:
                self._pause(attempt)
            else:
                return None
        raise StoreBusy("The table did not take the write after several tries; it is tried again within a minute.")

    def _parts(self, commit: RunCommit, write_id: str) -> list[tuple[str, Write]]:
        run = commit.run
        mine = AllOf((_OPEN, Equals("fence", commit.held.fence), Equals("lease_id", commit.held.id)))
        parts: list[tuple[str, Write]] = [("run", Put(run_item(run, write_id=write_id), mine))]
        if (checkpoint := commit.checkpoint) is not None:
            key = keys.checkpoint(run.tenant, run.id, checkpoint.step, checkpoint.number)
            expires = int(run.created_at.timestamp()) + CHECKPOINTS_KEPT_DAYS * 86_400
            parts.append(("checkpoint", Put(item(key, {**pack(checkpoint), "expires_at": expires}))))
        if (step := commit.step) is not None:
            parts.append(("step", Put(item(keys.step(run.tenant, run.id, step.step), pack(step)))))
        if commit.saved_query is not None and run.playbook is not None:
            parts.append(("saved_query", _saved_query_write(run.tenant, run.playbook, commit.saved_query)))
        if commit.notice is not None:
            parts.append(("notice", Put(notice_item(commit.notice))))
        if commit.created is not None:
            parts += [("created", write) for write in creation_writes(commit.created)]
        if run.status.over:
            parts.append(("usage", _usage_write(run)))
            if run.playbook is not None:
                parts += self._recent(run)
        return parts

    def _recent(self, run: Run) -> list[tuple[str, Write]]:
        assert run.playbook is not None
        stored = self._table.get(keys.playbook(run.tenant, run.playbook))
        if stored is None or run.ended_at is None:
            return []
        recent = (*read_recent(stored), RecentEnd(run.id, run.status.value, run.ended_at))
        return [("recent", recent_write(run.tenant, run.playbook, stored, recent))]


def _saved_query_write(tenant: TenantId, playbook: PlaybookId, change: SavedQueryChange) -> Write:
    as_read: Condition = NEW if change.seen_version is None else Equals("version", change.seen_version)
    return Put(saved_query_item(tenant, playbook, change.step_id, change.query), as_read)


def _usage_write(run: Run) -> Write:
    assert run.ended_at is not None
    added: dict[str, Any] = {
        "runs": 1,
        "input_tokens": run.usage.input_tokens,
        "output_tokens": run.usage.output_tokens,
    }
    return Update(keys.usage(run.tenant, run.run_as, f"{run.ended_at:%Y-%m}"), {"v": 1}, add=added)
