"""What the clocks of one zone show: offsets, the times they jump over, the times they show twice."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple, cast
from zoneinfo import ZoneInfo

from playbooks.domain.recurrence.zone_data import load_zone

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAIVE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the same moment on a naive clock, for arithmetic

NO_TIME = timedelta(0)

_MARGIN_DAYS = 2
_REACH_DAYS = 40
_MOST_DAYS = 20_000
_TWO_DAYS = timedelta(days=2)
_LAST_DAY = date.max.toordinal()


class Reading(NamedTuple):
    """The instant of a local time at its first pass.

    `offset` is the one in force at the instant. `shift` is how far the clocks were moved at a change this local
    time falls into: positive in a gap (the time does not exist and is moved forward by it), negative in an
    overlap (the time comes again that much later), zero elsewhere.
    """

    instant: datetime
    offset: timedelta
    shift: timedelta


@dataclass(frozen=True, slots=True, eq=False)
class CalmStretch:
    """Days in a row near which no clock change is: from `first` to `last` local time is UTC plus `offset`."""

    first: int
    last: int
    offset: timedelta


class CalmDays(dict[int, CalmStretch | None]):
    """The calm stretch each day lies in; None for the days near a clock change.

    The key is a proleptic Gregorian ordinal, of a UTC or a local date alike. "Near" leaves 32 hours on both sides of
    either (two days, less the 16 hours by which the two dates may differ): more than any change moves the clocks, so
    on calm days local and UTC times differ by the offset, and no time before or after is moved past them. A look every
    third day finds every change, because the changes of a zone lie more than four days apart. Tests hold the package
    to both. A stretch is cut some weeks away from the day that was asked for: few rules need to see further.
    """

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self._zone = zone

    def __missing__(self, day: int) -> CalmStretch | None:
        if len(self) + 2 * _REACH_DAYS > _MOST_DAYS:
            self.clear()
        offset = self._offset_on(day)
        first = self._same_until(day, offset, -1) + _MARGIN_DAYS
        last = self._same_until(day, offset, 1) - _MARGIN_DAYS - 1
        if offset is None or not first <= day <= last:
            self[day] = None
            return None
        stretch = CalmStretch(first, last, offset)
        self.update(dict.fromkeys(range(first, last + 1), stretch))
        return stretch

    def _same_until(self, day: int, offset: timedelta | None, direction: int) -> int:
        """The last midnight that way, by the day, up to which the offset stays the same."""
        end = day + direction * _REACH_DAYS
        for step in (3 * direction, direction):
            while (end - day) * direction > 0 and self._offset_on(day + step) == offset:
                day += step
        return day

    def _offset_on(self, day: int) -> timedelta | None:
        """The offset at a local midnight; None beyond the calendar's ends."""
        return self._zone.utcoffset(datetime.fromordinal(day)) if 1 <= day <= _LAST_DAY else None


class ZoneClock:
    """The clocks of one zone."""

    __slots__ = ("_offset", "calm", "zone")

    _offset: Callable[[datetime], timedelta]
    """The offset for what the clock shows: it reads only the face and `fold`, so naive will do."""

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone
        self._offset = cast("Callable[[datetime], timedelta]", zone.utcoffset)  # None only for None
        self.calm = CalmDays(zone)

    def local(self, instant: datetime) -> datetime:
        """What the clocks show at an aware instant, naive."""
        return NAIVE_EPOCH + (instant - EPOCH + self.offset_at(instant))

    def offset_at(self, instant: datetime) -> timedelta:
        """Local time minus UTC at an aware instant."""
        return self._offset(instant.astimezone(self.zone))

    def read(self, local: datetime) -> Reading:
        """The instant at which the clocks first show `local`, or would have, had they not jumped over it."""
        first = self._offset(local)
        second = self._offset(local.replace(fold=1))
        instant = EPOCH + (local - NAIVE_EPOCH - first)
        if first == second:
            return Reading(instant, first, NO_TIME)
        return Reading(instant, self.offset_at(instant), second - first)

    def swing(self, local: datetime) -> timedelta:
        """How far the clocks are moved within two days of a local time, either way; at most one change is."""
        return abs(self._offset(local + _TWO_DAYS) - self._offset(local - _TWO_DAYS))


@lru_cache(maxsize=1024)
def zone_clock(name: str) -> ZoneClock:
    """The clock of a zone by its IANA name; Refused when there is none."""
    return ZoneClock(load_zone(name))
