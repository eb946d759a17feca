"""Word documents: title, paragraphs, tables with a header that repeats on each page."""

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape

from playbooks.adapters.documents.charts import checked_chart
from playbooks.adapters.documents.paragraphs import Paragraph, Style, paragraphs
from playbooks.adapters.documents.shown_values import NUMBERS, printable, shown_value
from playbooks.adapters.documents.text_values import CHUNK_BYTES
from playbooks.adapters.documents.words import words
from playbooks.domain.dataset import ColumnType
from playbooks.domain.recurrence.zone_data import load_zone
from playbooks.errors import Refused
from playbooks.ports.documents import Draft, Table

MAX_CELLS = 30_000
MAX_COLUMNS = 63
"""What a table of Word holds (Microsoft, "Operating parameter limitations in Word")."""
MAX_TEXT = 10_000
_WIDE_FROM = 7
_LATIN, _KOREAN = "Calibri", "맑은 고딕"
_STYLES = {Style.HEADING: "Heading 2", Style.ITEM: "List Bullet", Style.BODY: None}
_BORDERS = "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="BFC7D1"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
)


class DocxWriter:
    """Text stays text: no field or link comes of data.

    A document holds 30,000 cells; what does not fit is counted and said, never left out in silence.
    """

    format = "docx"
    content_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

    def __init__(self, *, max_cells: int = MAX_CELLS) -> None:
        self._max_cells = max_cells

    def write(self, draft: Draft) -> Iterator[bytes]:
        """The file in chunks."""
        with tempfile.TemporaryFile(prefix="playbooks-") as file:
            _Writing(draft, self._max_cells).write().save(file)
            file.seek(0)
            while chunk := file.read(CHUNK_BYTES):
                yield chunk


class _Writing:
    """One document being written."""

    def __init__(self, draft: Draft, max_cells: int) -> None:
        # Word documents are rare and their library costs a tenth of a second: who writes none does not load it.
        import docx
        from docx.enum.section import WD_ORIENTATION
        from docx.oxml import parse_xml
        from docx.oxml.ns import nsdecls, qn

        self._draft = draft
        self._left = max_cells
        self._zone = load_zone(draft.zone)
        self._words = words(draft.language)
        self._said: list[str] = []
        self._document = docx.Document()
        self._landscape = WD_ORIENTATION.LANDSCAPE
        self._parse, self._namespace, self._qualified = parse_xml, nsdecls("w"), qn

    def write(self) -> Any:
        """The whole document."""
        self._document.core_properties.title = printable(self._draft.title)[:255]
        self._fonts()
        if any(len(table.columns) >= _WIDE_FROM for table in self._draft.tables):
            self._turn()
        self._document.add_heading(printable(self._draft.title), 0)
        self._paragraphs(paragraphs(self._draft.notes))
        for table in self._draft.tables:
            self._table(table)
        if self._said:
            self._document.add_heading(self._words.notes, 2)
            for sentence in dict.fromkeys(self._said):
                self._document.add_paragraph(sentence)
        return self._document

    def _fonts(self) -> None:
        """One font for Latin and one for Korean in every style: without `eastAsia` Word picks its own."""
        for style in self._document.styles:
            if (style.type in (1, 2) and style.element.rPr is not None) or style.name == "Normal":
                fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
                for name in list(fonts.attrib):
                    del fonts.attrib[name]
                for kind, family in (("ascii", _LATIN), ("hAnsi", _LATIN), ("eastAsia", _KOREAN), ("cs", _LATIN)):
                    fonts.set(self._qualified(f"w:{kind}"), family)

    def _turn(self) -> None:
        section = self._document.sections[0]
        section.orientation = self._landscape
        section.page_width, section.page_height = section.page_height, section.page_width

    def _paragraphs(self, lines: Iterator[Paragraph]) -> None:
        for line in lines:
            self._document.add_paragraph(line.text, style=_STYLES[line.style])

    def _table(self, table: Table) -> None:
        if len(table.columns) > MAX_COLUMNS:
            raise Refused(
                f"{table.title!r} has {len(table.columns)} columns, a table of Word holds {MAX_COLUMNS}: choose fewer, "
                "or write xlsx.",
                code="too_many_columns",
            )
        if checked_chart(table) is not None:
            self._said.append(self._words.no_chart)
        if table.title != self._draft.title or len(self._draft.tables) > 1:
            self._document.add_heading(printable(table.title), 1)
        self._note_instants(table)
        rows, left_out = [self._row(table.headers, table, header=True)], 0
        for row in table.rows():
            self._left -= len(row)
            if self._left < 0:
                left_out += 1
                continue
            shown = [shown_value(value, column, self._zone) for value, column in zip(row, table.columns, strict=True)]
            rows.append(self._row(shown, table, header=False))
        if left_out:
            self._said.append(self._words.not_shown.format(sheet=table.title, count=f"{left_out:,}"))
        grid = '<w:gridCol w:w="1000"/>' * len(table.columns)
        element = self._parse(
            f'<w:tbl {self._namespace}><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>{_BORDERS}'
            f'</w:tblBorders><w:tblLayout w:type="autofit"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>'
            f"{''.join(rows)}</w:tbl>"
        )
        if table.columns:
            self._document.element.body.insert_element_before(element, "w:sectPr")
            self._document.add_paragraph()

    def _note_instants(self, table: Table) -> None:
        instants = [
            header
            for header, column in zip(table.headers, table.columns, strict=True)
            if column.type is ColumnType.TIMESTAMPTZ
        ]
        if instants:
            self._said.append(self._words.zone.format(columns=", ".join(instants), zone=self._draft.zone))

    def _row(self, texts: Sequence[str], table: Table, *, header: bool) -> str:
        """One row as XML, written by hand: the library's own way takes time that grows with the square of the rows."""
        cells = []
        for text, column in zip(texts, table.columns, strict=True):
            side = '<w:jc w:val="right"/>' if column.type in NUMBERS else ""
            shade = '<w:tcPr><w:shd w:val="clear" w:color="auto" w:fill="E8EDF3"/></w:tcPr>' if header else "<w:tcPr/>"
            weight = "<w:b/>" if header else ""
            cells.append(
                f'<w:tc>{shade}<w:p><w:pPr><w:spacing w:before="20" w:after="20"/>{side}</w:pPr>'
                f'<w:r><w:rPr>{weight}<w:sz w:val="18"/></w:rPr>{_runs(text)}</w:r></w:p></w:tc>'
            )
        properties = "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>" if header else "<w:trPr><w:cantSplit/></w:trPr>"
        return f"<w:tr>{properties}{''.join(cells)}</w:tr>"


def _runs(text: str) -> str:
    """Text with its line breaks and tabs as WordprocessingML has them."""
    whole = printable(text)
    if len(whole) > MAX_TEXT:
        whole = whole[: MAX_TEXT - 1] + "…"
    parts = (
        "<w:tab/>".join(f'<w:t xml:space="preserve">{escape(part)}</w:t>' for part in line.split("\t"))
        for line in whole.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    )
    return "<w:br/>".join(parts)
