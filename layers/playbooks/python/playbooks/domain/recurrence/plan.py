"""From a rule to its occurrences: the one function the scheduler, the preview and the tests share.

Far from a clock change local and UTC times differ by a constant, and the next occurrence is plain arithmetic.
Near one, every local time that could come next is read off the zone's clock. The policy of both:

* a local time that does not exist is moved forward by the gap; when it then meets another, they are one occurrence,
  named after the time that exists (RFC 5545 3.3.5 reads such a time the same way);
* a local time that comes twice happens at its first pass; a rule of hours happens at the second pass too when at
  least its interval of real time has passed since the occurrence before.
"""

from datetime import UTC, datetime, timedelta

from playbooks.domain.recurrence.day_counts import DayCounts, days_ahead
from playbooks.domain.recurrence.nominal import CALENDAR_ENDS, DaySteps, NominalTimes, nominal_times
from playbooks.domain.recurrence.occurrence import MONTH_END, Occurrence, calm_occurrence, missing, repeated
from playbooks.domain.recurrence.rule import Rule, Unit
from playbooks.domain.recurrence.zone_clock import EPOCH, NAIVE_EPOCH, NO_TIME, ZoneClock, zone_clock

PREVIEWED = 5
"""How many occurrences a preview shows; they come from `occurrences`, as everything does."""

_BEGINNING = datetime(1, 1, 7, tzinfo=UTC)
"""Earlier the calendar has no room for the local times around an instant; no rule has an occurrence there."""


class Plan:
    """What is worked out from a rule once: its local times and the clock of its zone."""

    __slots__ = ("_anchor_day", "_calm", "_clock", "_end", "_later_than", "_times", "_twice_after")

    def __init__(self, times: NominalTimes, clock: ZoneClock, twice_after: timedelta | None) -> None:
        self._times = times
        self._clock = clock
        self._twice_after = twice_after
        self._calm = clock.calm
        self._end = times.end
        self._anchor_day = times.anchor_day
        self._later_than = times.later_than

    def next_after(self, instant: datetime) -> Occurrence | None:
        """The first occurrence strictly later than an aware instant, or None when there is none."""
        try:
            if instant.tzinfo is not UTC:
                if instant.tzinfo is None:
                    raise TypeError("an instant needs an offset: give an aware datetime")
                instant = instant.astimezone(UTC)
            calm = self._calm[instant.toordinal()]
            if calm is None:
                return self._near_a_change(instant)
            nominal = self._later_than(NAIVE_EPOCH + (instant - EPOCH + calm.offset))
            if nominal >= self._end:
                return None
            calm = self._calm[nominal.toordinal()]
            if calm is None:
                return self._near_a_change(instant)
            moved = MONTH_END if self._anchor_day is not None and nominal.day != self._anchor_day else None
            return calm_occurrence(EPOCH + (nominal - NAIVE_EPOCH - calm.offset), nominal, calm.offset, moved)
        except CALENDAR_ENDS:
            return self.next_after(_BEGINNING) if instant < _BEGINNING else None

    def at(self, nominal: datetime, pass_: int) -> Occurrence | None:
        """The occurrence at, or first after, the place that a nominal time and pass have under this zone data."""
        try:
            reading = self._clock.read(nominal)
            instant = reading.instant - min(reading.shift, NO_TIME) * pass_
            return self.next_after(instant - timedelta.resolution)
        except CALENDAR_ENDS:
            return None

    def _near_a_change(self, instant: datetime) -> Occurrence | None:
        local = self._clock.local(instant)
        swing = self._clock.swing(local)
        first = self._first_pass(instant, local - swing)
        if self._twice_after is None:
            return first
        return self._second_pass(instant, local, swing, first) or first

    def _first_pass(self, instant: datetime, over: datetime) -> Occurrence | None:
        """The earliest first pass later than the instant; nominal times up to `over` are known to be earlier.

        Offsets near the instant differ by the swing at most, so what lies that far back is over whatever happened.
        """
        best: Occurrence | None = None
        for nominal in self._times.from_later_than(over):
            reading = self._clock.read(nominal)
            if reading.instant <= instant:
                continue
            exists = reading.shift <= NO_TIME
            if best is None or reading.instant < best.instant or (exists and reading.instant == best.instant):
                best = self._occurrence(nominal, reading.instant, 0, reading.offset, reading.shift)
            if exists:  # times after one that exists are later than it; times in a gap may be moved past others
                return best
        return best

    def _second_pass(
        self, instant: datetime, local: datetime, swing: timedelta, first: Occurrence | None
    ) -> Occurrence | None:
        """A second pass of a repeated hour's slot between the instant and `first`, when the interval has passed."""
        assert self._twice_after is not None
        apart = self._twice_after
        for nominal in self._times.from_later_than(local - swing):
            if nominal > local + swing + apart:
                return None
            reading = self._clock.read(nominal)
            if reading.shift >= NO_TIME:
                continue
            again = reading.instant - reading.shift
            if again <= instant or (first is not None and first.instant <= again):
                continue
            since = again - apart
            before = self._first_pass(since, self._clock.local(since) - swing)
            if before is None or before.instant >= again:
                return self._occurrence(nominal, again, 1, self._clock.offset_at(again), reading.shift)
        return None

    def _occurrence(
        self, nominal: datetime, instant: datetime, pass_: int, offset: timedelta, shift: timedelta
    ) -> Occurrence:
        month_end = self._anchor_day is not None and nominal.day != self._anchor_day
        if not shift:
            return calm_occurrence(instant, nominal, offset, MONTH_END if month_end else None)
        reasons = [MONTH_END] if month_end else []
        if shift > NO_TIME:
            reasons.append(missing(nominal, instant.replace(tzinfo=None) + offset))
        if shift < NO_TIME:
            reasons.append(repeated(nominal, pass_))
        return Occurrence(instant, nominal, pass_, offset, "; ".join(reasons))


class DayPlan(Plan):
    """The plan of a rule of days, the commonest: it only counts days, from an occurrence in the same calm stretch."""

    __slots__ = ("_ahead", "_counts")

    def __init__(self, times: DaySteps, clock: ZoneClock) -> None:
        super().__init__(times, clock, None)
        self._counts = DayCounts(times)
        self._ahead = days_ahead(times.interval)

    def next_after(self, instant: datetime) -> Occurrence | None:
        """As every plan's; what cannot be counted (a change near, the start or the end) is left to it."""
        count = self._counts[self._calm[instant.toordinal()]]
        days = (instant - count.instant).days
        if 0 <= days < count.reach:
            ahead = self._ahead[days]
            return calm_occurrence(count.instant + ahead, count.nominal + ahead, count.offset, None)
        return super().next_after(instant)


def plan_of(rule: Rule) -> Plan:
    """The plan of a rule; Refused when its zone does not exist."""
    times, clock = nominal_times(rule), zone_clock(rule.zone)
    if isinstance(times, DaySteps):
        return DayPlan(times, clock)
    return Plan(times, clock, timedelta(hours=rule.interval) if rule.unit is Unit.HOURS else None)


def next_after(rule: Rule, instant: datetime) -> Occurrence | None:
    """The first occurrence strictly later than an aware instant; None when the rule has ended.

    The same rule, instant and zone data give the same answer. A naive instant is a TypeError.
    """
    try:
        plan = rule.plan
    except AttributeError:
        plan = _keep_plan(rule)
    return plan.next_after(instant)


def occurrences(rule: Rule, after: datetime, n: int) -> tuple[Occurrence, ...]:
    """The next `n` occurrences strictly later than `after`, fewer when the rule ends, in strictly rising order."""
    found: list[Occurrence] = []
    while len(found) < n and (occurrence := next_after(rule, after)) is not None:
        found.append(occurrence)
        after = occurrence.instant
    return tuple(found)


def occurrence_of(rule: Rule, nominal: datetime, pass_: int) -> Occurrence | None:
    """The occurrence that a stored nominal time and pass stand for under this program's zone data.

    When they no longer name one (a gap closed, a repeated hour gone), the first occurrence after their place.
    """
    return _keep_plan(rule).at(nominal, pass_)


def _keep_plan(rule: Rule) -> Plan:
    plan = plan_of(rule)
    object.__setattr__(rule, "plan", plan)  # worked out from the frozen fields, so never out of date
    return plan
