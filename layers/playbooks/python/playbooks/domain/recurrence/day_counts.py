"""Counting days from one occurrence to another, which is all a rule of days needs while no clock change is near."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from playbooks.domain.recurrence.nominal import DAYS, DaySteps
from playbooks.domain.recurrence.zone_clock import EPOCH, NAIVE_EPOCH, NO_TIME, CalmStretch

_MOST_COUNTS = 1000


@dataclass(frozen=True, slots=True)
class DayCount:
    """An occurrence from which days can be counted, and for how many: a multiple of the interval."""

    instant: datetime
    nominal: datetime
    offset: timedelta
    reach: int


_NO_COUNT = DayCount(EPOCH, NAIVE_EPOCH, NO_TIME, 0)


class DayCounts(dict[CalmStretch | None, DayCount]):
    """For each calm stretch the count from the first occurrence in it; one that reaches nowhere when there is none."""

    def __init__(self, times: DaySteps) -> None:
        super().__init__()
        self._times = times

    def __missing__(self, calm: CalmStretch | None) -> DayCount:
        if len(self) >= _MOST_COUNTS:
            self.clear()
        self[calm] = count = _NO_COUNT if calm is None else self._count_in(calm)
        return count

    def _count_in(self, calm: CalmStretch) -> DayCount:
        times = self._times
        start = times.first.toordinal()
        first = max(calm.first, start)
        first += (start - first) % times.interval
        reach = min(calm.last, times.end.toordinal() - 1) - first
        if reach < times.interval:
            return _NO_COUNT
        nominal = times.first + DAYS[first - start]
        instant = EPOCH + (nominal - NAIVE_EPOCH - calm.offset)
        return DayCount(instant, nominal, calm.offset, reach - reach % times.interval)


class _DaysAhead(dict[int, timedelta]):
    """By the days since an occurrence: how far from that occurrence the first one is that is later."""

    def __init__(self, interval: int) -> None:
        super().__init__()
        self._interval = interval

    def __missing__(self, days: int) -> timedelta:
        self[days] = ahead = DAYS[days - days % self._interval + self._interval]
        return ahead


days_ahead = cache(_DaysAhead)
"""The table for an interval, shared by all rules that have it; it grows no longer than a calm stretch."""
