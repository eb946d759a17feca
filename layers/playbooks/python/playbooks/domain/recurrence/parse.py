"""The one edge where a rule is read from plain data: every finding at once, never a nearby rule in silence."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta

from playbooks.domain.recurrence.nominal import nominal_times
from playbooks.domain.recurrence.rule import (
    FIRST_YEAR,
    HOUR_INTERVALS,
    LAST_YEAR,
    MAX_INTERVAL,
    WEEKDAY_BY_TEXT,
    Rule,
    Unit,
    Weekday,
)
from playbooks.domain.recurrence.zone_names import zone_finding
from playbooks.errors import Finding, Refused

_FIELDS = ("start", "zone", "unit", "interval", "weekdays", "until")
_UNITS = tuple(unit.value for unit in Unit)
_WEEKDAYS = tuple(WEEKDAY_BY_TEXT)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_START = re.compile(_DATE.pattern + r"T([0-9]{2}):([0-9]{2})")
_SHOWN = 40
_MOST_NAMED = 10


def parse_rule(mapping: Mapping[str, object]) -> Rule:
    """A rule from `{"start", "zone", "unit", "interval", "weekdays", "until"}`, or Refused with every finding.

    `start` is `YYYY-MM-DDTHH:MM` on the wall clock of `zone`, an IANA name. `unit` absent or null means once, and
    then `interval`, `weekdays` and `until` are absent too; `interval` is 1 when absent; `weekdays` (`mon` … `sun`)
    belong to weeks; `until` is `YYYY-MM-DD`, the last local date.
    """
    if not isinstance(mapping, Mapping):
        raise _refused([Finding("invalid_rule", "", "A schedule is an object with start, zone, unit and so on.")])
    unknown = [name for name in mapping if name not in _FIELDS]
    findings = [
        Finding("unknown_field", f"/{_pointer(name)}", f"A schedule has no field {_shown(name)}.", _FIELDS)
        for name in unknown[:_MOST_NAMED]
    ]
    start = _start(mapping.get("start"), findings)
    zone = _zone(mapping.get("zone"), findings)
    until = _date(mapping.get("until"), findings)
    unit_known = mapping.get("unit") is None or mapping["unit"] in _UNITS
    unit = _unit(mapping.get("unit"), findings)
    if unit_known:
        findings += _out_of_place(mapping, unit)
    interval = _interval(mapping.get("interval"), unit, findings)
    weekdays = _weekdays(mapping.get("weekdays"), unit, findings)
    if start is not None and until is not None and until < start.date():
        findings.append(
            Finding("until_before_start", "/until", f"The last day {until} is before the start {start.date()}.")
        )
    if findings or start is None or zone is None:
        raise _refused(findings)
    rule = Rule(start, zone, unit, interval, weekdays, until)
    first = nominal_times(rule).first
    if until is not None and first.date() > until:
        raise _refused(
            [Finding("never_happens", "/until", f"It would never run: the first day is {first.date()}, after {until}.")]
        )
    return rule


def rule_mapping(rule: Rule) -> dict[str, object]:
    """A rule as plain data, the inverse of `parse_rule`; fields that do not apply are left out."""
    mapping: dict[str, object] = {"start": rule.start.isoformat(timespec="minutes"), "zone": rule.zone}
    if rule.unit is not None:
        mapping |= {"unit": rule.unit.value, "interval": rule.interval}
    if rule.weekdays:
        mapping["weekdays"] = [day.text for day in sorted(rule.weekdays)]
    if rule.until is not None:
        mapping["until"] = rule.until.isoformat()
    return mapping


def _start(value: object, findings: list[Finding]) -> datetime | None:
    if value is None:
        findings.append(
            Finding("missing_field", "/start", "Say when it starts: a local date and time, 2026-03-02T09:00.")
        )
        return None
    match = _START.fullmatch(value) if isinstance(value, str) and len(value) <= _SHOWN else None
    if match is None:
        findings.append(
            Finding(
                "invalid_start",
                "/start",
                f"{_shown(value)} is not a local date and minute: write 2026-03-02T09:00, without seconds or offset.",
            )
        )
        return None
    year, month, day, hour, minute = map(int, match.groups())
    found = _calendar_date(year, month, day, "/start", findings)
    if hour > 23 or minute > 59:
        findings.append(
            Finding("invalid_time", "/start", f"{hour:02}:{minute:02} is not a time of day: 00:00 to 23:59 are.")
        )
        return None
    return None if found is None else datetime.combine(found, time(hour, minute))


def _date(value: object, findings: list[Finding]) -> date | None:
    if value is None:
        return None
    match = _DATE.fullmatch(value) if isinstance(value, str) and len(value) <= _SHOWN else None
    if match is None:
        findings.append(Finding("invalid_until", "/until", f"{_shown(value)} is not a date: write 2026-12-31."))
        return None
    year, month, day = map(int, match.groups())
    return _calendar_date(year, month, day, "/until", findings)


def _calendar_date(year: int, month: int, day: int, path: str, findings: list[Finding]) -> date | None:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        findings.append(
            Finding(
                "year_out_of_range",
                path,
                f"The year {year:04} is out of range: {FIRST_YEAR} to {LAST_YEAR} can be used.",
            )
        )
        return None
    if not 1 <= month <= 12:
        findings.append(Finding("invalid_date", path, f"There is no month {month:02}: 01 to 12 can be used."))
        return None
    last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)).day
    if not 1 <= day <= last:
        findings.append(
            Finding(
                "invalid_date",
                path,
                f"{year:04}-{month:02}-{day:02} does not exist: the last day of that month is {last}.",
            )
        )
        return None
    return date(year, month, day)


def _zone(value: object, findings: list[Finding]) -> str | None:
    if value is None:
        findings.append(Finding("missing_field", "/zone", "Say which time zone's clock is meant, such as Asia/Seoul."))
        return None
    if not isinstance(value, str):
        findings.append(
            Finding("unknown_zone", "/zone", f"{_shown(value)} is not a time zone: write a name such as Asia/Seoul.")
        )
        return None
    finding = zone_finding(value)
    if finding is None:
        return value
    findings.append(finding)
    return None


def _unit(value: object, findings: list[Finding]) -> Unit | None:
    if value is None:
        return None
    if not isinstance(value, str) or value not in _UNITS:
        findings.append(Finding("unknown_unit", "/unit", f"{_shown(value)} is not a unit of repetition.", _UNITS))
        return None
    return Unit(value)


def _out_of_place(mapping: Mapping[str, object], unit: Unit | None) -> list[Finding]:
    found = []
    if unit is None:
        found = [
            Finding("repetition_without_unit", f"/{name}", f"{name} needs a unit: without one it happens once.", _UNITS)
            for name in ("interval", "weekdays", "until")
            if mapping.get(name) is not None
        ]
    elif unit is not Unit.WEEKS and mapping.get("weekdays") not in (None, []):
        found = [
            Finding("weekdays_without_weeks", "/weekdays", f"Weekdays are picked with the unit weeks, not {unit}.")
        ]
    return found


def _interval(value: object, unit: Unit | None, findings: list[Finding]) -> int:
    if value is None:
        return 1
    if not isinstance(value, int) or isinstance(value, bool):
        findings.append(
            Finding("invalid_interval", "/interval", f"{_shown(value)} is not a whole number: write 1, 2, 3 …")
        )
        return 1
    if unit is Unit.HOURS and value not in HOUR_INTERVALS:
        listed = tuple(map(str, HOUR_INTERVALS))
        findings.append(
            Finding(
                "hours_not_in_day",
                "/interval",
                f"{_shown(value)} hours do not divide the day, so the time would drift: use {', '.join(listed)}.",
                listed,
            )
        )
        return 1
    most = MAX_INTERVAL[unit] if unit is not None else max(MAX_INTERVAL.values())
    if not 1 <= value <= most:
        findings.append(
            Finding(
                "interval_out_of_range",
                "/interval",
                f"{_shown(value)} is out of range: 1 to {most}{f' {unit}' if unit else ''} can be used.",
            )
        )
        return 1
    return value


def _weekdays(value: object, unit: Unit | None, findings: list[Finding]) -> frozenset[Weekday]:
    if value is None or value == []:
        if unit is Unit.WEEKS:
            findings.append(
                Finding("empty_weekdays", "/weekdays", "Pick at least one weekday for a weekly schedule.", _WEEKDAYS)
            )
        return frozenset()
    if not isinstance(value, list | tuple):
        findings.append(
            Finding("invalid_weekdays", "/weekdays", f"{_shown(value)} is not a list of weekdays.", _WEEKDAYS)
        )
        return frozenset()
    seen: set[Weekday] = set()
    for index, item in enumerate(value[: 2 * len(_WEEKDAYS)]):
        day = WEEKDAY_BY_TEXT.get(item) if isinstance(item, str) else None
        if day is None:
            findings.append(
                Finding("unknown_weekday", f"/weekdays/{index}", f"{_shown(item)} is not a weekday.", _WEEKDAYS)
            )
        elif day in seen:
            findings.append(Finding("duplicate_weekday", f"/weekdays/{index}", f"{day.text} is picked twice."))
        else:
            seen.add(day)
    return frozenset(seen)


def _refused(findings: list[Finding]) -> Refused:
    return Refused("This schedule cannot be used as it is.", findings, code="invalid_rule")


def _shown(value: object) -> str:
    """A value for the beginning of a sentence: never more of it than a person wants to read."""
    match value:
        case str():
            text = repr(value[:_SHOWN])
            return text if len(value) <= _SHOWN else f"{text[:-1]}…{text[-1]}"
        case None:
            return "null"
        case bool() | float():
            return repr(value).lower()
        case int():
            return str(value) if value.bit_length() <= 2 * _SHOWN else "That number"
        case _:
            return "What was given"


def _pointer(name: object) -> str:
    """A field's name as a token of a JSON pointer (RFC 6901)."""
    return str(name)[:_SHOWN].replace("~", "~0").replace("/", "~1")
