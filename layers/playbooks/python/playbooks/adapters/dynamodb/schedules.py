"""The schedules: what is due, and the transaction that claims, skips, blocks or switches off."""

from collections.abc import Sequence
from datetime import datetime

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import instant
from playbooks.adapters.dynamodb.items import (
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
    THERE,
    WAKE,
    Item,
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
from playbooks.errors import PlaybooksError
from playbooks.ports.stores import (
    DueSchedule,
    GroupFault,
    GroupRefusal,
    MoveRefusal,
    Page,
    ScheduleMove,
    ScheduleRef,
)

PAGE = 300


class DynamoSchedules:
    """`ScheduleStore` on the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def due(self, shard: int, until: datetime, after: object = None) -> Page:
        items, more = self._table.query(
            keys.due_shard(shard), index=WAKE, up_to=instant(until) + "~", limit=PAGE, start=after
        )
        refs = [keys.parse_schedule(str(item["PK"])) for item in items]
        return Page(schedules=tuple(ref for ref in refs if ref is not None), after=more)

    def load_due(self, refs: Sequence[ScheduleRef]) -> Sequence[DueSchedule]:
        wanted = [key(ref.tenant, ref.playbook) for ref in refs for key in (keys.schedule, keys.playbook)]
        found = self._table.batch_get(wanted)
        last_runs = {
            ref: keys.run(ref.tenant, RunId(str(item["last_run"])))
            for ref in refs
            if (item := found.get(keys.schedule(ref.tenant, ref.playbook))) is not None and item.get("last_run")
        }
        definitions = {
            ref: keys.definition(ref.tenant, ref.playbook, version)
            for ref in refs
            if (item := found.get(keys.playbook(ref.tenant, ref.playbook))) is not None
            and isinstance(version := item.get("definition_version"), int)
        }
        found |= self._table.batch_get([*last_runs.values(), *definitions.values()])
        return [
            _due_schedule(
                ref,
                found.get(keys.schedule(ref.tenant, ref.playbook)),
                found.get(keys.playbook(ref.tenant, ref.playbook)),
                found.get(definitions[ref]) if ref in definitions else None,
                found.get(last_runs[ref]) if ref in last_runs else None,
            )
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
        except TransactionRefused as refused:
            return _refusal(refused, owners, len(moves))
        return None


def _due_schedule(
    ref: ScheduleRef, schedule: Item | None, playbook: Item | None, definition: Item | None, run: Item | None
) -> DueSchedule:
    if schedule is None or playbook is None:
        return DueSchedule(ref, problem="the schedule or its playbook is gone")
    try:
        return DueSchedule(
            ref,
            read_schedule(schedule),
            read_playbook(playbook),
            read_definition(definition) if definition is not None else None,
            read_run(run) if run is not None else None,
        )
    except PlaybooksError as error:
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
        switched: dict[str, object] = {"state": PlaybookState.OFF.value, "off_reason": move.off_reason}
        if move.playbook.off_at is not None:
            switched["off_at"] = instant(move.playbook.off_at)
        writes.append(
            ("playbook", Update(keys.playbook(ref.tenant, ref.playbook), switched, add={"rev": 1}, condition=THERE))
        )
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
