"""A text as detectors read it: plain digits, hyphens and spaces, nothing invisible, each character traced back."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]+"
)


class _Plain(dict[int, str]):
    """One character for one: full-width forms, digits of other scripts, dashes and spaces become ASCII."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        if 0xFF01 <= code <= 0xFF5E:
            plain = chr(code - 0xFEE0)
        elif (digit := unicodedata.decimal(sign, None)) is not None:
            plain = str(digit)
        elif unicodedata.category(sign) == "Pd" or sign == "\u2212":
            plain = "-"
        elif unicodedata.category(sign) == "Zs":
            plain = " "
        else:
            plain = sign
        self[code] = plain
        return plain


_PLAIN = _Plain()


@dataclass(frozen=True, slots=True)
class Shadow:
    """`positions[n]` is where character n of `text` stands in the original; None when they are the same."""

    text: str
    positions: Sequence[int] | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original that a range of the shadow came from."""
        if self.positions is None:
            return start, end
        return self.positions[start], self.positions[end - 1] + 1


def shadow_of(text: str) -> Shadow:
    """The shadow of a text; the work grows with its length alone."""
    if text.isascii():
        return Shadow(text)
    if _INVISIBLE.search(text) is None:
        return Shadow(text.translate(_PLAIN))
    positions: list[int] = []
    pieces: list[str] = []
    at = 0
    for gap in _INVISIBLE.finditer(text):
        pieces.append(text[at : gap.start()])
        positions.extend(range(at, gap.start()))
        at = gap.end()
    pieces.append(text[at:])
    positions.extend(range(at, len(text)))
    return Shadow("".join(pieces).translate(_PLAIN), positions)
