"""One execution of a playbook or of a conversion, and what an outcome of a step makes of it. Pure."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from playbooks.domain.ids import ConversationId, PlaybookId, RunId, TenantId, UserId
from playbooks.domain.usage import Usage

MAX_LEASES_WITHOUT_PROGRESS = 3
MAX_LEASES = 400
"""All leases of a run together: the last bound when each one saves something and none comes to an end."""
MAX_QUEUED = timedelta(hours=6)
MAX_RUNNING = timedelta(hours=6)
CLOCK_SKEW = timedelta(seconds=30)
FIRST_RING = timedelta(seconds=60)
MAX_RING = timedelta(hours=1)
MAX_PROGRESS = 300


class RunKind(StrEnum):
    """What asked for the run. A conversion is a run of one step without a playbook."""

    SCHEDULED = "scheduled"
    NOW = "now"
    TEST = "test"
    CONVERSION = "conversion"


class RunStatus(StrEnum):
    """Queued, running and waiting are open; the rest are ends. Skipped and blocked runs are born over."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    STOPPED = "stopped"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    BLOCKED = "blocked"

    @property
    def over(self) -> bool:
        """An end: nothing changes the run any more."""
        return self not in _OPEN


_OPEN = frozenset({RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING})


@dataclass(frozen=True, slots=True)
class Lease:
    """Which worker owns the run, until when, and the fence its commits carry."""

    id: str = ""
    until: datetime | None = None
    fence: int = 0
    without_progress: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it is stored. `wake_at` is when the next tick must look at it; None once it is over.

    `occurrence` is the nominal local time of the schedule (ISO, to the minute); `due` its instant.
    `count` is how many occurrences the row covers: more than one only for a skipped range.
    """

    tenant: TenantId
    id: RunId
    kind: RunKind
    status: RunStatus
    run_as: UserId
    title: str
    created_at: datetime
    playbook: PlaybookId | None = None
    conversation: ConversationId | None = None
    definition_version: int = 0
    step_count: int = 0
    cursor: int = 0
    reason: str = ""
    reason_code: str = ""
    due: datetime | None = None
    occurrence: str = ""
    zone: str = "UTC"
    count: int = 1
    late_seconds: int = 0
    language: str = "en"
    progress: str = ""
    lease: Lease = field(default_factory=Lease)
    rings: int = 0
    wake_at: datetime | None = None
    deadline: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    usage: Usage = field(default_factory=Usage)
    result: str = ""


class Outcome(StrEnum):
    """How a step ended. Stopped ends the run well, and only where the step may end it."""

    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What the worker of a step reports; `summary` is for a person and for later steps."""

    outcome: Outcome
    summary: str
    reason_code: str = ""


@dataclass(frozen=True, slots=True)
class NextStep:
    """Effect: ring for the next step, after the commit."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Effect: the run is over; its notice (none for a conversion or a test) is written in the same commit."""


Effect = NextStep | Ended


def decide(run: Run, outcome: StepOutcome, now: datetime) -> tuple[Run, Effect]:
    """The run after the outcome of its current step, and what has to follow the commit.

    A stopped outcome is trusted here: whether the step may end the run was checked where it was accepted.
    """
    match outcome.outcome:
        case Outcome.DONE if run.cursor + 1 < run.step_count:
            lease = replace(run.lease, id="", until=None, without_progress=0)
            moved = replace(run, cursor=run.cursor + 1, wake_at=now, lease=lease, rings=0, reason="")
            return moved, NextStep()
        case Outcome.DONE:
            return end(run, RunStatus.COMPLETED, outcome.summary, now), Ended()
        case Outcome.STOPPED:
            return end(run, RunStatus.STOPPED, outcome.summary, now), Ended()
        case Outcome.FAILED:
            failed = end(run, RunStatus.FAILED, outcome.summary, now, outcome.reason_code)
            return failed, Ended()


def end(run: Run, status: RunStatus, reason: str, now: datetime, reason_code: str = "") -> Run:
    """The run at an end: no wake key, no lease. A done or stopped last step counts as work done."""
    worked = status in {RunStatus.COMPLETED, RunStatus.STOPPED}
    return replace(
        run,
        status=status,
        reason=reason,
        reason_code=reason_code,
        cursor=run.cursor + 1 if worked else run.cursor,
        ended_at=now,
        wake_at=None,
        lease=replace(run.lease, id="", until=None),
    )


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """How long a worker may go without saving: every effect ends within `call_budget`, `margin` is for the save."""

    call_budget: timedelta = timedelta(seconds=240)
    margin: timedelta = timedelta(seconds=60)

    def until(self, now: datetime) -> datetime:
        """When a lease taken or moved now runs out."""
        return now + self.call_budget + self.margin


def wake_after_lease(lease_until: datetime) -> datetime:
    """When the tick looks at a leased run again: the lease and the possible clock skew are over by then."""
    return lease_until + CLOCK_SKEW + timedelta(seconds=1)


def gone_in_circles(run: Run) -> bool:
    """Whether a leased run has had too many leases: several in a row without a checkpoint, or very many at all."""
    return run.lease.without_progress > MAX_LEASES_WITHOUT_PROGRESS or run.lease.fence > MAX_LEASES


def is_free(run: Run, now: datetime) -> bool:
    """Whether a worker may take the run: no lease, or one that ran out by more than the clocks may differ."""
    if run.status not in {RunStatus.QUEUED, RunStatus.RUNNING}:
        return False
    return run.lease.until is None or run.lease.until < now - CLOCK_SKEW


def leased(run: Run, lease_id: str, now: datetime, times: LeaseTimes) -> Run:
    """The run owned by one more lease: fence + 1, and the deadline counted from the first one."""
    until = times.until(now)
    return replace(
        run,
        status=RunStatus.RUNNING,
        lease=Lease(lease_id, until, run.lease.fence + 1, run.lease.without_progress + 1),
        rings=0,
        wake_at=wake_after_lease(until),
        started_at=run.started_at or now,
        deadline=now + MAX_RUNNING if run.started_at is None else run.deadline,
    )


def renewed(run: Run, now: datetime, times: LeaseTimes) -> Run:
    """The run with its lease moved on though nothing came out yet: another effect of the same turn is to follow."""
    until = times.until(now)
    return replace(run, lease=replace(run.lease, until=until), wake_at=wake_after_lease(until))


def progressed(run: Run, now: datetime, times: LeaseTimes, *, usage: Usage, progress: str) -> Run:
    """The run after a checkpoint: the lease moves with each save, since there is no heartbeat."""
    until = times.until(now)
    return replace(
        run,
        lease=replace(run.lease, until=until, without_progress=0),
        wake_at=wake_after_lease(until),
        usage=usage,
        progress=progress[:MAX_PROGRESS] or run.progress,
    )


def handed_over(run: Run, at: datetime, reason: str = "") -> Run:
    """The run given back in mid-step, to be looked at again at `at`: time is nearly over, or something is away."""
    return replace(run, lease=replace(run.lease, id="", until=None), wake_at=at, rings=0, reason=reason)


def rung(run: Run, now: datetime) -> Run:
    """The run after its n-th ring: looked at again in 60 s · 2ⁿ, at most an hour (the ring at birth is the 0th)."""
    rings = run.rings + 1
    return replace(run, rings=rings, wake_at=now + min(FIRST_RING * 2 ** min(rings, 10), MAX_RING))


def overdue(run: Run, now: datetime) -> str | None:
    """Why the run is past its time, as a reason code, or None.

    A run that waits has only its approval's time, which is its `wake_at`: a person may take longer than a run may.
    """
    if run.status.over:
        return None
    if run.status is RunStatus.WAITING:
        return "approval_expired" if run.wake_at is not None and now >= run.wake_at else None
    if run.deadline is not None and now > run.deadline:
        return "deadline"
    if run.started_at is None and now > run.created_at + MAX_QUEUED:
        return "queued_too_long"
    return None
