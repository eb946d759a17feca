"""The store of schedules, and the groups of decisions that a tick commits to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from playbooks.domain.notice import Notice
from playbooks.domain.playbook import Definition, Playbook
from playbooks.domain.run import Run
from playbooks.domain.schedule import Schedule
from playbooks.ports.stores.wake_index import SHARDS, Page, ScheduleRef


@dataclass(frozen=True, slots=True)
class DueSchedule:
    """What the claim decision needs, read in a batch. A part that is missing or unreadable says so in `problem`."""

    ref: ScheduleRef
    schedule: Schedule | None = None
    playbook: Playbook | None = None
    definition: Definition | None = None
    last_run: Run | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ZoneProgress:
    """How far the recomputation under a version of the zone data has come.

    `after` is the place in the shard, as the store understands it; `shard` is SHARDS when all are done.
    """

    version: str = ""
    shard: int = 0
    after: str = ""

    @property
    def over(self) -> bool:
        """Every schedule that was on has been looked at."""
        return self.shard >= SHARDS


@dataclass(frozen=True, slots=True)
class ScheduleMove:
    """One decision to commit: the schedule moves on from what was seen, and a run is created with it.

    A claim's run is queued; a skip's or block's is born over and has a notice. `playbook` is switched off with
    `off_reason`: the run is the row of the occurrence that was not begun, the notice is the playbook's.
    """

    ref: ScheduleRef
    seen: Schedule
    after: Schedule
    run: Run | None = None
    notice: Notice | None = None
    playbook: Playbook | None = None
    off_reason: str = ""

    @property
    def items(self) -> int:
        """How many items of a transaction the move takes (100 is DynamoDB's limit)."""
        return 1 + (self.run is not None) + (self.notice is not None) + (self.playbook is not None)


class MoveRefusal(StrEnum):
    """Why a move of a refused group did not hold. HELD ones were fine themselves and may go again."""

    HELD = "held"
    SCHEDULE_MOVED = "schedule_moved"
    RUN_EXISTS = "run_exists"
    OTHER = "other"


class GroupFault(StrEnum):
    """Why a whole group was refused. After UNANSWERED nobody knows whether it was written: asking again tells."""

    CONDITION = "condition"
    CONFLICT = "conflict"
    THROTTLED = "throttled"
    UNANSWERED = "unanswered"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class GroupRefusal:
    """A refused group: nothing of it was written (unless UNANSWERED). `moves` has one entry a move, in order."""

    fault: GroupFault
    moves: tuple[MoveRefusal, ...]
    detail: str = ""


class ScheduleStore(Protocol):
    """Schedules, sharded by the time they are due."""

    def due(self, shard: int, until: datetime, after: object = None) -> Page:
        """One page of schedules due at `until` or before, earliest first."""
        ...

    def load_due(self, refs: Sequence[ScheduleRef]) -> Sequence[DueSchedule]:
        """The schedules with their playbooks and last runs, consistently read, in the order asked."""
        ...

    def commit(self, moves: Sequence[ScheduleMove]) -> GroupRefusal | None:
        """All moves in one transaction, or none and why. At most 100 items, no item twice."""
        ...

    def scheduled(self, shard: int, after: str) -> tuple[Sequence[DueSchedule], str]:
        """One page of the shard's schedules that are on, whenever due, without playbook and run; and where to go on.

        An empty place starts at the beginning; an empty place comes back at the end.
        """
        ...

    def zones(self) -> ZoneProgress:
        """How far the recomputation is; of no version when there was none yet."""
        ...

    def save_zones(self, seen: ZoneProgress, after: ZoneProgress) -> bool:
        """Write the progress if it is as seen; False when another tick was faster."""
        ...
