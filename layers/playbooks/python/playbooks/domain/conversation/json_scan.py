"""A look at JSON text without building anything from it: how deep, how much, and where the parts lie."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_DEPTH = 100
MAX_VALUES = 1_000_000
_MAX_DIGITS = 1_000
BLANK = b" \t\r\n\x1e"

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},:]', re.DOTALL)
_OPEN, _CLOSE, _COMMA, _COLON, _QUOTE = b"{[", b"}]", ord(","), ord(":"), ord('"')


class TooMuch(Exception):
    """The text nests deeper or holds more values than is read; the sentence says which."""


def _integer(digits: str) -> int | str:
    """Python refuses integers over 4,300 digits with a bare ValueError; such a number is kept as its text."""
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


DECODER = json.JSONDecoder(strict=False, parse_int=_integer)


def measure(raw: bytes) -> None:
    """Raises TooMuch when parsing this would nest over MAX_DEPTH or build more than MAX_VALUES values."""
    depth = values = 0
    for token in _TOKEN.finditer(raw):
        mark = raw[token.start()]
        if mark == _COMMA:
            values += 1
        elif mark in _OPEN:
            depth += 1
            values += 1
            if depth > MAX_DEPTH:
                raise TooMuch(f"it is nested more than {MAX_DEPTH} levels deep")
        elif mark in _CLOSE:
            depth -= 1
        if values > MAX_VALUES:
            raise TooMuch(f"it holds more than {MAX_VALUES:,} values")


def first_value_end(raw: bytes) -> int:
    """Where the first object or array ends; the end of the text when it is cut off."""
    depth = 0
    for token in _TOKEN.finditer(raw):
        mark = raw[token.start()]
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            depth -= 1
            if depth == 0:
                return token.end()
    return len(raw)


@dataclass(frozen=True, slots=True)
class Part:
    """The extent of a value inside a container; `key` is an object's key, or the index in an array."""

    key: str
    start: int
    stop: int


def parts(raw: bytes) -> Iterator[Part]:
    """The values directly inside a container, also of one that is cut off, in order."""
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
    for token in _TOKEN.finditer(raw):
        mark = raw[token.start()]
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            depth -= 1
            if depth == 0:
                yield token.start(), mark
                return
        elif depth == 1 and mark != _QUOTE:
            yield token.start(), mark
    yield len(raw), 0


def _key(raw: bytes) -> str | None:
    try:
        key = DECODER.decode(raw.decode("utf-8", "replace").strip())
    except ValueError:
        return None
    return key if isinstance(key, str) else None
