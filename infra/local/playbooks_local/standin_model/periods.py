"""Periods in words, "last week" or "지난달", and the days they are on a given day."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum


class Unit(StrEnum):
    """What a period is counted in."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}


@dataclass(frozen=True, slots=True)
class Period:
    """`count` whole units that end `back` units before the one today is in (0: today's own unit is the last)."""

    unit: Unit
    back: int = 1
    count: int = 1

    def days(self, today: date) -> tuple[date, date]:
        """First day, and the day after the last; weeks begin on Monday."""
        start = unit_start(self.unit, today)
        after = moved(start, self.unit, 1 - self.back)
        return moved(after, self.unit, -self.count), after


_WORDS: tuple[tuple[str, Period], ...] = (
    (r"last week|previous week|past week|prior week|지난\s?주|저번\s?주|전주", Period(Unit.WEEK)),
    (r"this week|week to date|이번\s?주|금주", Period(Unit.WEEK, 0)),
    (r"last month|previous month|past month|prior month|지난\s?달|저번\s?달|전월", Period(Unit.MONTH)),
    (r"this month|month to date|이번\s?달|당월|금월", Period(Unit.MONTH, 0)),
    (r"last quarter|previous quarter|지난\s?분기|전\s?분기", Period(Unit.QUARTER)),
    (r"this quarter|이번\s?분기", Period(Unit.QUARTER, 0)),
    (r"last year|previous year|작년|지난\s?해|전년(?!\s?대비)", Period(Unit.YEAR)),
    (r"this year|올해|금년", Period(Unit.YEAR, 0)),
    (r"yesterday|어제|전일|전날", Period(Unit.DAY)),
    (r"\btoday\b|오늘|금일", Period(Unit.DAY, 0)),
)
_NAMES = {
    (Unit.WEEK, 1): ("last week", "지난주"), (Unit.WEEK, 0): ("this week", "이번 주"),
    (Unit.MONTH, 1): ("last month", "지난달"), (Unit.MONTH, 0): ("this month", "이번 달"),
    (Unit.QUARTER, 1): ("last quarter", "지난 분기"), (Unit.QUARTER, 0): ("this quarter", "이번 분기"),
    (Unit.YEAR, 1): ("last year", "작년"), (Unit.YEAR, 0): ("this year", "올해"),
    (Unit.DAY, 1): ("yesterday", "어제"), (Unit.DAY, 0): ("today", "오늘"),
}  # fmt: skip
_BEFORE = {
    Unit.DAY: ("the day before", "그 전날"), Unit.WEEK: ("the week before", "그 전주"),
    Unit.MONTH: ("the month before", "그 전달"), Unit.QUARTER: ("the quarter before", "그 전 분기"),
    Unit.YEAR: ("the year before", "그 전해"),
}  # fmt: skip
_NAMES = {
    (Unit.WEEK, 1): ("last week", "지난주"), (Unit.WEEK, 0): ("this week", "이번 주"),
    (Unit.MONTH, 1): ("last month", "지난달"), (Unit.MONTH, 0): ("this month", "이번 달"),
    (Unit.QUARTER, 1): ("last quarter", "지난 분기"), (Unit.QUARTER, 0): ("this quarter", "이번 분기"),
    (Unit.YEAR, 1): ("last year", "작년"), (Unit.YEAR, 0): ("this year", "올해"),
    (Unit.DAY, 1): ("yesterday", "어제"), (Unit.DAY, 0): ("today", "오늘"),
}  # fmt: skip
_BEFORE = {
    Unit.DAY: ("the day before", "그 전날"), Unit.WEEK: ("the week before", "그 전주"),
    Unit.MONTH: ("the month before", "그 전달"), Unit.QUARTER: ("the quarter before", "그 전 분기"),
    Unit.YEAR: ("the year before", "그 전해"),
}  # fmt: skip
_SPAN = re.compile(r"(?:last|past|previous|최근|지난)\s*(\d{1,3})\s*(?:days|일)", re.IGNORECASE)


def find_period(text: str) -> Period | None:
    """The period that is named first in the text."""
    named = named_period(text)
    return named[0] if named is not None else None


def named_period(text: str) -> tuple[Period, str] | None:
    """The period that is named first, and the words that name it."""
    found = [(match, period) for words, period in _WORDS if (match := re.search(words, text, re.IGNORECASE))]
    if span := _SPAN.search(text):
        found.append((span, Period(Unit.DAY, 1, int(span[1]))))
    if not found:
        return None
    match, period = min(found, key=lambda item: item[0].start())
    return period, match[0]


def period_name(period: Period, words: str, language: str) -> str:
    """The period's name in a language; what the user wrote where there is no other."""
    names = _NAMES.get((period.unit, period.back)) if period.count == 1 else None
    return names[language == "ko"] if names is not None else words


def name_of_before(unit: Unit, language: str) -> str:
    """What stands before a period, for a comparison."""
    return _BEFORE[unit][language == "ko"]


def unit_start(unit: Unit, day: date) -> date:
    """The first day of the unit that holds the day."""
    match unit:
        case Unit.DAY:
            return day
        case Unit.WEEK:
            return day - timedelta(days=day.weekday())
        case Unit.MONTH:
            return day.replace(day=1)
        case Unit.QUARTER:
            return day.replace(month=day.month - (day.month - 1) % 3, day=1)
        case Unit.YEAR:
            return day.replace(month=1, day=1)


def moved(day: date, unit: Unit, count: int) -> date:
    """The day `count` units later; the end of a month stays the end of a month."""
    if unit in {Unit.DAY, Unit.WEEK}:
        return day + timedelta(days=count * (7 if unit is Unit.WEEK else 1))
    month = day.year * 12 + day.month - 1 + count * _MONTHS[unit]
    first = date(month // 12, month % 12 + 1, 1)
    last = _last_of_month(first)
    if day == _last_of_month(day):
        return last
    return first.replace(day=min(day.day, last.day))


def _last_of_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)
