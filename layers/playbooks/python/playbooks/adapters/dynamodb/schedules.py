"""The schedules: what is due, and the transaction that claims, skips, blocks or switches off."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import instant, pack, unpack
from playbooks.adapters.dynamodb.items import (
    item,
    notice_item,
    read_definition,
    read_playbook,
    read_run,
    read_schedule,
    run_item,
    schedule_as_seen,
    schedule_item,
)
from playbooks.adapters.dynamodb.operations import (
    NEW,
    WAKE,
    AllOf,
    ConditionFailed,
    Equals,
    Item,
    Key,
    Missing,
    Put,
    Table,
    Throttled,
    TransactionRefused,
    Update,
    Write,
)
from playbooks.adapters.dynamodb.writing import CONDITION, TRANSIENT
from playbooks.domain.ids import RunId
from playbooks.domain.playbook import PlaybookState
from playbooks.errors import PlaybooksError, Unavailable
from playbooks.ports.stores.faults import CorruptItem
from playbooks.ports.stores.schedules import (
    DueSchedule,
    GroupFault,
    GroupRefusal,
    MoveRefusal,
    ScheduleMove,
    ZoneProgress,
)
from playbooks.ports.stores.wake_index import Page, ScheduleRef

PAGE = 300
ZONES_PAGE = 1_000
"""A page of the recomputation: schedules only are read, and written only where an instant moved."""


class DynamoSchedules:
    """`ScheduleStore` on the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def due(self, shard: int, until: datetime, after: object = None) -> Page:
        items, more = self._table.query(
            keys.due_shard(shard), index=WAKE, up_to=instant(until) + "~", limit=PAGE, start=after
        )
        refs = [keys.parse_schedule(str(found["PK"])) for found in items]
        return Page(schedules=tuple(ref for ref in refs if ref is not None), after=more)

    def load_due(self, refs: Sequence[ScheduleRef]) -> Sequence[DueSchedule]:
        wanted = [key(ref.tenant, ref.playbook) for ref in refs for key in (keys.schedule, keys.playbook)]
        found = self._table.batch_get(wanted)
        more: dict[ScheduleRef, dict[str, Key]] = {}
        problems: dict[ScheduleRef, str] = {}
        for ref in refs:
            try:
                more[ref] = _further_keys(ref, found)
            except PlaybooksError as error:
                problems[ref] = error.message
        found |= self._table.batch_get([key for further in more.values() for key in further.values()])
        return [
            DueSchedule(ref, problem=problems[ref]) if ref in problems else _due_schedule(ref, found, more[ref])
            for ref in refs
        ]

    def commit(self, moves: Sequence[ScheduleMove]) -> GroupRefusal | None:
        writes: list[Write] = []
        owners: list[tuple[int, str]] = []
        for number, move in enumerate(moves):
            for part, write in _writes(move):
                writes.append(write)
                owners.append((number, part))
        held = tuple(MoveRefusal.HELD for _ in moves)
        try:
            self._table.transact(writes)
        except Throttled as error:
            return GroupRefusal(GroupFault.THROTTLED, held, error.message)
        except Unavailable as error:
            return GroupRefusal(GroupFault.UNANSWERED, held, error.message)
        except TransactionRefused as refused:
            return _refusal(refused, owners, len(moves))
        return None

    def scheduled(self, shard: int, after: str) -> tuple[Sequence[DueSchedule], str]:
        partition = keys.due_shard(shard)
        start: object = None
        if after and (last := keys.parse_schedule_wake(after)) is not None:
            start = self._table.index_start(WAKE, partition, after, keys.schedule(last.tenant, last.playbook))
        items, more = self._table.query(partition, index=WAKE, limit=ZONES_PAGE, start=start)
        refs = [ref for entry in items if (ref := keys.parse_schedule(str(entry["PK"]))) is not None]
        found = self._table.batch_get([keys.schedule(ref.tenant, ref.playbook) for ref in refs])
        page = []
        for ref in refs:
            stored = found.get(keys.schedule(ref.tenant, ref.playbook))
            if stored is None:
                continue
            try:
                page.append(DueSchedule(ref, read_schedule(stored)))
            except CorruptItem as error:
                page.append(DueSchedule(ref, problem=error.message))
        return page, str(items[-1]["wake_sk"]) if more is not None else ""

    def zones(self) -> ZoneProgress:
        stored = self._table.get(keys.ZONES)
        return ZoneProgress() if stored is None else unpack(ZoneProgress, stored)

    def save_zones(self, seen: ZoneProgress, after: ZoneProgress) -> bool:
        as_seen = AllOf(
            tuple(Equals(name, value) if value else Missing(name) for name, value in _zone_attributes(seen).items())
        )
        try:
            self._table.write(Put(item(keys.ZONES, pack(after)), as_seen))
        except ConditionFailed:
            return False
        return True


def _zone_attributes(progress: ZoneProgress) -> dict[str, object]:
    return {"version": progress.version, "shard": progress.shard, "after": progress.after}


def _further_keys(ref: ScheduleRef, found: Mapping[Key, Item]) -> dict[str, Key]:
    """What the schedule and the playbook point to. An id that is none is the item's fault, and only its own."""
    further: dict[str, Key] = {}
    schedule = found.get(keys.schedule(ref.tenant, ref.playbook), {})
    playbook = found.get(keys.playbook(ref.tenant, ref.playbook), {})
    if last_run := schedule.get("last_run"):
        further["run"] = keys.run(ref.tenant, RunId(str(last_run)))
    if isinstance(version := playbook.get("definition_version"), int):
        further["definition"] = keys.definition(ref.tenant, ref.playbook, version)
    return further


def _due_schedule(ref: ScheduleRef, found: Mapping[Key, Item], further: Mapping[str, Key]) -> DueSchedule:
    schedule = found.get(keys.schedule(ref.tenant, ref.playbook))
    playbook = found.get(keys.playbook(ref.tenant, ref.playbook))
    if schedule is None or playbook is None:
        return DueSchedule(ref, problem="the schedule or its playbook is gone")
    definition = found.get(further["definition"]) if "definition" in further else None
    run = found.get(further["run"]) if "run" in further else None
    try:
        return DueSchedule(
            ref,
            read_schedule(schedule),
            read_playbook(playbook),
            read_definition(definition) if definition is not None else None,
            read_run(run) if run is not None else None,
        )
    except CorruptItem as error:
        return DueSchedule(ref, problem=error.message)


def _writes(move: ScheduleMove) -> list[tuple[str, Write]]:
    ref = move.ref
    writes: list[tuple[str, Write]] = [
        ("schedule", Put(schedule_item(ref.tenant, ref.playbook, move.after), schedule_as_seen(move.seen)))
    ]
    if move.run is not None:
        writes.append(("run", Put(run_item(move.run), NEW)))
    if move.notice is not None:
        writes.append(("notice", Put(notice_item(move.notice))))
    if move.playbook is not None:
        switched: dict[str, object] = {
            "state": PlaybookState.OFF.value,
            "off_reason": move.off_reason,
            "rev": move.playbook.rev,
        }
        if move.playbook.off_at is not None:
            switched["off_at"] = instant(move.playbook.off_at)
        # What was wrong may have been mended since it was read: then the playbook is at another revision.
        as_read = Equals("rev", move.playbook.rev - 1)
        writes.append(("playbook", Update(keys.playbook(ref.tenant, ref.playbook), switched, condition=as_read)))
    return writes


def _refusal(refused: TransactionRefused, owners: Sequence[tuple[int, str]], count: int) -> GroupRefusal:
    moves = [MoveRefusal.HELD] * count
    if not refused.reasons:
        return GroupRefusal(GroupFault.INVALID, tuple(moves), refused.message)
    for reason, (number, part) in zip(refused.reasons, owners, strict=True):
        if reason is None or moves[number] is MoveRefusal.SCHEDULE_MOVED:
            continue
        if reason == CONDITION and part == "schedule":
            moves[number] = MoveRefusal.SCHEDULE_MOVED
        elif reason == CONDITION and part == "run":
            moves[number] = MoveRefusal.RUN_EXISTS
        elif reason in TRANSIENT:
            continue  # a conflict is not a loss: the move itself may hold and goes again
        else:
            moves[number] = MoveRefusal.OTHER
    reasons = {reason for reason in refused.reasons if reason is not None}
    if CONDITION in reasons:
        fault = GroupFault.CONDITION
    elif "TransactionConflict" in reasons:
        fault = GroupFault.CONFLICT
    elif reasons <= TRANSIENT:
        fault = GroupFault.THROTTLED
    else:
        fault = GroupFault.INVALID
    return GroupRefusal(fault, tuple(moves), refused.message)
