"""The local times a rule names, in order, before any zone is looked at.

Each sequence is anchored on the start (no drift) and answers two questions about naive local times: what is the
first one later than a given time, and what comes after one of its own. None means the sequence is over.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from playbooks.domain.recurrence.rule import Rule, Unit

DAY = timedelta(days=1)
NEVER = datetime.max  # noqa: DTZ901 - later than every local time
_MONTH_LENGTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_MOST_COUNTS = 20_000
CALENDAR_ENDS = (OverflowError, ValueError)
"""What `datetime` raises past the year 9999: the one, or for an ordinal the other."""


class _DayCounts(dict[int, timedelta]):
    """`timedelta(days=n)` by n: building one takes longer than all that is done with it (measured: 0.2 µs)."""

    def __missing__(self, days: int) -> timedelta:
        if len(self) >= _MOST_COUNTS:
            self.clear()
        self[days] = count = timedelta(days=days)
        return count


DAYS = _DayCounts()


class NominalTimes:
    """The sequence of one rule. `first` is its earliest member; no member is `end` or later.

    `anchor_day` is the day of the month that shorter months replace by their last; None when no month is too short.
    """

    __slots__ = ("anchor_day", "end", "first")

    anchor_day: int | None

    def __init__(self, first: datetime, until: date | None) -> None:
        self.first = first
        self.end = NEVER if until is None else datetime.combine(until, time()) + DAY
        self.anchor_day = None

    def later_than(self, local: datetime) -> datetime:
        """The first member later than `local`, ignoring `end`; CALENDAR_ENDS past the year 9999."""
        raise NotImplementedError

    def from_later_than(self, local: datetime) -> Iterator[datetime]:
        """Every member later than `local`, up to the end."""
        try:
            nominal = self.later_than(local)
            while nominal < self.end:
                yield nominal
                nominal = self.later_than(nominal)
        except CALENDAR_ENDS:
            return


class Once(NominalTimes):
    """The start and nothing else."""

    __slots__ = ()

    def __init__(self, start: datetime) -> None:
        super().__init__(start, None)
        self.end = start + timedelta(minutes=1)

    def later_than(self, local: datetime) -> datetime:
        """The start, or a time that is over the end."""
        return self.first if local < self.first else NEVER


class HourSlots(NominalTimes):
    """Every so many hours of wall-clock time; the interval divides the day."""

    __slots__ = ("hours", "interval")

    def __init__(self, start: datetime, interval: int, until: date | None) -> None:
        super().__init__(start, until)
        self.interval = interval
        self.hours = tuple(timedelta(hours=hour) for hour in range(24))

    def later_than(self, local: datetime) -> datetime:
        """The first member later than `local`."""
        if local < self.first:
            return self.first
        passed = local - self.first
        hours = passed.days * 24 + passed.seconds // 3600
        hours += self.interval - hours % self.interval
        return self.first + (DAYS[hours // 24] + self.hours[hours % 24])


class DaySteps(NominalTimes):
    """Every so many calendar days."""

    __slots__ = ("interval",)

    def __init__(self, start: datetime, interval: int, until: date | None) -> None:
        super().__init__(start, until)
        self.interval = interval

    def later_than(self, local: datetime) -> datetime:
        """The first member later than `local`."""
        if local < self.first:
            return self.first
        days = (local - self.first).days
        return self.first + DAYS[days - days % self.interval + self.interval]


class PickedWeekdays(NominalTimes):
    """Picked weekdays of every n-th week; week 0 is the Monday-week of the first one on or after the start."""

    __slots__ = ("ahead", "monday", "period")

    def __init__(self, start: datetime, interval: int, weekdays: frozenset[int], until: date | None) -> None:
        to_first = min((day - start.weekday()) % 7 for day in weekdays)
        first = start + to_first * DAY
        super().__init__(first, until)
        self.monday = first - first.weekday() * DAY
        self.period = 7 * interval
        # ahead[d]: days from day d of the period to the next picked day after it.
        picked = sorted(weekdays)
        self.ahead = tuple(
            next((day - index for day in picked if day > index), self.period + picked[0] - index)
            for index in range(self.period)
        )

    def later_than(self, local: datetime) -> datetime:
        """The first member later than `local`."""
        if local < self.first:
            return self.first
        days = (local - self.monday).days
        return self.monday + DAYS[days + self.ahead[days % self.period]]


class MonthSteps(NominalTimes):
    """Every so many months on the day of the start, or the last day of a shorter month."""

    __slots__ = ("day", "interval", "month_zero")

    def __init__(self, start: datetime, interval: int, until: date | None) -> None:
        super().__init__(start, until)
        self.interval = interval
        self.month_zero = start.year * 12 + start.month - 1
        self.day = start.day
        self.anchor_day = start.day if start.day > 28 else None

    def later_than(self, local: datetime) -> datetime:
        """The first member later than `local`."""
        if local < self.first:
            return self.first
        passed = local.year * 12 + local.month - 1 - self.month_zero
        month = passed - passed % self.interval
        nominal = self._in_month(self.month_zero + month)
        return nominal if nominal > local else self._in_month(self.month_zero + month + self.interval)

    def _in_month(self, index: int) -> datetime:
        year, month = divmod(index, 12)
        day = self.day
        if day > 28:
            day = min(day, 29 if month == 1 and _is_leap(year) else _MONTH_LENGTH[month])
        return datetime(year, month + 1, day, self.first.hour, self.first.minute)  # noqa: DTZ001 - a wall clock's time


def nominal_times(rule: Rule) -> NominalTimes:
    """The sequence of this rule."""
    match rule.unit:
        case None:
            return Once(rule.start)
        case Unit.HOURS:
            return HourSlots(rule.start, rule.interval, rule.until)
        case Unit.DAYS:
            return DaySteps(rule.start, rule.interval, rule.until)
        case Unit.WEEKS:
            return PickedWeekdays(rule.start, rule.interval, frozenset(map(int, rule.weekdays)), rule.until)
        case Unit.MONTHS:
            return MonthSteps(rule.start, rule.interval, rule.until)
        case Unit.YEARS:
            return MonthSteps(rule.start, 12 * rule.interval, rule.until)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
