"""Put schedules that are on under newer zone data: one page a tick, and the place kept for the next tick.

A schedule that is claimed, enabled or edited meanwhile is computed with the newer data anyway, so the walk need not
see it. An older program never takes the walk back: its version is not newer than what is stored.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from playbooks.application.commit_moves import Left, commit_moves
from playbooks.domain.recurrence import zone_data_version
from playbooks.domain.schedule import recompute
from playbooks.ports.stores.schedules import DueSchedule, ScheduleMove, ScheduleStore, ZoneProgress


@dataclass(frozen=True, slots=True)
class RecomputedPage:
    """What a page brought: how many schedules moved, what could not be read, what could not be written."""

    moved: int = 0
    unreadable: tuple[DueSchedule, ...] = ()
    left: tuple[Left, ...] = ()


def recompute_page(
    store: ScheduleStore, now: datetime, *, pause: Callable[[int], None], time_left: Callable[[], bool]
) -> RecomputedPage:
    """The next page that has a schedule in it; empty when all are done, or another program's data is newer.

    The place stays where it is while something may still be written in a minute.
    """
    seen = store.zones()
    version = zone_data_version()
    if version < seen.version or (version == seen.version and seen.over):
        return RecomputedPage()
    at = seen if seen.version == version else ZoneProgress(version)
    page: list[DueSchedule] = []
    while not at.over and not page:
        found, after = store.scheduled(at.shard, at.after)
        page = list(found)
        at = replace(at, after=after) if after else ZoneProgress(version, at.shard + 1)
    moves = []
    for item in page:
        if item.schedule is None:
            continue
        moved = recompute(item.schedule, now)
        if moved.next != item.schedule.next:
            moves.append(ScheduleMove(item.ref, item.schedule, moved))
    committed = commit_moves(store, moves, pause=pause, time_left=time_left)
    if not any(left.transient for left in committed.left):
        store.save_zones(seen, at)
    unreadable = tuple(item for item in page if item.schedule is None)
    return RecomputedPage(len(committed.done), unreadable, tuple(committed.left))
