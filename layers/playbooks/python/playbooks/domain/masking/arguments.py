"""The arguments of a tool call as they may leave the house."""

import re
from collections.abc import Mapping, Sequence

from playbooks.domain.masking.model import (
    MAX_DEPTH,
    MAX_NODES,
    Json,
    Kind,
    Masked,
    MaskedArguments,
    MaskingRules,
    Unmaskable,
)
from playbooks.domain.masking.text import TextMasker

_EXPECTED = (
    (Kind.PHONE, re.compile(r"(?i)phone|(?:^|[^a-z])(?:tel|mobile|cell|fax)(?:$|[^a-z])|전화|휴대|핸드폰|연락처")),
    (Kind.PASSPORT, re.compile(r"(?i)passport|여권")),
)
"""What the name of a field says its value is."""


def mask_arguments(arguments: Mapping[str, Json], rules: MaskingRules) -> MaskedArguments:
    """The same structure with tokens in place of personal data, in values and in names of fields.

    Texts are masked where they stand; a number that is a card or a resident number becomes its token. Nothing is
    changed at or below a pointer of `rules.clear_fields`. Raises Unmaskable for more than a million characters,
    100,000 values, 64 levels, or a value that is no JSON.
    """
    walk = _Walk(rules)
    masked = walk.mapping(arguments, (), 0)
    return MaskedArguments(masked, tuple(walk.found))


class _Walk:
    def __init__(self, rules: MaskingRules) -> None:
        self._texts = TextMasker(rules)
        self._clear = [_segments(pointer) for pointer in rules.clear_fields]
        self._nodes = 0
        self.found: list[Masked] = []

    def mapping(self, fields: Mapping[str, Json], path: tuple[str, ...], depth: int) -> dict[str, Json]:
        self._count(depth, len(fields))
        masked: dict[str, Json] = {}
        for name, value in fields.items():
            if not isinstance(name, str):
                raise Unmaskable(f"A field is named by {type(name).__name__}: only texts name fields in JSON.")
            below = (*path, name)
            if self._is_clear(below):
                masked[name] = value
                continue
            shown = self._texts.mask(name)
            free = _free(shown.text, masked, fields) if shown.found else name
            below = (*path, free)
            self.found += [Masked(_pointer(below), one.kind, one.count) for one in shown.found]
            masked[free] = self._value(value, below, depth + 1, _expected(name))
        return masked

    def _value(self, value: Json, path: tuple[str, ...], depth: int, expected: Kind | None) -> Json:
        match value:
            case None | bool():
                return value
            case str():
                text = self._texts.mask(value, _pointer(path), expected=expected)
                self.found += text.found
                return text.text
            case int() | float():
                whole = int(value) if isinstance(value, int) or value.is_integer() else 0
                number = self._texts.number(whole, _pointer(path), expected=expected)
                if number is None:
                    return value
                self.found += number.found
                return number.text
            case Mapping():
                return self.mapping(value, path, depth)
            case Sequence() if not isinstance(value, (bytes, bytearray)):
                self._count(depth, len(value))
                return [
                    entry if self._is_clear(below) else self._value(entry, below, depth + 1, expected)
                    for number, entry in enumerate(value)
                    for below in [(*path, str(number))]
                ]
            case _:
                raise Unmaskable(f"{_pointer(path)} holds {type(value).__name__}, which is no JSON value.")

    def _count(self, depth: int, nodes: int) -> None:
        self._nodes += nodes
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise Unmaskable(
                f"Arguments of more than {MAX_DEPTH} levels or {MAX_NODES:,} values cannot be checked for personal "
                "data: send less."
            )

    def _is_clear(self, path: tuple[str, ...]) -> bool:
        return any(
            len(clear) == len(path) and all(want in {"*", is_} for want, is_ in zip(clear, path, strict=True))
            for clear in self._clear
        )


def _expected(name: str) -> Kind | None:
    return next((kind for kind, words in _EXPECTED if words.search(name)), None)


def _free(name: str, masked: Mapping[str, Json], fields: Mapping[str, Json]) -> str:
    """The masked name of a field, numbered when another one has it already."""
    free, number = name, 1
    while free in masked or free in fields:
        number += 1
        free = f"{name} {number}"
    return free


def _segments(pointer: str) -> tuple[str, ...]:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def _pointer(path: tuple[str, ...]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)
