"""What becomes of a schedule that is due: claimed, skipped, blocked or switched off. Decided purely, written once.

The caller commits `schedule_after` only if the stored schedule is still the one that was decided on, together with
the run (or the row that says why there is none), so the decision may be taken any number of times.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from playbooks.domain.recurrence import Occurrence, Rule, next_after
from playbooks.domain.schedule.state import Schedule, moved_on

GRACE = timedelta(minutes=10)
"""Misfire grace: exactly 10:00 late still runs, anything more does not."""

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an occurrence did not run: a stable code, and the sentence the owner reads."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class PreRunCheck:
    """What was found out about the playbook before the decision.

    `previous_over` is False while the run before is queued or running; one that waits for an approval is no
    obstacle. `block` keeps this occurrence from running (grant, approval or tool gone, person inactive).
    `switch_off` turns the playbook off (usage limit, definition that misses inputs).
    """

    previous_over: bool = True
    block: Reason | None = None
    switch_off: Reason | None = None


class SkipReason(StrEnum):
    """Why an occurrence was passed over."""

    LATE = "late"
    OVERLAP = "overlap"
    SWITCHED_OFF = "switched_off"
    """Its owner switched the playbook off when it was due and no scheduler had come to it."""


@dataclass(frozen=True, slots=True)
class NotDue:
    """Nothing to do: the schedule is off, over, or due later; the wake index was stale."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Run this occurrence. The caller sets `last_run` of `schedule_after` to the run it creates."""

    occurrence: Occurrence
    schedule_after: Schedule


@dataclass(frozen=True, slots=True)
class Skip:
    """Do not run `count` occurrences from `first` to `last`: one row and one notice for all of them.

    `lateness_seconds` is how late `first` is, in whole seconds, a begun one counted.
    """

    first: Occurrence
    last: Occurrence
    count: int
    reason: SkipReason
    lateness_seconds: int
    schedule_after: Schedule


@dataclass(frozen=True, slots=True)
class Block:
    """Do not run this occurrence, and tell the owner why; the playbook stays on."""

    occurrence: Occurrence
    reason: Reason
    schedule_after: Schedule


@dataclass(frozen=True, slots=True)
class SwitchOff:
    """Do not run, and turn the playbook off with this reason; `schedule_after` is never due."""

    occurrence: Occurrence
    reason: Reason
    schedule_after: Schedule


Decision = NotDue | Claim | Skip | Block | SwitchOff


def decide(schedule: Schedule, now: datetime, check: PreRunCheck) -> Decision:
    """The decision on a schedule at `now` (aware).

    Lateness comes first, because a late occurrence would not have run whatever the check says; then the run before,
    then what turns the playbook off, then what blocks only this occurrence.
    """
    due = schedule.next
    if due is None or due.instant > now:
        return NotDue()
    if is_late(due.instant, now):
        return _skip_late(schedule, due, now)
    following = _following(schedule.rule, due)
    after = moved_on(schedule, due, following)
    if not check.previous_over:
        return Skip(due, due, 1, SkipReason.OVERLAP, lateness_seconds(due.instant, now), after)
    if check.switch_off is not None:
        return SwitchOff(due, check.switch_off, moved_on(schedule, due, None))
    if check.block is not None:
        return Block(due, check.block, after)
    return Claim(due, after)


def skip_what_is_due(schedule: Schedule, now: datetime) -> Skip | None:
    """What is passed over when the owner switches off at `now`, or None when nothing is due; never due after it.

    Every occurrence that came while the playbook was on has its row, this one too.
    """
    due = schedule.next
    if due is None or due.instant > now:
        return None
    last, count, _ = _range(schedule.rule, due, lambda instant: instant <= now)
    lateness = lateness_seconds(due.instant, now)
    return Skip(due, last, count, SkipReason.SWITCHED_OFF, lateness, moved_on(schedule, last, None))


def is_late(due: datetime, now: datetime) -> bool:
    """Whether something due at `due` may no longer run at `now`."""
    return now - due > GRACE


def lateness_seconds(due: datetime, now: datetime) -> int:
    """How late `now` is in whole seconds, a begun one counted; 0 when it is not late at all."""
    return max(0, -((due - now) // _SECOND))


def late_at_first_lease(due: datetime, now: datetime) -> int | None:
    """Seconds of lateness of a run whose first lease comes too late to start it, or None when it may start."""
    return lateness_seconds(due, now) if is_late(due, now) else None


def _skip_late(schedule: Schedule, due: Occurrence, now: datetime) -> Skip:
    last, count, following = _range(schedule.rule, due, lambda instant: is_late(instant, now))
    lateness = lateness_seconds(due.instant, now)
    return Skip(due, last, count, SkipReason.LATE, lateness, moved_on(schedule, last, following))


def _range(
    rule: Rule, first: Occurrence, passed_over: Callable[[datetime], bool]
) -> tuple[Occurrence, int, Occurrence | None]:
    """The last occurrence from `first` on that is passed over, how many they are, and the one that follows."""
    last, count = first, 1
    following = _following(rule, first)
    while following is not None and passed_over(following.instant):
        last, count = following, count + 1
        following = _following(rule, last)
    return last, count, following


def _following(rule: Rule, accounted: Occurrence) -> Occurrence | None:
    """The occurrence after one; never the same again, though newer zone data may have put it at a later instant."""
    following = next_after(rule, accounted.instant)
    if following is not None and (following.nominal, following.pass_) == (accounted.nominal, accounted.pass_):
        return next_after(rule, following.instant)
    return following
