"""What must come next, found by watching a clock.

The oracle walks UTC minute by minute, asks nothing but "which offset holds now", and notes when the clock on the
wall shows each local minute and which local minutes it jumps over. No fold, no stepping from one occurrence to the
next, none of the product's code. Whether a local time belongs to a rule is decided date by date.
"""

import calendar
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from playbooks.domain.recurrence import Rule

MINUTE = 60
DAY = 86_400
NAIVE_EPOCH = datetime.combine(date(1970, 1, 1), time())


class Expected(NamedTuple):
    """An occurrence by the oracle: UTC seconds since 1970, nominal local time, pass, and whether it exists."""

    at: int
    nominal: datetime
    pass_: int
    exists: bool


class Walk:
    """What the clock of a zone showed between two UTC seconds (whole minutes)."""

    def __init__(self, zone: ZoneInfo, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.shown: dict[int, list[int]] = {}
        """Local second (of a whole local minute) to the UTC seconds at which the clock showed it."""
        self.jumped: list[tuple[int, int, int]] = []
        """Local seconds from and up to which the clock jumped, with the offset before."""
        offset = _offset(zone, start)
        for minute in range(start, end, MINUTE):
            following = _offset(zone, minute + MINUTE)
            if following == offset:
                self._note(minute + -(minute + offset) % MINUTE, offset)
            else:
                self._note_change(zone, minute, offset)
            offset = following
        self.first_day = (start + _offset(zone, start)) // DAY
        self.last_day = (end + offset) // DAY

    def _note(self, at: int, offset: int) -> None:
        self.shown.setdefault(at + offset, []).append(at)

    def _note_change(self, zone: ZoneInfo, minute: int, before: int) -> None:
        for at in range(minute, minute + MINUTE):
            offset = _offset(zone, at)
            if offset > before:
                self.jumped.append((at + before, at + offset, before))
            before = offset
            if (at + offset) % MINUTE == 0:
                self._note(at, offset)
        last = _offset(zone, minute + MINUTE)
        if last > before:
            self.jumped.append((minute + MINUTE + before, minute + MINUTE + last, before))


def expected(rule: Rule, walk: Walk) -> list[Expected]:
    """The occurrences of a rule within a walk, in order. Its first day or two lack what began before the walk."""
    firsts: dict[int, Expected] = {}
    repeats: list[Expected] = []
    for nominal in _nominal_times(rule, walk.first_day, walk.last_day):
        local = round((nominal - NAIVE_EPOCH).total_seconds())
        shown = walk.shown.get(local, [])
        if shown:
            firsts[shown[0]] = Expected(shown[0], nominal, 0, exists=True)
            repeats += [Expected(at, nominal, 1, exists=True) for at in shown[1:]]
            continue
        for jumped_from, jumped_to, before in walk.jumped:
            if jumped_from <= local < jumped_to:
                firsts.setdefault(local - before, Expected(local - before, nominal, 0, exists=False))
    if rule.unit != "hours":
        repeats = []
    found: list[Expected] = []
    for event in sorted([*firsts.values(), *repeats], key=lambda each: (each.at, each.pass_)):
        if event.pass_ and found and event.at - found[-1].at < rule.interval * 3600:
            continue
        found.append(event)
    return found


def _offset(zone: ZoneInfo, at: int) -> int:
    offset = datetime.fromtimestamp(at, zone).utcoffset()
    return offset.days * DAY + offset.seconds


def _nominal_times(rule: Rule, first_day: int, last_day: int) -> Iterator[datetime]:
    for day in range(first_day, last_day + 1):
        day_of_month = date(1970, 1, 1) + timedelta(days=day)
        if rule.until is not None and day_of_month > rule.until:
            return
        if rule.unit == "hours":
            for hour in range(24):
                nominal = datetime.combine(day_of_month, time(hour, rule.start.minute))
                if (hour - rule.start.hour) % rule.interval == 0 and nominal >= rule.start:
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
