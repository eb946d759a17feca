"""A schedule in a person's words, in English and Korean."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Protocol


class RuleParts(Protocol):
    """What a rule shows of itself; `playbooks.domain.recurrence.Rule` has this shape.

    `unit` is `hours` … `years`, or None for once; `weekdays` are 0 for Monday to 6 for Sunday.
    """

    @property
    def start(self) -> datetime: ...
    @property
    def zone(self) -> str: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def interval(self) -> int: ...
    @property
    def weekdays(self) -> Collection[int]: ...
    @property
    def until(self) -> date | None: ...


_DAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAYS_KO = ("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일")
_MONTHS_EN = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WORKDAYS = (0, 1, 2, 3, 4)
_ALL_DAYS = tuple(range(7))


def rule_sentence(rule: RuleParts, language: str = "en") -> str:
    """`Every 2 weeks on Monday and Wednesday at 09:00 (Europe/Berlin), from 2 March 2026.`

    Korean for `ko`, else English. Times are those of the zone's wall clock, as the rule is stored.
    """
    return _korean(rule) if language == "ko" else _english(rule)


def short_weekday(day: date, language: str = "en") -> str:
    """`Mon` or `월`, for a list of days."""
    return _DAYS_KO[day.weekday()][0] if language == "ko" else _DAYS_EN[day.weekday()][:3]


def moved_sentence(moved: str, language: str = "en") -> str:
    """Why an occurrence is not at the wall clock's plain time, from `Occurrence.moved`."""
    return "; ".join(_moved_korean(reason) if language == "ko" else reason for reason in moved.split("; "))


def _english(rule: RuleParts) -> str:
    start, clock = rule.start, f"{rule.start:%H:%M}"
    if rule.unit is None:
        return f"Once, on {_DAYS_EN[start.weekday()]} {_date_en(start)} at {clock} ({rule.zone})."
    one = rule.interval == 1
    every = f"Every {rule.unit.removesuffix('s')}" if one else f"Every {rule.interval} {rule.unit}"
    match rule.unit:
        case "hours":
            when = f" {_past_en(start.minute)}" if one else f" at {_joined(_slots(rule), 'and')}"
        case "weeks":
            when = f" on {_weekdays_en(rule)} at {clock}"
        case "months":
            when = f" on the {_ordinal(start.day)}{_shorter_en(start.day)} at {clock}"
        case "years":
            leap = " (28 February when there is none)" if (start.month, start.day) == (2, 29) else ""
            when = f" on {start.day} {_MONTHS_EN[start.month - 1]}{leap} at {clock}"
        case _:
            when = f" at {clock}"
    begin = f"{clock} on {_date_en(start)}" if rule.unit == "hours" else _date_en(start)
    until = "" if rule.until is None else f" until {_date_en(rule.until)}"
    return f"{every}{when} ({rule.zone}), from {begin}{until}."


def _korean(rule: RuleParts) -> str:
    start, clock = rule.start, f"{rule.start:%H:%M}"
    if rule.unit is None:
        return f"{_date_ko(start)} {_DAYS_KO[start.weekday()]} {clock}에 한 번 ({rule.zone})."
    one = rule.interval == 1
    match rule.unit:
        case "hours":
            when = f"매시 {start.minute}분" if one else f"{rule.interval}시간마다 {', '.join(_slots(rule))}"
            when = "매시 정각" if one and start.minute == 0 else when
        case "weeks":
            when = f"{'매주' if one else f'{rule.interval}주마다'} {_weekdays_ko(rule)} {clock}"
        case "months":
            shorter = " (그 날짜가 없는 달은 말일)" if start.day > 28 else ""
            when = f"{'매월' if one else f'{rule.interval}개월마다'} {start.day}일{shorter} {clock}"
        case "years":
            leap = " (없는 해는 2월 28일)" if (start.month, start.day) == (2, 29) else ""
            when = f"{'매년' if one else f'{rule.interval}년마다'} {start.month}월 {start.day}일{leap} {clock}"
        case _:
            when = f"{'매일' if one else f'{rule.interval}일마다'} {clock}"
    begin = f"{_date_ko(start)} {clock}" if rule.unit == "hours" else _date_ko(start)
    until = "" if rule.until is None else f" {_date_ko(rule.until)}까지"
    return f"{begin}부터{until} {when} ({rule.zone})."


def _past_en(minute: int) -> str:
    if minute == 0:
        return "on the hour"
    return f"at {minute} minute{'s' if minute > 1 else ''} past"


def _slots(rule: RuleParts) -> list[str]:
    first = rule.start.hour % rule.interval
    return [f"{hour:02}:{rule.start:%M}" for hour in range(first, 24, rule.interval)]


def _weekdays_en(rule: RuleParts) -> str:
    days = tuple(sorted(rule.weekdays))
    if days == _ALL_DAYS:
        return "every day of the week"
    return "weekdays (Monday to Friday)" if days == _WORKDAYS else _joined([_DAYS_EN[day] for day in days], "and")


def _weekdays_ko(rule: RuleParts) -> str:
    days = tuple(sorted(rule.weekdays))
    if days == _ALL_DAYS:
        return "모든 요일"
    return "평일(월~금)" if days == _WORKDAYS else ", ".join(_DAYS_KO[day] for day in days)


def _shorter_en(day: int) -> str:
    return " (the last day of shorter months)" if day > 28 else ""


def _ordinal(day: int) -> str:
    suffix = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{suffix}"


def _joined(items: Sequence[str], last: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def _date_en(day: date) -> str:
    return f"{day.day} {_MONTHS_EN[day.month - 1]} {day.year}"


def _date_ko(day: date) -> str:
    return f"{day.year}년 {day.month}월 {day.day}일"


def _moved_korean(reason: str) -> str:
    if reason == "last day of month":
        return "그 달의 말일"
    if reason.startswith("moved: ") and reason.endswith(" does not exist"):
        return f"옮김: 존재하지 않는 시각 {reason.removeprefix('moved: ').removesuffix(' does not exist')}"
    for english, korean in (("first of two ", "첫 번째"), ("second of two ", "두 번째")):
        if reason.startswith(english):
            return f"두 번 오는 {reason.removeprefix(english)} 중 {korean}"
    return reason
