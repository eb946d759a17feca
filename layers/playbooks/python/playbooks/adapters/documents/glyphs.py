"""The font of a page: which sign is drawn with what, how wide it is, and where a line breaks.

NanumGothic (SIL Open Font License, `fonts/OFL.txt`) draws all 11,172 syllables of Hangul and 4,620 Chinese characters;
the accented Latin letters it has not come from Helvetica, which every reader has. What neither draws becomes □. A font
may name a sign and hold no outline for it, so the outlines are what counts.
"""

import struct
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "fonts" / "NanumGothic.ttf"
_LOCK = threading.Lock()
_FACES: list["Face"] = []
MISSING = "□"


class Face:
    """The Korean font with its Latin fallback."""

    name = "NanumGothic"
    fallback = "Helvetica"

    def __init__(self) -> None:
        # The library costs a fifth of a second to import: who writes no pdf does not load it.
        from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]  # it ships no types
        from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]  # it ships no types

        font = TTFont(self.name, str(_FILE))
        pdfmetrics.registerFont(font)
        self._signs = _drawn_signs(_FILE.read_bytes(), font.face.charToGlyph)
        self._font: Any = font
        self._other: Any = pdfmetrics.getFont(self.fallback)
        self._widths: dict[str, float] = {}

    def has(self, sign: str) -> bool:
        """Whether the Korean font draws it."""
        return sign in self._signs

    def falls_back(self, sign: str) -> bool:
        """Whether only the fallback draws it (Windows-1252 beyond ASCII)."""
        return not self.has(sign) and _in_latin(sign)

    def width(self, text: str, size: float) -> float:
        """The width of a line in points."""
        return sum(self._width(sign) for sign in text) * size

    def _width(self, sign: str) -> float:
        known = self._widths.get(sign)
        if known is None:
            font = self._other if self.falls_back(sign) else self._font
            known = self._widths[sign] = font.stringWidth(sign, 1)
        return known

    def drawable(self, text: str) -> tuple[str, int]:
        """The text with □ for what no font has, and how many there are."""
        lost = {sign for sign in text if not self.has(sign) and not _in_latin(sign) and sign != "\n"}
        if not lost:
            return text, 0
        return "".join(MISSING if sign in lost else sign for sign in text), sum(sign in lost for sign in text)

    def runs(self, text: str) -> Iterator[tuple[str, str]]:
        """Font name and text, part by part."""
        start = 0
        for at in range(1, len(text) + 1):
            if at == len(text) or self.falls_back(text[at]) != self.falls_back(text[start]):
                yield self.fallback if self.falls_back(text[start]) else self.name, text[start:at]
                start = at

    def lines(self, text: str, width: float, size: float, most: int) -> tuple[Sequence[str], bool]:
        """At most `most` lines that fit into `width`, broken at spaces where there are any; whether some was cut."""
        found: list[str] = []
        for line in text.split("\n"):
            for part in self._broken(line, width / size):
                if len(found) == most:
                    return [*found[:-1], found[-1].rstrip() + "…"], True
                found.append(part)
        return found, False

    def _broken(self, line: str, width: float) -> Iterator[str]:
        start, space, used = 0, 0, 0.0
        at = 0
        while at < len(line):
            used += self._width(line[at])
            if line[at] == " ":
                space = at + 1
            if used > width and at > start:
                end = space if space > start else at
                yield line[start:end].rstrip()
                start = at = end
                used = 0.0
                continue
            at += 1
        yield line[start:]


def face() -> Face:
    """The font, loaded once."""
    with _LOCK:
        if not _FACES:
            _FACES.append(Face())
        return _FACES[0]


def _drawn_signs(font: bytes, glyphs: dict[int, int]) -> frozenset[str]:
    """The signs with an outline (OpenType, tables `head` and `loca`), and the white space."""
    tables = {}
    for at in range(12, 12 + 16 * struct.unpack_from(">H", font, 4)[0], 16):
        tag, _, offset, length = struct.unpack_from(">4sLLL", font, at)
        tables[tag] = (offset, length)
    is_long = struct.unpack_from(">h", font, tables[b"head"][0] + 50)[0]
    offset, length = tables[b"loca"]
    places = struct.unpack_from(f">{length // 4}L" if is_long else f">{length // 2}H", font, offset)
    return frozenset(
        chr(code)
        for code, glyph in glyphs.items()
        if chr(code).isspace() or (glyph + 1 < len(places) and places[glyph] != places[glyph + 1])
    )


def _in_latin(sign: str) -> bool:
    try:
        return bool(sign.encode("cp1252")) and sign.isprintable()
    except UnicodeEncodeError:
        return False
