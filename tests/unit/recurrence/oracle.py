"""What must come next, found by watching a clock.

The oracle walks UTC minute by minute, asks nothing but "which offset holds now", and notes when the clock on the
wall shows each local minute and which local minutes it jumps over. No fold, no stepping from one occurrence to the
next, none of the product's code. Whether a local time belongs to a rule is decided date by date.
"""

import calendar
import itertools
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from playbooks.domain.recurrence import Rule

MINUTE = 60
DAY = 86_400
ONE_MINUTE = timedelta(minutes=1)
NAIVE_EPOCH = datetime.combine(date(1970, 1, 1), time())


class Expected(NamedTuple):
    """An occurrence by the oracle: UTC seconds since 1970, nominal local time, pass, and whether it exists."""

    at: int
    nominal: datetime
    pass_: int
    exists: bool


class Span(NamedTuple):
    """A time in which the clock on the wall kept one distance from UTC; all in seconds, the end not included."""

    start: int
    end: int
    offset: int


class Walk:
    """What the clock of a zone showed between two UTC seconds (whole minutes)."""

    def __init__(self, zone: ZoneInfo, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.spans: list[Span] = []
        since, before = start, _offset(zone, start)
        for minute in _minutes_of_change(zone, start, end):
            for at in range(minute - MINUTE + 1, minute + 1):
                offset = _offset(zone, at)
                if offset != before:
                    self.spans.append(Span(since, at, before))
                    since, before = at, offset
        self.spans.append(Span(since, end, before))
        self.first_day = (start + self.spans[0].offset) // DAY
        self.last_day = (end + before) // DAY

    def shown(self, local: int) -> list[int]:
        """The UTC seconds at which the clock showed a local second."""
        return [local - span.offset for span in self.spans if span.start <= local - span.offset < span.end]

    def jumped_over(self, local: int) -> int | None:
        """The UTC second at which the clock would have shown a local second, had it not jumped over it."""
        for earlier, later in itertools.pairwise(self.spans):
            if earlier.end + earlier.offset <= local < later.start + later.offset:
                return local - earlier.offset
        return None


def expected(rule: Rule, walk: Walk) -> list[Expected]:
    """The occurrences of a rule within a walk, in order. Its first day or two lack what began before the walk."""
    firsts: dict[int, Expected] = {}
    repeats: list[Expected] = []
    for nominal in _nominal_times(rule, walk.first_day, walk.last_day):
        local = round((nominal - NAIVE_EPOCH).total_seconds())
        shown, moved = walk.shown(local), walk.jumped_over(local)
        if shown:
            firsts[shown[0]] = Expected(shown[0], nominal, 0, exists=True)
            repeats += [Expected(at, nominal, 1, exists=True) for at in shown[1:]]
        elif moved is not None:
            firsts.setdefault(moved, Expected(moved, nominal, 0, exists=False))
    if rule.unit != "hours":
        repeats = []
    found: list[Expected] = []
    for event in sorted([*firsts.values(), *repeats], key=lambda each: (each.at, each.pass_)):
        if event.pass_ and found and event.at - found[-1].at < rule.interval * 3600:
            continue
        found.append(event)
    return found


def _minutes_of_change(zone: ZoneInfo, start: int, end: int) -> Iterator[int]:
    """The minutes at which the time on the wall is not as far from UTC as the minute before."""
    utc = _utc(zone, start)
    before = zone.fromutc(utc) - utc
    for at in range(start + MINUTE, end + 1, MINUTE):
        utc += ONE_MINUTE
        apart = zone.fromutc(utc) - utc
        if apart != before:
            before = apart
            yield at


def _offset(zone: ZoneInfo, at: int) -> int:
    utc = _utc(zone, at)
    shown = zone.fromutc(utc) - utc
    return shown.days * DAY + shown.seconds


def _utc(zone: ZoneInfo, at: int) -> datetime:
    """A UTC time in the form in which a zone is asked what its clock shows then."""
    return datetime.fromtimestamp(at, UTC).replace(tzinfo=zone)


def _nominal_times(rule: Rule, first_day: int, last_day: int) -> Iterator[datetime]:
    for day in range(first_day, last_day + 1):
        day_of_month = date(1970, 1, 1) + timedelta(days=day)
        if rule.until is not None and day_of_month > rule.until:
            return
        if rule.unit == "hours":
            for hour in range(24):
                if (hour - rule.start.hour) % rule.interval == 0:
                    nominal = datetime.combine(day_of_month, time(hour, rule.start.minute))
                    if nominal >= rule.start:
                        yield nominal
        elif _belongs(rule, day_of_month):
            yield datetime.combine(day_of_month, rule.start.time())


def _belongs(rule: Rule, day: date) -> bool:
    start = rule.start.date()
    if day < start:
        return False
    last_of_month = calendar.monthrange(day.year, day.month)[1]
    on_anchor = day.day == start.day or (day.day == last_of_month and start.day > last_of_month)
    months = (day.year - start.year) * 12 + day.month - start.month
    match rule.unit:
        case None:
            return day == start
        case "days":
            return (day - start).days % rule.interval == 0
        case "weeks":
            first = start
            while first.weekday() not in rule.weekdays:
                first += timedelta(days=1)
            monday = first - timedelta(days=first.weekday())
            return day >= first and day.weekday() in rule.weekdays and (day - monday).days // 7 % rule.interval == 0
        case "months":
            return on_anchor and months % rule.interval == 0
        case "years":
            return on_anchor and months % (12 * rule.interval) == 0
        case _:
            raise AssertionError(rule.unit)
