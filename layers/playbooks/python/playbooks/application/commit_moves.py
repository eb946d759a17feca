"""Commit many decisions in groups: a group sheds its losers and is tried again, until each has its answer."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from playbooks.application.claims import without_its_row
from playbooks.errors import PlaybooksError
from playbooks.ports.stores.schedules import GroupFault, GroupRefusal, MoveRefusal, ScheduleMove, ScheduleStore
from playbooks.ports.stores.wake_index import ScheduleRef

MAX_ITEMS = 100
MAX_ALONE = 6


@dataclass(frozen=True, slots=True)
class Left:
    """A move that was not committed and why; `transient` when the same move may pass in a minute."""

    move: ScheduleMove
    detail: str
    transient: bool = True


@dataclass
class Committed:
    """What became of the moves. `lost` were somebody else's; what is `left` is due again at the next tick."""

    done: list[ScheduleMove] = field(default_factory=list)
    lost: int = 0
    left: list[Left] = field(default_factory=list)


def grouped(moves: Iterable[ScheduleMove]) -> list[list[ScheduleMove]]:
    """Groups of at most 100 items, in order; a schedule that comes twice stays out the second time."""
    groups: list[list[ScheduleMove]] = []
    seen = set()
    size = MAX_ITEMS
    for move in moves:
        if move.ref in seen:
            continue
        seen.add(move.ref)
        if size + move.items > MAX_ITEMS:
            groups.append([])
            size = 0
        groups[-1].append(move)
        size += move.items
    return groups


def commit_moves(
    store: ScheduleStore,
    moves: Iterable[ScheduleMove],
    *,
    pause: Callable[[int], None],
    time_left: Callable[[], bool] = lambda: True,
) -> Committed:
    """Commit all, group by group. What is not committed when the time is over is due again at the next tick."""
    result = Committed()
    waiting = deque(grouped(moves))
    tries: dict[ScheduleRef, int] = {}
    while waiting:
        group = waiting.popleft()
        if not time_left():
            result.left += [Left(move, "the tick's time is over") for move in group]
            continue
        try:
            refusal = store.commit(group)
        except PlaybooksError as error:
            # The table refuses this request for good: the other groups are not to wait for it.
            refusal = GroupRefusal(GroupFault.INVALID, (), error.message)
        if refusal is None:
            result.done += group
        elif refusal.fault is GroupFault.CONDITION:
            again = _shed(group, refusal.moves, result)
            if again:
                waiting.append(again)
        elif len(group) > 1:
            half = len(group) // 2
            waiting += [group[:half], group[half:]]
        else:
            (alone,) = group
            tries[alone.ref] = tries.get(alone.ref, 0) + 1
            if refusal.fault is GroupFault.INVALID or tries[alone.ref] >= MAX_ALONE:
                result.left.append(Left(alone, refusal.detail, refusal.fault is not GroupFault.INVALID))
            else:
                pause(tries[alone.ref])
                waiting.append(group)
    return result


def _shed(group: Sequence[ScheduleMove], refusals: Sequence[MoveRefusal], result: Committed) -> list[ScheduleMove]:
    again: list[ScheduleMove] = []
    for move, refusal in zip(group, refusals, strict=True):
        match refusal:
            case MoveRefusal.SCHEDULE_MOVED:
                result.lost += 1
            case MoveRefusal.RUN_EXISTS:
                again.append(without_its_row(move))
            case MoveRefusal.HELD:
                again.append(move)
            case MoveRefusal.OTHER:
                result.left.append(Left(move, "a part of it was refused"))
    return again
