"""Text of web pages: what a person sees, section by section."""

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]  # it ships without types

from playbooks.adapters.document_readers.plain import decoded
from playbooks.ports.document_readers import DocumentUnreadable, Part, PartKind, ReadingProblem

_PIECE = 64 * 1024
_UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object"})
_HEADINGS = frozenset({"h1", "h2", "h3"})
_CELLS = frozenset({"td", "th"})
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "footer", "form", "header"}
    | {"h4", "h5", "h6", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tbody", "thead", "tr", "ul"}
)
_DECLARED = re.compile(rb"""<meta[^>]{0,200}charset\s{0,5}=\s{0,5}["']?([A-Za-z0-9_-]{1,40})""", re.IGNORECASE)
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)


def parts(_kind: str, path: Path) -> Iterator[Part]:
    """One part a heading of the first three levels; scripts, styles and what is never shown are left out.

    The text is taken while the parser goes by: no tree is built, however deep the tags nest.
    """
    content = path.read_bytes()
    if _ENTITY.search(content):
        raise DocumentUnreadable(
            "The page declares entities of its own: save it as plain HTML again.", ReadingProblem.SUSPICIOUS
        )
    text = _decoded(content)
    page = _Page()
    parser = etree.HTMLParser(target=page, encoding="utf-8", no_network=True, huge_tree=False)
    for start in range(0, len(text), _PIECE):
        parser.feed(text[start : start + _PIECE].encode("utf-8", "replace"))
    if text:
        parser.close()
    return page.parts()


def _decoded(content: bytes) -> str:
    if declared := _DECLARED.search(content[:4_096]):
        try:
            return content.decode(declared[1].decode(), "replace")
        except LookupError:
            pass
    return decoded(content)


class _Page:
    """Gathers what the parser reports (lxml's target interface)."""

    def __init__(self) -> None:
        self._unseen = 0
        self._heading: list[str] | None = None
        self._sections: list[tuple[str, list[str]]] = [("", [])]

    def start(self, tag: str, _attributes: object) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _HEADINGS:
            self._heading = []
        elif tag in _BLOCKS:
            self._sections[-1][1].append("\n")
        elif tag in _CELLS:
            self._sections[-1][1].append(" | ")

    def end(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag in _HEADINGS and self._heading is not None:
            name = " ".join("".join(self._heading).split())
            self._heading = None
            self._sections.append((name, [name, "\n"]))
        elif tag in _BLOCKS:
            self._sections[-1][1].append("\n")

    def data(self, text: str) -> None:
        if not self._unseen:
            (self._sections[-1][1] if self._heading is None else self._heading).append(text)

    def close(self) -> None:
        """Part of the parser's interface; nothing is left to be done."""

    def parts(self) -> Iterator[Part]:
        """The sections that hold something."""
        number = 0
        for name, pieces in self._sections:
            lines = (" ".join(line.split()).removeprefix("| ") for line in "".join(pieces).split("\n"))
            text = "\n".join(line for line in lines if line)
            if text:
                number += 1
                yield Part(PartKind.SECTION, number, name, text)
