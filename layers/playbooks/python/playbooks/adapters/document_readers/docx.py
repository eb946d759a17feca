"""Text of Word documents, section by section."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
from docx.oxml.ns import qn

from playbooks.ports.document_readers import DocumentUnreadable, Part, PartKind, ReadingProblem

_PARAGRAPH, _TABLE, _ROW, _CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
_TEXT, _SIGNS = qn("w:t"), {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PROPERTIES = qn("w:pPr")


def parts(_kind: str, path: Path) -> Iterator[Part]:
    """One part a heading; the rows of tables have a bar between their cells. Deleted and hidden copies are left out."""
    try:
        document = docx.Document(str(path))
        headings = {
            style.style_id
            for style in document.styles
            if style.name and (style.name == "Title" or style.name.startswith("Heading"))
        }
        body: Any = document.element.body
    except (KeyError, ValueError, AttributeError, LookupError, SyntaxError, OSError) as error:
        raise DocumentUnreadable(
            "The document is damaged: open it, and save it as .docx again.", ReadingProblem.DAMAGED
        ) from error
    number, name, lines = 1, "", list[str]()
    for element in body.iterchildren():
        if element.tag == _TABLE:
            lines += _rows(element)
        elif element.tag == _PARAGRAPH:
            text = _text(element)
            if element.style in headings and text.strip():
                if lines:
                    yield Part(PartKind.SECTION, number, name, "\n".join(lines))
                    number += 1
                name, lines = text.strip(), []
            lines.append(text)
        else:
            lines += [_text(paragraph) for paragraph in element.iter(_PARAGRAPH)]
    yield Part(PartKind.SECTION, number, name, "\n".join(lines))


def _rows(table: Any) -> Iterator[str]:
    for row in table.iterchildren(_ROW):
        cells = (" ".join(_text(cell).split()) for cell in row.iterchildren(_CELL))
        yield " | ".join(cells)


def _text(element: Any) -> str:
    """The text in and below an element, without walking into what is there twice."""
    found: list[str] = []
    waiting = [element]
    while waiting:
        one = waiting.pop()
        if one.tag == _TEXT:
            found.append(one.text or "")
        elif one.tag in _SIGNS:
            found.append(_SIGNS[one.tag])
        elif one.tag not in {_FALLBACK, _PROPERTIES}:
            if one.tag == _PARAGRAPH and one is not element:
                found.append("\n")
            waiting += reversed(list(one))
    return "".join(found)
