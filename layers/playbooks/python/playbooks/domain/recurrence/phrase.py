"""The phrase form of a rule, small and strict: `every 2 weeks on Mon, Wed 09:00 Europe/Berlin from 2026-03-02`.

    every [N] hours|days|weeks|months|years [on DAY, DAY …] [at] HH:MM ZONE from DATE [until DATE]
    once on DATE [at] HH:MM ZONE

A phrase is read word by word; the first word that does not fit is named together with what belongs there.
"""

import re
from collections.abc import Mapping

from playbooks.domain.recurrence.parse import parse_rule
from playbooks.domain.recurrence.rule import WEEKDAY_BY_TEXT, Rule, Unit
from playbooks.errors import Finding, Refused

_LONGEST = 300
_EXAMPLE = "every 2 weeks on Mon, Wed 09:00 Europe/Berlin from 2026-03-02"
_UNIT_WORDS = {word: unit.value for unit in Unit for word in (unit.value, unit.value.removesuffix("s"))}
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_WORDS = {text: text for text in WEEKDAY_BY_TEXT} | {name: name[:3] for name in _DAY_NAMES}
_A_DAY = "a weekday such as Mon"

_WORD = re.compile(r"[^\s,]+|,")
_ANYTHING = re.compile(r"[^,]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}")
_NUMBER = re.compile(r"[0-9]+")
_BETWEEN_DAYS = re.compile(",|and", re.IGNORECASE)
_EVERY, _ONCE, _ON, _AT, _FROM, _UNTIL = (
    re.compile(word, re.IGNORECASE) for word in ("every", "once", "on", "at", "from", "until")
)


def parse_phrase(text: str) -> Rule:
    """The rule a phrase names; Refused names the word that was not understood and what was expected there."""
    if len(text) > _LONGEST:
        raise _not_understood(f"It is longer than {_LONGEST} characters.")
    words = _Words(_WORD.findall(text))
    mapping: dict[str, object] = {}
    if words.take_if(_ONCE):
        words.take_if(_ON)
        day = words.take(_DATE, "a date such as 2026-03-02")
        mapping["start"] = f"{day}T{_clock_and_zone(words, mapping)}"
    else:
        words.take(_EVERY, '"every" or "once"')
        _repetition(words, mapping)
        clock = _clock_and_zone(words, mapping)
        words.take(_FROM, '"from" and the day it starts')
        mapping["start"] = f"{words.take(_DATE, 'the day it starts, such as 2026-03-02')}T{clock}"
        if words.take_if(_UNTIL):
            mapping["until"] = words.take(_DATE, "its last day, such as 2026-12-31")
    words.end()
    return parse_rule(mapping)


def _repetition(words: "_Words", mapping: dict[str, object]) -> None:
    number = words.take_if(_NUMBER)
    mapping["interval"] = int(number) if number else 1
    mapping["unit"] = words.take_one_of(_UNIT_WORDS, "hours, days, weeks, months or years")
    if words.take_if(_ON):
        days = [words.take_one_of(_DAY_WORDS, _A_DAY)]
        while words.take_if(_BETWEEN_DAYS):
            days.append(words.take_one_of(_DAY_WORDS, _A_DAY))
        mapping["weekdays"] = days


def _clock_and_zone(words: "_Words", mapping: dict[str, object]) -> str:
    words.take_if(_AT)
    clock = words.take(_TIME, "a time of day such as 09:00")
    mapping["zone"] = words.take(_ANYTHING, "a time zone such as Europe/Berlin")
    return clock


class _Words:
    """The words of a phrase, taken from left to right."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._taken = 0

    def take_if(self, form: re.Pattern[str]) -> str | None:
        """The next word when it has the form; else None, and nothing is taken."""
        word = self._next()
        if not word or form.fullmatch(word) is None:
            return None
        self._taken += 1
        return word

    def take(self, form: re.Pattern[str], expected: str) -> str:
        """The next word, which must have the form."""
        word = self.take_if(form)
        if word is None:
            raise self._unexpected(expected)
        return word

    def take_one_of(self, known: Mapping[str, str], expected: str) -> str:
        """What the next word stands for, which must be one of the known ones."""
        meant = known.get(self._next().lower())
        if meant is None:
            raise self._unexpected(expected)
        self._taken += 1
        return meant

    def end(self) -> None:
        """Nothing may be left."""
        if self._next():
            raise self._unexpected("nothing more")

    def _next(self) -> str:
        return self._words[self._taken] if self._taken < len(self._words) else ""

    def _unexpected(self, expected: str) -> Refused:
        before = " ".join(self._words[: self._taken]).replace(" ,", ",")
        place = f'after "{before}"' if before else "at the beginning"
        word = self._next()
        if word:
            return _not_understood(f'"{word[:40]}" was not understood: {expected} is expected {place}.')
        return _not_understood(f"The phrase ends too early: {expected} is expected {place}.")


def _not_understood(sentence: str) -> Refused:
    code = "phrase_not_understood"
    return Refused(
        f"This schedule was not understood. For example: {_EXAMPLE}", [Finding(code, "", sentence)], code=code
    )
