"""The rule of a schedule as the wall clock shows it, and the bounds it keeps to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playbooks.domain.recurrence.plan import Plan


class Unit(StrEnum):
    """What the interval counts; a rule without a unit happens once."""

    HOURS = "hours"
    DAYS = "days"
    WEEKS = "weeks"
    MONTHS = "months"
    YEARS = "years"


class Weekday(IntEnum):
    """Monday first, as `datetime.weekday()` counts and ISO 8601 orders; the text form is `mon` … `sun`."""

    MON = 0
    TUE = 1
    WED = 2
    THU = 3
    FRI = 4
    SAT = 5
    SUN = 6

    @property
    def text(self) -> str:
        """`mon` … `sun`, the form rules are written in."""
        return self.name.lower()


WEEKDAY_BY_TEXT: Mapping[str, Weekday] = {day.text: day for day in Weekday}

HOUR_INTERVALS = (1, 2, 3, 4, 6, 8, 12, 24)
"""Hours must divide the day: any other interval would drift at midnight."""

MAX_INTERVAL: Mapping[Unit, int] = {
    Unit.HOURS: 24,
    Unit.DAYS: 366,
    Unit.WEEKS: 52,
    Unit.MONTHS: 60,
    Unit.YEARS: 10,
}

FIRST_YEAR = 1970
LAST_YEAR = 2199
"""Years a start or an `until` may name; a rule without `until` goes on beyond them, to the end of the calendar."""


class _Planned:
    """Keeps what was worked out from a rule beside it: not a field, so neither compared, shown nor pickled."""

    __slots__ = ("plan",)

    plan: "Plan"


@dataclass(frozen=True, slots=True)
class Rule(_Planned):
    """When something happens, as a clock on a wall of `zone` shows it. `parse_rule` checks, this class trusts.

    `start` is naive, to the minute, and the anchor of everything: occurrences are counted from it, never from
    the one before. `zone` is an IANA name. `unit` None means once. `interval` counts units; `weekdays` is filled
    for weeks and empty otherwise. `until` is the last local date that may hold an occurrence.
    """

    start: datetime
    zone: str
    unit: Unit | None
    interval: int = 1
    weekdays: frozenset[Weekday] = frozenset()
    until: date | None = None
