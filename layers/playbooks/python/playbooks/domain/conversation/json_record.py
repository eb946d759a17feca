"""JSON and JSON Lines from outside in bounded memory: no record can exhaust the stack or the machine.

Size, nesting and the number of values are counted on the bytes before anything is built from them. A sequence (an
array, or one value a line) is parsed one element at a time, so that an archive costs its largest conversation only.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from playbooks.domain.conversation.json_scan import BLANK, DECODER, TooDeep, TooMuch, first_value_end, measure, parts
from playbooks.errors import Finding, Refused

MAX_BYTES = 50 * 1024 * 1024
MAX_ELEMENTS = 200_000
"""Lines, or elements of the outermost array."""
MAX_PROBLEMS = 100
_RESCUE_LEVELS = 6
_HEAD_ELEMENTS = 50
_HEAD_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed value; a wrapper, so that a JSON null differs from nothing."""

    value: object


@dataclass(slots=True)
class Problems:
    """Malformed parts by their place, at most MAX_PROBLEMS of them."""

    found: list[Finding] = field(default_factory=list)

    def add(self, code: str, path: str, message: str) -> None:
        """Note one; those over the limit are dropped, for a person reads them."""
        if len(self.found) < MAX_PROBLEMS:
            self.found.append(Finding(code, path, message))


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a record and its place, a JSON pointer (in JSON Lines, of the value counted from 0)."""

    path: str
    value: object


def parse_text(text: str) -> Parsed | None:
    """The value of a JSON text within the limits of depth and number; nothing when it is not one."""
    try:
        measure(text.encode("utf-8", "surrogatepass"))
        return Parsed(DECODER.decode(text))
    except (ValueError, TooMuch, TooDeep):
        return None


def _pointer(path: str, key: str) -> str:
    """RFC 6901."""
    return f"{path}/{key.replace('~', '~0').replace('/', '~1')}"


def _load(raw: bytes, path: str, place: str, problems: Problems, level: int = 0) -> Parsed | None:
    """The value; what cannot be read inside it is left out and named. Nothing when nothing can be read."""
    raw = raw.strip(BLANK)
    try:
        measure(raw)
        return Parsed(DECODER.decode(raw.decode("utf-8")))
    except json.JSONDecodeError as error:
        reason = f"it is not JSON ({error.msg} at character {error.pos})"
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 text (byte {error.start})"
    except (TooDeep, ValueError) as error:
        reason = str(error)
    except TooMuch as error:
        problems.add("too_much", path, f"{place}{path or '/'} was left out: {error}.")
        return None
    before = len(problems.found)
    rescued = _rescue(raw, path, place, problems, level)
    if rescued is None:
        del problems.found[before:]
        problems.add("malformed", path, f"{place}{path or '/'} was left out: {reason}.")
    return rescued


def _rescue(raw: bytes, path: str, place: str, problems: Problems, level: int) -> Parsed | None:
    """The parts of a malformed container that can be read; the innermost malformed parts are named."""
    if level >= _RESCUE_LEVELS or raw[:1] not in {b"{", b"["}:
        return None
    before = len(problems.found)
    loaded: list[tuple[str, object]] = []
    try:
        for part in parts(raw):
            inner = _load(raw[part.start : part.stop], _pointer(path, part.key), place, problems, level + 1)
            if inner is not None:
                loaded.append((part.key, inner.value))
    except TooMuch:
        return None
    if loaded and len(problems.found) == before:
        problems.add("malformed", path, f"{place}{path or '/'} was read in part: it is cut off or misses a mark.")
    if not loaded:
        return None
    return Parsed(dict(loaded) if raw[:1] == b"{" else [value for _, value in loaded])


@dataclass(slots=True)
class Record:
    """What the bytes hold: one value, or a sequence whose elements are parsed as they are asked for."""

    data: bytes
    spans: tuple[tuple[int, int], ...]
    is_sequence: bool
    by_line: bool
    problems: Problems = field(default_factory=Problems)
    _head: tuple[Element, ...] | None = None
    _root: Element | None = None

    @property
    def root(self) -> Mapping[str, object]:
        """The object of a record that is one object; an empty one for a sequence."""
        if self.is_sequence:
            return {}
        value = next(self.elements()).value
        return value if isinstance(value, dict) else {}

    def elements(self) -> Iterator[Element]:
        """The elements in order; those that cannot be read are named among the problems and left out.

        A record that is one value is its only element, at the place "".
        """
        if not self.is_sequence:
            if self._root is None:
                start, stop = self.spans[0]
                parsed = _load(self.data[start:stop], "", "", self.problems)
                if parsed is None:
                    found = self.problems.found[-1]
                    code = "too_large" if found.code == "too_much" else "not_a_conversation"
                    raise Refused(f"The record cannot be read. {found.message}", [found], code=code)
                self._root = Element("", parsed.value)
            yield self._root
            return
        lines = _line_starts(self.data) if self.by_line else []
        for index, (start, stop) in enumerate(self.spans):
            place = f"Line {bisect_right(lines, start)}, " if self.by_line else ""
            parsed = _load(self.data[start:stop], f"/{index}", place, self.problems)
            if parsed is not None:
                yield Element(f"/{index}", parsed.value)

    def head(self) -> tuple[Mapping[str, object], ...]:
        """The objects among the first elements, for detection: at most 50 and a few megabytes, at least one.

        What is malformed in them is noted when the elements are read, not here.
        """
        if self._head is None:
            first = self.spans[:1]
            near = (span for span in self.spans[1:_HEAD_ELEMENTS] if span[1] - first[0][0] <= _HEAD_BYTES)
            quiet = Record(self.data, (*first, *near), is_sequence=True, by_line=False)
            self._head = tuple(quiet.elements()) if self.is_sequence else tuple(self.elements())
        return tuple(element.value for element in self._head if isinstance(element.value, dict))


def _line_starts(data: bytes) -> list[int]:
    return [0, *(match.end() for match in re.finditer(rb"\n", data))]


def _bounded(spans: Iterator[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found = tuple(islice(spans, MAX_ELEMENTS + 1))
    if len(found) > MAX_ELEMENTS:
        raise TooMuch(f"it has more than {MAX_ELEMENTS:,} lines or elements")
    return found


def _line_spans(data: bytes) -> Iterator[tuple[int, int]]:
    for match in re.finditer(rb"[^\n]+", data):
        if match.group().strip(BLANK):
            yield match.span()


def _value_spans(data: bytes, begin: int) -> Iterator[tuple[int, int]]:
    """Values written one after the other, each over several lines."""
    while begin < len(data):
        stop = first_value_end(data, begin)
        if data[begin:stop].strip(BLANK):
            yield begin, stop
        begin = stop


def open_record(data: bytes) -> Record:
    """Bytes as a record, without parsing them yet; raises Refused for what is too large, empty or not JSON."""
    if len(data) > MAX_BYTES:
        raise Refused(
            f"The record has {len(data) / 1024 / 1024:.1f} MB; at most {MAX_BYTES // 1024 // 1024} MB can be read. "
            "Export a single conversation instead of the whole archive.",
            code="too_large",
        )
    data = _as_utf8(data)
    if data[:4] == b"PK\x03\x04":
        raise Refused(
            "This is a zip archive: unpack it and give the conversations.json inside.", code="not_a_conversation"
        )
    if not data.strip(BLANK):
        raise Refused("The record is empty.", code="not_a_conversation")
    begin = len(data) - len(data.lstrip(BLANK))
    if data[begin : begin + 1] not in {b"{", b"["}:
        raise Refused(
            "This is not a chat record: JSON or JSON Lines is expected, beginning with { or [.",
            code="not_a_conversation",
        )
    try:
        return _split(data, begin)
    except TooMuch as error:
        raise Refused(
            f"The record is too large: {error}. Export a single conversation instead of the whole archive.",
            code="too_large",
        ) from error


def _split(data: bytes, begin: int) -> Record:
    """One object, an array by its elements, or values one after the other: one a line, or each over several lines."""
    end = first_value_end(data, begin)
    if data[end:].strip(BLANK):
        one_a_line = b"\n" not in data[begin:end]
        spans = _bounded(_line_spans(data) if one_a_line else _value_spans(data, begin))
        return Record(data, spans, is_sequence=True, by_line=one_a_line)
    if data[begin : begin + 1] == b"[":
        spans = _bounded((begin + part.start, begin + part.stop) for part in parts(data[begin:end]))
        return Record(data, spans, is_sequence=True, by_line=False)
    return Record(data, ((begin, end),), is_sequence=False, by_line=False)


def _as_utf8(data: bytes) -> bytes:
    """Without a byte order mark; UTF-16, which some shells write, turned into UTF-8."""
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:]
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "replace").encode("utf-8", "surrogatepass")
    return data
