"""Moves the dates of a statement from the period it was written for to the one that is due now."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from playbooks_local.standin_model.periods import Period, Unit, moved, unit_start

_LITERAL = re.compile(
    r"(?:\b(?:DATE|TIMESTAMPTZ|TIMESTAMP(?:\s+WITH(?:OUT)?\s+TIME\s+ZONE)?)\s*)?"
    r"'(?P<day>\d{4}-\d{2}-\d{2})(?:[ T]00:00(?::00(?:\.0+)?)?)?'"
    r"(?:\s*::\s*(?:date|timestamptz|timestamp)\b)?",
    re.IGNORECASE,
)
_INCLUSIVE = re.compile(r"(?:<=|\bAND)\s*$", re.IGNORECASE)
_BETWEEN = re.compile(r"\bBETWEEN\b[^()]*\bAND\s*$", re.IGNORECASE)
_EQUAL = re.compile(r"(?<![<>!])=\s*$")


@dataclass(frozen=True, slots=True)
class DatedStatement:
    """A statement with a named place for each different date. `text` holds `{{name}}`; `days` is in date order."""

    text: str
    days: Mapping[str, date]
    inclusive: bool
    """Whether the latest date is the last day of the period, not the day after it."""

    def filled(self, values: Mapping[str, date]) -> str:
        """The statement with days for the names."""
        text = self.text
        for name, day in values.items():
            text = text.replace("{{" + name + "}}", f"DATE '{day.isoformat()}'")
        return text


def dated(statement: str) -> DatedStatement | None:
    """The statement with its literal dates named, or None when it has none (or one that is no day)."""
    try:
        days = sorted({date.fromisoformat(found["day"]) for found in _LITERAL.finditer(statement)})
    except ValueError:
        return None
    if not days:
        return None
    inclusive = any(
        _last_day_before(statement[: found.start()])
        for found in _LITERAL.finditer(statement)
        if found["day"] == days[-1].isoformat()
    )
    names = dict(zip(days, _names(len(days), inclusive=inclusive), strict=True))
    text = _LITERAL.sub(lambda found: "{{" + names[date.fromisoformat(found["day"])] + "}}", statement)
    return DatedStatement(text, {name: day for day, name in names.items()}, inclusive)


def _last_day_before(text: str) -> bool:
    return bool(
        text.rstrip().endswith("<=") or (_INCLUSIVE.search(text) and _BETWEEN.search(text)) or _EQUAL.search(text)
    )


def _names(count: int, *, inclusive: bool) -> list[str]:
    end = "period_last_day" if inclusive else "period_end"
    if count == 1:
        return ["day" if inclusive else "period_start"]
    earlier = [f"earlier_start_{number}" if count > 3 else "previous_start" for number in range(count - 2, 0, -1)]
    return [*earlier, "period_start", end]


def is_last_day(statement: str, name: str) -> bool:
    """Whether the placeholder stands where its day still belongs to the period."""
    place = statement.find("{{" + name + "}}")
    return place >= 0 and _last_day_before(statement[:place])


def shifted(days: Sequence[date], period: Period | None, today: date, *, inclusive: bool) -> list[date]:
    """The days (in date order) moved so that they mean the same on `today`; their distances are kept in whole units.

    Without a period in words it is guessed from the distance of the last two days.
    """
    period = period or _guessed(days, inclusive=inclusive)
    if period is None:
        return list(days)
    start, after = period.days(today)
    if len(days) == 1:
        return [after - timedelta(days=1) if inclusive and period.count == 1 and period.unit is Unit.DAY else start]
    latest = days[-1]
    if period.unit is Unit.WEEK:
        # Weeks that begin on another day than Monday keep their day.
        exclusive = latest + timedelta(days=inclusive)
        target = after + timedelta(days=(exclusive.weekday() - after.weekday()) % 7)
        target -= timedelta(days=7 if target > max(today, after) else 0)
        return [day + (target - exclusive) for day in days]
    if period.unit is Unit.DAY:
        return [day + (after - latest - timedelta(days=inclusive)) for day in days]
    here = unit_start(period.unit, latest - timedelta(days=not inclusive))
    units = _units_between(here, unit_start(period.unit, after - timedelta(days=1)), period.unit)
    return [moved(day, period.unit, units) for day in days]


def _units_between(first: date, second: date, unit: Unit) -> int:
    months = (second.year - first.year) * 12 + second.month - first.month
    return months // {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}[unit]


def _guessed(days: Sequence[date], *, inclusive: bool) -> Period | None:
    if len(days) < 2:
        return None
    start, after = days[-2], days[-1] + timedelta(days=inclusive)
    length = (after - start).days
    if length == 7:
        return Period(Unit.WEEK)
    if start.day == after.day == 1:
        months = _units_between(start, after, Unit.MONTH)
        unit = {1: Unit.MONTH, 3: Unit.QUARTER, 12: Unit.YEAR}.get(months)
        return Period(unit) if unit is not None else None
    return Period(Unit.DAY, 1, length) if length == 1 else None
