"""A schedule in words, "every Monday at 9" or "매주 월요일 9시", as the parts it is told in."""

import re
from dataclasses import dataclass

_DAYS = (
    ("mon", r"mon(?:day)?s?|월요일|월"), ("tue", r"tue(?:s(?:day)?)?s?|화요일|화"),
    ("wed", r"wed(?:nesday)?s?|수요일|수"), ("thu", r"thu(?:r(?:s(?:day)?)?)?s?|목요일|목"),
    ("fri", r"fri(?:day)?s?|금요일|금"), ("sat", r"sat(?:urday)?s?|토요일|토"),
    ("sun", r"sun(?:day)?s?|일요일|일"),
)  # fmt: skip
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri")
_ENGLISH_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_UNITS = {"hour": "hours", "day": "days", "week": "weeks", "month": "months", "year": "years"}
_KOREAN_UNITS = {"시간": "hours", "일": "days", "주": "weeks", "개월": "months", "달": "months", "년": "years"}
_ADVERBS = {"hourly": "hours", "daily": "days", "weekly": "weeks", "monthly": "months", "yearly": "years"}
_NUMBERS = {"other": 2, "second": 2, "two": 2, "three": 3, "third": 3, "four": 4, "five": 5, "six": 6}

_EVERY = re.compile(
    r"\b(?:every|each)\s+(?:(?P<count>\d{1,3}|other|second|two|three|third|four|five|six)\s+)?"
    r"(?P<unit>hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)
_EVERY_DAYS = re.compile(
    rf"\b(?:every|each|on)\s+(?P<days>{_ENGLISH_DAY}(?:\s*(?:,|and|&)\s*(?:and\s+)?{_ENGLISH_DAY})*)\b", re.IGNORECASE
)
_EVERY_OTHER_DAY = re.compile(rf"\bevery\s+(?:other|second)\s+(?P<days>{_ENGLISH_DAY})\b", re.IGNORECASE)
_WEEKDAY_WORDS = re.compile(
    r"\b(?:every|each)\s+(?:weekday|working day|business day)s?\b|평일(?:마다|\s)", re.IGNORECASE
)
_ADVERB = re.compile(
    r"\b(?:run|send|do|repeat|schedule)\b.*\b(?P<word>hourly|daily|weekly|monthly|yearly)\b", re.IGNORECASE
)
_MORNING = re.compile(r"\b(?:every|each)\s+(?:morning|evening|night)\b", re.IGNORECASE)
_KOREAN_EVERY = re.compile(
    r"매\s?(?P<unit>시간|일|주|월|달|년|해)|(?P<every_other>격주)"
    r"|(?P<count>\d{1,3})\s?(?P<of>시간|일|주|개월|달|년)(?:일)?(?:마다|에 한 번)"
)
_KOREAN_DAYS = re.compile(
    r"(?:매\s?주|격주|주마다)\s*(?P<days>[월화수목금토일](?:요일)?(?:\s*[,·/와과및]\s*[월화수목금토일](?:요일)?)*)"
)
_KOREAN_DAY_EACH = re.compile(r"(?P<days>[월화수목금토일]요일)마다")
_ONCE = re.compile(
    r"\b(?:run|send|do)\b.*?\b(?P<day>today|tomorrow)\b|(?P<korean>오늘|내일)\s.*(?:실행|보내|돌려)", re.IGNORECASE
)

_SENTENCE = re.compile(r"(?<=[.!?。])\s+(?=[A-Z가-힣])|\n+")
_OF_DATA = re.compile(r"\b(?:for|in|of|by|per|over)\s+$", re.IGNORECASE)
_ORDER = re.compile(
    r"\b(?:run|send|repeat|schedule|deliver|refresh|automat\w*|mail|share|do (?:this|it|that|so))\b"
    r"|실행|보내|돌려|반복|예약|공유|자동|받고|받아",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:\bat\s+)(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>a\.?m\.?|p\.?m\.?)?"
    r"|\b(?P<clock>\d{1,2}:\d{2})\b|\b(?P<bare>\d{1,2})\s*(?P<bare_half>am|pm)\b",
    re.IGNORECASE,
)
_KOREAN_TIME = re.compile(
    r"(?P<half>오전|오후|아침|저녁|밤|새벽)?\s*(?P<hour>\d{1,2})\s?시(?!간)(?:\s*(?P<minute>\d{1,2})\s?분|\s*(?P<thirty>반))?"
)
_MONTH_DAY = re.compile(
    r"\b(?:on the|the)\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\b|매\s?[월달]\s*(?P<korean>\d{1,2})\s?일", re.IGNORECASE
)
_MONTH_END = re.compile(r"\b(?:last day|end) of (?:the|each|every) month\b|월말|말일", re.IGNORECASE)
_MONTH_START = re.compile(
    r"\b(?:first day|start|beginning) of (?:the|each|every) month\b|매\s?[월달]\s*초", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SpokenSchedule:
    """What was said: kind once or recurring, unit and interval, time HH:MM ("" unsaid), weekdays, day."""

    kind: str
    unit: str
    interval: int
    time: str = ""
    weekdays: tuple[str, ...] = ()
    day: str = ""


def find_schedule(text: str) -> SpokenSchedule | None:
    """The schedule the text asks for, or None. "Sales for each month" asks for data, not for a schedule."""
    for sentence in _SENTENCE.split(text):
        at = _time(sentence) or _time(text)
        recurring = _recurring(sentence)
        if recurring is not None and _is_order(sentence, recurring):
            day = _month_day(sentence) if recurring.unit == "months" else ""
            return SpokenSchedule("recurring", recurring.unit, recurring.interval, at, recurring.weekdays, day)
        once = _ONCE.search(sentence)
        if once is not None and _time(sentence):
            day = (once["day"] or {"오늘": "today", "내일": "tomorrow"}[once["korean"]]).lower()
            return SpokenSchedule("once", "once", 0, at, (), day)
    return None


@dataclass(frozen=True, slots=True)
class _Recurring:
    unit: str
    interval: int
    weekdays: tuple[str, ...]
    place: int
    """Where the words begin in the sentence."""


def _is_order(sentence: str, found: _Recurring) -> bool:
    """Whether the words order a repetition; weekdays and counts do by themselves, unless they speak of data."""
    if _OF_DATA.search(sentence[: found.place]):
        return False
    return bool(found.weekdays or found.interval > 1 or _ORDER.search(sentence) or _time(sentence))


def _recurring(text: str) -> _Recurring | None:
    if found := _WEEKDAY_WORDS.search(text):
        return _Recurring("weeks", 1, _WEEKDAYS, found.start())
    if found := _EVERY_OTHER_DAY.search(text):
        return _Recurring("weeks", 2, _named_days(found["days"]), found.start())
    if found := _EVERY_DAYS.search(text):
        other = re.search(r"\bevery\s+(?:other|second|2)\s+weeks?\b", text, re.IGNORECASE)
        if found[0].lower().startswith("on") and not (_EVERY.search(text) or _ADVERB.search(text)):
            return None
        return _Recurring("weeks", 2 if other else 1, _named_days(found["days"]), found.start())
    if (found := _KOREAN_DAYS.search(text)) or (found := _KOREAN_DAY_EACH.search(text)):
        interval = 2 if "격주" in text else _korean_interval(text)
        return _Recurring("weeks", interval, _named_days(found["days"]), found.start())
    if found := _KOREAN_EVERY.search(text):
        return _Recurring(*_korean_unit(found), (), found.start())
    if found := _MORNING.search(text):
        return _Recurring("days", 1, (), found.start())
    if found := _EVERY.search(text):
        said = (found["count"] or "1").lower()
        return _Recurring(_UNITS[found["unit"].lower()], _NUMBERS.get(said) or int(said), (), found.start())
    if found := _ADVERB.search(text):
        return _Recurring(_ADVERBS[found["word"].lower()], 1, (), found.start())
    return None


def _korean_unit(found: re.Match[str]) -> tuple[str, int]:
    if found["every_other"]:
        return "weeks", 2
    if found["count"]:
        return _KOREAN_UNITS[found["of"]], int(found["count"])
    return {"월": "months", "해": "years", **_KOREAN_UNITS}[found["unit"]], 1


def _korean_interval(text: str) -> int:
    found = re.search(r"(\d{1,2})\s?주(?:일)?마다", text)
    return int(found[1]) if found else 1


def _named_days(text: str) -> tuple[str, ...]:
    pieces = [piece for piece in re.split(r"\s*(?:,|·|/|와|과|및|&|\band\b)\s*|\s+", text.lower()) if piece]
    return tuple(day for day, words in _DAYS if any(re.fullmatch(words, piece) for piece in pieces))


def _time(text: str) -> str:
    if found := _KOREAN_TIME.search(text):
        half = {"오후": "pm", "저녁": "pm", "밤": "pm", "오전": "am", "새벽": "am", "아침": "am"}.get(
            found["half"] or "", ""
        )
        return _clock(int(found["hour"]), int(found["minute"] or (30 if found["thirty"] else 0)), half)
    if found := _TIME.search(text):
        if found["clock"]:
            hour, minute = found["clock"].split(":")
            return _clock(int(hour), int(minute), "")
        half = (found["half"] or found["bare_half"] or "").replace(".", "").lower()
        return _clock(int(found["hour"] or found["bare"]), int(found["minute"] or 0), half)
    return ""


def _clock(hour: int, minute: int, half: str) -> str:
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else ""


def _month_day(text: str) -> str:
    if _MONTH_END.search(text):
        return "31"
    if _MONTH_START.search(text):
        return "1"
    found = _MONTH_DAY.search(text)
    return (found["day"] or found["korean"]) if found else ""
