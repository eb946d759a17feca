r"""LIKE patterns: `%` is any run of characters, `_` is one, `\` makes the next character literal.

PostgreSQL manual 9.7.1. A pattern is parsed once, and every target writes it again in its own form.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum


class Wildcard(Enum):
    """What stands for something else."""

    ANY_RUN = "%"
    ANY_ONE = "_"


_TOKEN = re.compile(r"%+|_|\\.?|[^%_\\]+", re.DOTALL)


class PatternError(ValueError):
    """Raised when a pattern ends in a lone backslash: PostgreSQL would raise 22025 at run time."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Literal texts and wildcards in order; two literals, or two ANY_RUN, are never neighbours."""

    parts: tuple[str | Wildcard, ...]

    @property
    def wildcards(self) -> int:
        """How many wildcards there are; a run of `%` is one."""
        return sum(isinstance(part, Wildcard) for part in self.parts)

    @property
    def literal(self) -> str | None:
        """The text itself when there is no wildcard."""
        match self.parts:
            case ():
                return ""
            case (str() as text,):
                return text
            case _:
                return None

    @property
    def prefix(self) -> str | None:
        """The text a `text%` pattern begins with, else None."""
        match self.parts:
            case (str() as text, Wildcard.ANY_RUN):
                return text
            case _:
                return None

    @property
    def substring(self) -> str | None:
        """The text a `%text%` pattern contains, else None."""
        match self.parts:
            case (Wildcard.ANY_RUN, str() as text, Wildcard.ANY_RUN):
                return text
            case _:
                return None

    @property
    def matches_any(self) -> bool:
        """Whether every text matches: the pattern is `%`."""
        return self.parts == (Wildcard.ANY_RUN,)

    def folded(self) -> "Pattern":
        """The same pattern with its literals case-folded."""
        return Pattern(tuple(fold(part) if isinstance(part, str) else part for part in self.parts))

    def to_sql(self) -> str:
        r"""The pattern for `LIKE … ESCAPE '\'`."""
        return "".join(part.value if isinstance(part, Wildcard) else _escape(part) for part in self.parts)


def fold(text: str) -> str:
    """Full case folding that no locale changes, in NFC: what a shadow column holds."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def parse_pattern(text: str) -> Pattern:
    """Read a pattern; raises PatternError when it ends in a lone backslash."""
    parts: list[str | Wildcard] = []
    literal = ""
    for piece in _TOKEN.findall(text):
        if piece[0] not in "%_":
            if piece == "\\":
                raise PatternError("the pattern ends in a lone backslash; write two for a literal one")
            literal += piece[1] if piece[0] == "\\" else piece
            continue
        if literal:
            parts.append(literal)
            literal = ""
        parts.append(Wildcard.ANY_ONE if piece == "_" else Wildcard.ANY_RUN)
    if literal:
        parts.append(literal)
    return Pattern(tuple(parts))


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
