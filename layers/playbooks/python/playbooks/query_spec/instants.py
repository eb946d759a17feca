"""Days and date-times as a person writes them, turned into instants in UTC.

A day is the half-open day of the user's zone; a date-time without an offset is the user's wall clock. A local
midnight that does not exist moves forward by the gap, a repeated one is taken at its first pass (PEP 495, fold 0).
What falls off the calendar (year 1, year 9999) is held at its edge.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

FIRST_INSTANT = datetime.min.replace(tzinfo=UTC)
LAST_INSTANT = datetime.max.replace(tzinfo=UTC)

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATETIME = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ](?:[01]\d|2[0-3]):\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?\d{2})?",
    re.ASCII,
)


class InstantError(ValueError):
    """Raised when a text is not a day or a date-time of the calendar."""


@dataclass(frozen=True, slots=True)
class Span:
    """The instants a written time covers: from `first`, and up to but not including `after` when it is a day; a
    point in time has no `after`."""

    first: datetime
    after: datetime | None = None


def parse_day(text: str) -> date:
    """Read YYYY-MM-DD; raises InstantError."""
    if _DAY.fullmatch(text) is None:
        raise InstantError("use YYYY-MM-DD; no expressions such as today")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InstantError(f"'{text}' is not a calendar date") from None


def parse_span(text: str, zone: tzinfo) -> Span:
    """Read a day or a date-time of ISO 8601; raises InstantError."""
    if _DAY.fullmatch(text) is not None:
        return day_span(parse_day(text), zone)
    if _DATETIME.fullmatch(text) is None:
        raise InstantError(
            "use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS with an optional offset; no expressions such as now()"
        )
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InstantError(f"'{text}' is not a calendar date and time") from None
    return moment_span(moment, zone)


def day_span(day: date, zone: tzinfo) -> Span:
    """The whole day in the zone."""
    first = _to_utc(datetime.combine(day, time.min, tzinfo=zone))
    if day == date.max:
        return Span(first, LAST_INSTANT)
    return Span(first, _to_utc(datetime.combine(day + timedelta(days=1), time.min, tzinfo=zone)))


def moment_span(moment: datetime, zone: tzinfo) -> Span:
    """One instant; without an offset it is read on the zone's wall clock."""
    return Span(_to_utc(moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)))


def to_text(moment: datetime) -> str:
    """RFC 3339 in UTC with six digits and Z; unlike strftime it pads the year on every platform."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _to_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return FIRST_INSTANT if moment.year == 1 else LAST_INSTANT
