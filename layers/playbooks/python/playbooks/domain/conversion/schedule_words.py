"""A schedule as the user said it, turned into a rule: the model names kind, interval, time and day, code does the rest.

What cannot be expressed exactly is not stored as some nearby value: no schedule is proposed then, and a note says why.
"""

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from playbooks.domain.conversion.plan import ProposedSchedule
from playbooks.domain.conversion.schema import KINDS, NO_UNIT
from playbooks.domain.recurrence import Unit, Weekday, next_after, parse_rule
from playbooks.domain.recurrence.rule import WEEKDAY_BY_TEXT
from playbooks.domain.recurrence.zone_clock import zone_clock
from playbooks.domain.recurrence.zone_names import zone_finding
from playbooks.errors import Finding, Refused
from playbooks.language.warnings import warning_text

DEFAULT_TIME = time(9, 0)
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_AHEAD = re.compile(r"\+(\d{1,3})")
_MONTH_DAY = re.compile(r"(\d{1,2})-(\d{1,2})")
_NOT_EXPRESSIBLE = frozenset({"hours_not_in_day", "interval_out_of_range", "never_happens"})
_WEEKDAYS = tuple(WEEKDAY_BY_TEXT)
_UNITS = (NO_UNIT, *(unit.value for unit in Unit))


@dataclass(slots=True)
class Schedule:
    """What came of the words: a proposal or none, findings for the model, notes for the person."""

    proposed: ProposedSchedule | None = None
    findings: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    language: str = "en"

    def note(self, code: str, path: str, *, allowed: tuple[str, ...] = (), **values: object) -> None:
        """Tell the person."""
        self.notes.append(Finding(code, path, warning_text(code, self.language, **values), allowed))


def read_schedule(arguments: Mapping[str, object], zone: str, now: datetime, language: str = "en") -> Schedule:
    """The schedule of a plan, in the person's zone; `now` is aware. Never raises for what the model sent."""
    read = Schedule(language=language)
    kind = arguments.get("schedule_kind")
    if kind not in KINDS:
        read.findings.append(_finding("schedule_kind", "unknown_kind", f"{_shown(kind)} is not a kind.", KINDS))
        return read
    if kind == "none":
        return read
    unit = arguments.get("schedule_unit")
    if unit not in _UNITS:
        read.findings.append(_finding("schedule_unit", "unknown_unit", f"{_shown(unit)} is not a unit.", _UNITS))
    if kind == "recurring" and unit == NO_UNIT:
        read.findings.append(
            _finding("schedule_unit", "missing_unit", "A recurring schedule counts hours, days, …", _UNITS[1:])
        )
    local = zone_clock(zone).local(now)
    at = _time(arguments.get("schedule_time"), read, needed=kind == "once")
    start = _start(kind, unit, arguments, local, at, read)
    if read.findings or start is None:
        return read
    rule: dict[str, object] = {"start": start.isoformat(timespec="minutes"), "zone": zone}
    if kind == "recurring":
        rule |= {"unit": unit, "interval": arguments.get("schedule_interval")}
        if unit == Unit.WEEKS.value:
            rule["weekdays"] = arguments.get("schedule_weekdays")
    _propose(rule, now, arguments.get("schedule_zone"), read)
    return read


def _propose(rule: Mapping[str, object], now: datetime, named: object, read: Schedule) -> None:
    try:
        parsed = parse_rule(rule)
    except Refused as refused:
        for finding in refused.findings:
            if finding.code in _NOT_EXPRESSIBLE:
                allowed = finding.allowed
                read.note("schedule_not_expressible", "/schedule", allowed=allowed, said=finding.message)
            else:
                path = f"/schedule_{finding.path.lstrip('/')}"
                read.findings.append(Finding(finding.code, path, finding.message, finding.allowed))
        return
    first = next_after(parsed, now)
    if first is None:
        read.note("schedule_is_over", "/schedule", start=f"{parsed.start:%Y-%m-%d %H:%M}", zone=parsed.zone)
        return
    zone = named.strip() if isinstance(named, str) and named.strip() else None
    if zone is not None and zone_finding(zone) is not None:
        read.note("unknown_zone", "/schedule/zone", zone=_shown(zone))
        zone = None
    if zone is not None and zone != parsed.zone:
        read.note("zone_to_confirm", "/schedule/zone", named=zone, zone=parsed.zone)
    read.proposed = ProposedSchedule(parsed, first, zone)


def _time(value: object, read: Schedule, *, needed: bool) -> time | None:
    if value in ("", None) and not needed:
        return None
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        message = f"{_shown(value)} is not a time of day: write HH:MM."
        read.findings.append(_finding("schedule_time", "invalid_time", message))
        return None
    return time(int(match[1]), int(match[2]))


def _start(
    kind: object, unit: object, arguments: Mapping[str, object], local: datetime, at: time | None, read: Schedule
) -> datetime | None:
    """The local date and minute the rule counts from."""
    day = arguments.get("schedule_day")
    said = day.strip().lower() if isinstance(day, str) else str(day) if isinstance(day, int) and 0 < day < 100 else ""
    if kind == "once":
        on = _stated_day(said, local.date(), read)
        return None if on is None or at is None else datetime.combine(on, at)
    if at is None and unit != Unit.HOURS.value and not read.findings:
        read.note("time_proposed", "/schedule/start", time=f"{DEFAULT_TIME:%H:%M}")
    today = local.date()
    match unit:
        case Unit.HOURS.value:
            return datetime.combine(today, at or time())
        case Unit.MONTHS.value:
            on = _month_anchor(said, today, arguments.get("schedule_interval"), read)
        case Unit.YEARS.value:
            on = _year_anchor(said, today, read)
        case _:
            on = today
    if on is None:
        return None
    start = datetime.combine(on, at or DEFAULT_TIME)
    is_anchored = unit in (Unit.MONTHS.value, Unit.YEARS.value) and said != ""
    if start <= local.replace(tzinfo=None) and not is_anchored:
        start += timedelta(days=1)
    return _on_a_weekday(start, arguments.get("schedule_weekdays")) if unit == Unit.WEEKS.value else start


def _on_a_weekday(start: datetime, picked: object) -> datetime:
    """The first picked weekday on or after `start`, so that the start a person reads is the first run."""
    days = {WEEKDAY_BY_TEXT[day] for day in picked if day in _WEEKDAYS} if isinstance(picked, list) else set()
    ahead = [start + timedelta(days=count) for count in range(7)]
    return next((day for day in ahead if day.weekday() in days), start)


def _stated_day(said: str, today: date, read: Schedule) -> date | None:
    """A stated or relative day; a weekday is the next one, today not included."""
    if said in {"today", "tomorrow"}:
        return today + timedelta(days=said == "tomorrow")
    if ahead := _AHEAD.fullmatch(said):
        return today + timedelta(days=int(ahead[1]))
    weekday: Weekday | None = WEEKDAY_BY_TEXT.get(said)
    if weekday is not None:
        return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    try:
        return date.fromisoformat(said)
    except ValueError:
        message = f"{_shown(said)} is not a day: YYYY-MM-DD, today, tomorrow, +3 or mon … sun."
        read.findings.append(_finding("schedule_day", "invalid_day", message))
        return None


def _month_anchor(said: str, today: date, interval: object, read: Schedule) -> date | None:
    """The nearest month that has the day: back for every month, so that a shorter month is not passed over."""
    if not said:
        return today
    try:
        day = date.fromisoformat(said).day if "-" in said else int(said)
    except ValueError:
        day = 0
    if not 1 <= day <= 31:
        message = f"{_shown(said)} is not a day of the month: 1 to 31."
        read.findings.append(_finding("schedule_day", "invalid_day", message))
        return None
    step = -1 if interval in (1, None) else 1
    month = today.year * 12 + today.month - 1
    if step > 0 and day < today.day:
        month += 1
    while monthrange(month // 12, month % 12 + 1)[1] < day:
        month += step
    return date(month // 12, month % 12 + 1, day)


def _year_anchor(said: str, today: date, read: Schedule) -> date | None:
    """The day in the last year that has it, which for 29 February is a leap year."""
    if not said:
        return today
    match = _MONTH_DAY.fullmatch(said[5:] if len(said) == 10 else said)
    month, day = (int(match[1]), int(match[2])) if match is not None else (0, 0)
    for year in range(today.year, today.year - 9, -1):
        if 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]:
            return date(year, month, day)
    read.findings.append(_finding("schedule_day", "invalid_day", f"{_shown(said)} is not a day of a year: MM-DD."))
    return None


def _finding(name: str, code: str, message: str, allowed: tuple[str, ...] = ()) -> Finding:
    return Finding(code, f"/{name}", message, allowed)


def _shown(value: object) -> str:
    return repr(value)[:60] if isinstance(value, str | int | float | None) else "What was given"
