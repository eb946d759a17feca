"""What is masked, by which rules, and what is said about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from playbooks.errors import Refused

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

MAX_CHARACTERS = 1_000_000
MAX_NODES = 100_000
MAX_DEPTH = 64


class Unmaskable(Refused):
    """Raised when what is to be masked is too large, too deep or no JSON: it is not sent at all."""

    code = "unmaskable"


class Kind(StrEnum):
    """What was recognised. In its place stands its value in brackets: `[email]`."""

    EMAIL = "email"
    PHONE = "phone"
    """A person's or household's line, by the numbering plan of its country; company lines (15xx, 080) pass."""
    RESIDENT_NUMBER = "resident number"
    CARD = "card"
    PASSPORT = "passport"
    IBAN = "iban"
    NAME = "name"
    """One that the administrator listed."""

    @property
    def token(self) -> str:
        """What stands where the value stood."""
        return f"[{self.value}]"


@dataclass(frozen=True, slots=True)
class Masked:
    """`count` values of one kind were masked at `pointer` (RFC 6901, "" for a bare text). Never the value."""

    pointer: str
    kind: Kind
    count: int


@dataclass(frozen=True, slots=True)
class MaskingRules:
    """What an administrator decides.

    `clear_fields` are JSON pointers whose value, and all below it, pass as they are; `*` stands for one segment
    (`/recipients/*/email`). `names` are masked wherever they stand. A number without country code is read by the
    plans of `regions` (ISO 3166, two letters).
    """

    clear_fields: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    regions: tuple[str, ...] = ("KR",)


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text as it may leave, and what was masked in it."""

    text: str
    found: tuple[Masked, ...] = ()


@dataclass(frozen=True, slots=True)
class MaskedArguments:
    """Arguments as they may leave, and what was masked where."""

    arguments: Mapping[str, Json]
    found: tuple[Masked, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters that one detector recognised."""

    start: int
    end: int
    kind: Kind
