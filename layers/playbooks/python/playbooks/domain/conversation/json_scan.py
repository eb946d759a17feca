"""A look at JSON text without building anything from it: how deep, how much, and where the parts lie."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_DEPTH = 100
MAX_VALUES = 1_000_000
"""In one element of a sequence, or in a record that is one object."""
MAX_MARKS = 15_000_000
"""Brackets, commas, colons and strings that are looked at in one pass: about four seconds.

An archive of 50 MB has fewer: a mark every nine bytes was the most that was seen in one of short chats.
"""
_MAX_DIGITS = 1_000
BLANK = b" \t\r\n\x1e"

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},:]', re.DOTALL)
_OPEN, _CLOSE, _COMMA, _COLON, _QUOTE = b"{[", b"}]", ord(","), ord(":"), ord('"')


class TooMuch(Exception):
    """The text holds more values than is read; the sentence says so."""


class TooDeep(Exception):
    """The text nests deeper than is read; the sentence says so."""


def _integer(digits: str) -> int | str:
    """Python refuses integers over 4,300 digits with a bare ValueError; such a number is kept as its text."""
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


DECODER = json.JSONDecoder(strict=False, parse_int=_integer)


def _marks(raw: bytes, begin: int = 0) -> Iterator[tuple[int, int]]:
    """The marks of JSON outside strings, and the strings, each with its position."""
    for count, token in enumerate(_TOKEN.finditer(raw, begin)):
        if count >= MAX_MARKS:
            raise TooMuch(f"it holds more than {MAX_MARKS:,} marks")
        start = token.start()
        yield start, raw[start]


def measure(raw: bytes) -> None:
    """Raises TooDeep or TooMuch when parsing this would nest over MAX_DEPTH or build more than MAX_VALUES values."""
    depth = values = 0
    for _, mark in _marks(raw):
        if mark == _COMMA:
            values += 1
        elif mark in _OPEN:
            depth += 1
            values += 1
            if depth > MAX_DEPTH:
                raise TooDeep(f"it is nested more than {MAX_DEPTH} levels deep")
        elif mark in _CLOSE:
            depth -= 1
        if values > MAX_VALUES:
            raise TooMuch(f"it holds more than {MAX_VALUES:,} values")


def first_value_end(raw: bytes, begin: int) -> int:
    """Where the first object or array from `begin` on ends; the end of the text when it is cut off. Raises TooMuch."""
    depth = 0
    for position, mark in _marks(raw, begin):
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            depth -= 1
            if depth == 0:
                return position + 1
    return len(raw)


@dataclass(frozen=True, slots=True)
class Part:
    """The extent of a value inside a container; `key` is an object's key, or the index in an array."""

    key: str
    start: int
    stop: int


def parts(raw: bytes) -> Iterator[Part]:
    """The values directly inside a container, also of one that is cut off, in order. Raises TooMuch."""
    yield from _members(raw) if raw[:1] == b"{" else _items(raw)


def _items(raw: bytes) -> Iterator[Part]:
    start, index = 1, 0
    for stop, mark in _ends(raw):
        if mark == _COLON:
            continue
        if raw[start:stop].strip(BLANK):
            yield Part(str(index), start, stop)
            index += 1
        start = stop + 1


def _members(raw: bytes) -> Iterator[Part]:
    start, key = 1, None
    for stop, mark in _ends(raw):
        if mark == _COLON and key is None:
            key = _key(raw[start:stop])
            start = stop + 1
        elif mark != _COLON:
            if key is not None and raw[start:stop].strip(BLANK):
                yield Part(key, start, stop)
            start, key = stop + 1, None


def _ends(raw: bytes) -> Iterator[tuple[int, int]]:
    """Positions of the commas, the colons and the closing mark directly inside a container, or of its cut-off end."""
    depth = 0
    for position, mark in _marks(raw):
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            depth -= 1
            if depth == 0:
                yield position, mark
                return
        elif depth == 1 and mark != _QUOTE:
            yield position, mark
    yield len(raw), 0


def _key(raw: bytes) -> str | None:
    try:
        key = DECODER.decode(raw.decode("utf-8", "replace").strip())
    except ValueError:
        return None
    return key if isinstance(key, str) else None
