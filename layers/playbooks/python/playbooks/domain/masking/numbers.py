"""Numbers that prove themselves: Korean resident numbers by date and checksum, cards by Luhn."""

import re
from collections.abc import Iterator
from datetime import date

from playbooks.domain.masking.model import Kind, Span

_RESIDENT = re.compile(r"(?<![0-9])([0-9]{6})([ -]{0,3})([1-8][0-9]{6})(?![0-9])")
_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_CENTURIES = {"1": 1900, "2": 1900, "3": 2000, "4": 2000, "5": 1900, "6": 1900, "7": 2000, "8": 2000}
_RUN = re.compile(r"[0-9](?:[ -]?[0-9]){12,}")
_GROUP = re.compile(r"[0-9]+")
_CARDS: dict[int, tuple[str, ...]] = {
    13: ("4",),
    14: ("30", "36", "38", "39"),
    15: ("34", "37"),
    16: ("2", "3", "4", "5", "6", "9"),
    17: ("6",),
    18: ("6",),
    19: ("4", "5", "6"),
}
"""Lengths and first digits in use (ISO/IEC 7812; 9 is for national use, as Korean cards are)."""


def resident_numbers(text: str) -> Iterator[Span]:
    """Resident and alien registration numbers, `YYMMDD-SNNNNNN`.

    Numbers given since October 2020 end in random digits (Ministry of the Interior and Safety), so with its hyphen a
    number needs only a date that exists; 13 bare digits need the checksum too.
    """
    for found in _RESIDENT.finditer(text):
        birth, gap, rest = found.groups()
        if _is_day(birth, rest[0]) and ("-" in gap or has_resident_checksum(birth + rest)):
            yield Span(found.start(), found.end(), Kind.RESIDENT_NUMBER)


def has_resident_checksum(digits: str) -> bool:
    """Whether the 13th digit fits the first twelve, for citizens or for foreigners (whose digit is moved by two)."""
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, digits, strict=False))
    moved = 13 if digits[6] in "5678" else 11
    return (moved - total % 11) % 10 == int(digits[12])


def cards(text: str) -> Iterator[Span]:
    """Card numbers of 13 to 19 digits, whole or in groups, that pass Luhn's check (ISO/IEC 7812-1 annex B).

    Where numbers stand side by side, two readings of the digits may pass; all that belongs to either is one span, so
    that no part of the real card is left behind the wrong one.
    """
    for run in _RUN.finditer(text):
        groups = [group.span() for group in _GROUP.finditer(text, *run.span())]
        begun, ended = 0, -1
        for first in range(len(groups)):
            last = _card_end(text, groups, first)
            if last is None:
                continue
            if first > ended:
                if ended >= 0:
                    yield Span(groups[begun][0], groups[ended][1], Kind.CARD)
                begun = first
            ended = max(ended, last)
        if ended >= 0:
            yield Span(groups[begun][0], groups[ended][1], Kind.CARD)


def _card_end(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """The last group of the longest card that begins with this group."""
    digits, fitting = "", None
    for number in range(first, len(groups)):
        start, end = groups[number]
        if len(digits) + end - start > 19:
            break
        digits += text[start:end]
        if digits.startswith(_CARDS.get(len(digits), ())) and passes_luhn(digits):
            fitting = number
    return fitting


def passes_luhn(digits: str) -> bool:
    """Luhn's check over a string of digits."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_day(birth: str, century: str) -> bool:
    try:
        date(_CENTURIES[century] + int(birth[:2]), int(birth[2:4]), int(birth[4:]))
    except ValueError:
        return False
    return True
