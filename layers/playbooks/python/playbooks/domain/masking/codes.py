"""Codes of letters and digits: IBANs by checksum, passports by form."""

import re
from collections.abc import Iterator

from playbooks.domain.masking.model import Kind, Span

_IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?=[ -]?[A-Za-z0-9])")
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in {
        "15": "NO", "16": "BE BI", "18": "DK FI FO GL NL SD", "19": "MK SI",
        "20": "AT BA EE KZ LT LU MN XK", "21": "CH HR LI LV", "22": "BG BH CR DE GB GE IE ME RS VA",
        "23": "AE GI IL IQ OM SO TL", "24": "AD CZ ES MD PK RO SA SE SK TN VG", "25": "LY PT ST",
        "26": "IS TR", "27": "BF BJ CI CM DJ FR GR IT MC MR SM", "28": "AL AZ BY CY DO DZ GT HU LB NI PL SV",
        "29": "BR EG PS QA UA", "30": "JO KW MU YE", "31": "MT SC", "32": "LC", "33": "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip
"""Characters of an IBAN by country (SWIFT IBAN registry)."""
_KOREAN_PASSPORT = re.compile(r"(?<![A-Za-z0-9])[MSRODGmsrodg](?:[0-9]{8}|[0-9]{3}[A-Za-z][0-9]{4})(?![A-Za-z0-9])")
_NAMED_PASSPORT = re.compile(
    r"(?i:passport|여권)(?:\s{0,3}(?i:numbers?|no\.?|번호))?[^A-Za-z0-9]{0,6}(?:(?i:is)\s{1,3})?"
    r"(?P<number>(?=(?:[A-Za-z]{0,3}[0-9]){5})[A-Za-z0-9]{6,12})(?![A-Za-z0-9])"
)
_MACHINE_FIRST = re.compile(r"(?<![A-Z0-9<])P[A-Z<][A-Z]{1,3}[A-Z<]{39,41}(?![A-Z0-9<])")
_MACHINE_SECOND = re.compile(r"(?<![A-Z0-9<])[A-Z0-9<]{9}[0-9][A-Z<]{3}[0-9]{7}[MFX<][0-9]{7}[A-Z0-9<]{14}[0-9<][0-9]")
LONE_NUMBER = re.compile(r"\s*[A-Za-z]{0,3}[0-9]{5,10}[A-Za-z]?[0-9]{0,4}\s*")
"""What a passport number looks like where the field's name says that it is one."""


def ibans(text: str) -> Iterator[Span]:
    """International bank account numbers, whole or in groups of any size (ISO 13616, check by ISO 7064 mod 97-10)."""
    end = 0
    for found in _IBAN_START.finditer(text):
        length = _IBAN_LENGTHS.get(found[0][:2].upper())
        if length is None or found.start() < end:
            continue
        stop = _after(text, found.start(), length)
        if stop is not None and _is_iban(text[found.start() : stop]):
            end = stop
            yield Span(found.start(), end, Kind.IBAN)


def passports(text: str) -> Iterator[Span]:
    """Korean passport numbers by their form, others where the word stands before them, and the two machine lines."""
    for found in _KOREAN_PASSPORT.finditer(text):
        yield Span(found.start(), found.end(), Kind.PASSPORT)
    for found in _NAMED_PASSPORT.finditer(text):
        yield Span(*found.span("number"), Kind.PASSPORT)
    for found in _MACHINE_FIRST.finditer(text):
        if "<<" in found[0]:
            yield Span(found.start(), found.end(), Kind.PASSPORT)
    for found in _MACHINE_SECOND.finditer(text):
        if _machine_digit(found[0][:9]) == found[0][9]:
            yield Span(found.start(), found.end(), Kind.PASSPORT)


def _after(text: str, start: int, length: int) -> int | None:
    """Where `length` letters and digits end that single spaces or hyphens may part; None when there are fewer."""
    counted, at = 0, start
    while counted < length:
        if at < len(text) and text[at].isascii() and text[at].isalnum():
            counted += 1
        elif at >= len(text) or text[at] not in " -" or text[at - 1] in " -":
            return None
        at += 1
    following = text[at : at + 1]
    return None if following.isascii() and following.isalnum() else at


def _is_iban(written: str) -> bool:
    plain = re.sub("[ -]", "", written).upper()
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _machine_digit(field: str) -> str:
    """The check digit of a field of the machine-readable zone (ICAO 9303-3, 4.9)."""
    values = (0 if sign == "<" else int(sign, 36) for sign in field)
    return str(sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values)) % 10)
