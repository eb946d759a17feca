"""What the clocks of one zone show: offsets, the times they jump over, the times they show twice."""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from playbooks.domain.recurrence.zone_data import load_zone

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAIVE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the same moment on a naive clock, for arithmetic

NO_TIME = timedelta(0)

CELL_SHIFT = 2
_CELL_DAYS = 1 << CELL_SHIFT
_MARGIN_DAYS = 3
_MOST_CELLS = 20_000
_NEARBY = tuple(timedelta(days=days) for days in range(-_MARGIN_DAYS, _MARGIN_DAYS + 1))
_LAST_ORDINAL = date.max.toordinal()


class Reading(NamedTuple):
    """The instant of a local time at its first pass.

    `offset` is the one in force at the instant. `shift` is how far the clocks were moved at a change this local
    time falls into: positive in a gap (the time does not exist and is moved forward by it), negative in an
    overlap (the time comes again that much later), zero elsewhere.
    """

    instant: datetime
    offset: timedelta
    shift: timedelta


class CalmCells(dict[int, timedelta | None]):
    """UTC offset for each cell of four days in which no clock change is near; None where one is.

    The key is a proleptic Gregorian ordinal, of a UTC or a local date alike, shifted right by CELL_SHIFT. "Near"
    leaves more than two days on both sides, more than the largest difference of two offsets, so in a calm cell
    local and UTC times differ by the offset and keep their order. One look-up a day finds every change, because
    the changes of every zone lie days apart (a test holds the package to that).
    """

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self._zone = zone

    def __missing__(self, cell: int) -> timedelta | None:
        if len(self) >= _MOST_CELLS:
            self.clear()
        first = (cell << CELL_SHIFT) - _MARGIN_DAYS
        last = (cell << CELL_SHIFT) + _CELL_DAYS + _MARGIN_DAYS
        offset = None
        if first >= 1 and last <= _LAST_ORDINAL:
            offsets = {self._zone.utcoffset(datetime.fromordinal(day)) for day in range(first, last + 1)}
            offset = offsets.pop() if len(offsets) == 1 else None
        self[cell] = offset
        return offset


class ZoneClock:
    """The clocks of one zone."""

    __slots__ = ("calm", "zone")

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone
        self.calm = CalmCells(zone)

    def local(self, instant: datetime) -> datetime:
        """What the clocks show at an aware instant, naive."""
        return instant.astimezone(self.zone).replace(tzinfo=None)

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
        """The largest difference of offsets within three days of a local time; 0 to about a day."""
        offsets = [self._offset(local + days) for days in _NEARBY]
        return max(offsets) - min(offsets)

    def _offset(self, local: datetime) -> timedelta:
        offset = self.zone.utcoffset(local)  # reads only the clock's face and `fold`, so naive will do
        assert offset is not None
        return offset


@lru_cache(maxsize=1024)
def zone_clock(name: str) -> ZoneClock:
    """The clock of a zone by its IANA name; Refused when there is none."""
    return ZoneClock(load_zone(name))
