"""The notes of a draft, taken apart: headings, items of a list, paragraphs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from playbooks.adapters.documents.shown_values import printable

_HEADING = re.compile(r"#{1,6}\s+(.*)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_STRONG = re.compile(r"\*\*([^*\n]{1,200})\*\*")


class Style(Enum):
    """How a paragraph is set."""

    HEADING = auto()
    ITEM = auto()
    BODY = auto()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One line of the notes."""

    style: Style
    text: str


def paragraphs(notes: str) -> Iterator[Paragraph]:
    """One paragraph a line that holds something; of Markdown, headings and items are known, stars are dropped."""
    for line in printable(notes).splitlines():
        plain = _STRONG.sub(r"\1", line.strip())
        if heading := _HEADING.fullmatch(plain):
            yield Paragraph(Style.HEADING, heading[1])
        elif item := _ITEM.fullmatch(plain):
            yield Paragraph(Style.ITEM, item[1])
        elif plain:
            yield Paragraph(Style.BODY, plain)
