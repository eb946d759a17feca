"""Excel workbooks, written row by row in constant memory."""

import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import xlsxwriter  # type: ignore[import-untyped]  # it ships without a py.typed marker

from playbooks.adapters.documents.cells import MAX_TEXT, Cell, CellMaker
from playbooks.adapters.documents.charts import CHARTED_ROWS, SheetChart, sheet_chart
from playbooks.adapters.documents.sheet_names import SheetNames, cut
from playbooks.adapters.documents.text_values import CHUNK_BYTES
from playbooks.adapters.documents.words import Words, words
from playbooks.domain.dataset import ColumnType, Row
from playbooks.domain.recurrence.zone_data import load_zone
from playbooks.ports.documents import Draft, Table

ROWS_OF_A_SHEET = 1_048_576
_NARROWEST, _WIDEST = 8, 60
_MEASURED_ROWS = 1_000
_WRAPPED = range(_WIDEST + 1, 401)
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}

_NUMBERS = frozenset({ColumnType.INTEGER, ColumnType.NUMERIC, ColumnType.FLOAT})
"""Their headers stand on the right, over their values."""


class XlsxWriter:
    """Numbers are numbers, dates are dates, text stays text (no formula or link comes of data).

    Each table is a sheet with a bold, frozen, filtered header; rows beyond what a sheet holds go on in the next one.
    The last sheet has the notes: the draft's, and what a workbook cannot hold exactly.
    """

    format = "xlsx"
    content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    def __init__(self, *, rows_of_a_sheet: int = ROWS_OF_A_SHEET) -> None:
        self._rows_of_a_sheet = rows_of_a_sheet

    def write(self, draft: Draft) -> Iterator[bytes]:
        """The file in chunks; it is made on disk first, in a folder that is gone afterwards."""
        with tempfile.TemporaryDirectory(prefix="playbooks-") as folder:
            path = Path(folder) / "workbook.xlsx"
            with xlsxwriter.Workbook(str(path), {**_OPTIONS, "tmpdir": folder}) as workbook:
                workbook.set_properties({"title": draft.title[:255]})
                _Writing(workbook, draft, self._rows_of_a_sheet).write()
            with path.open("rb") as file:
                while chunk := file.read(CHUNK_BYTES):
                    yield chunk


class _Writing:
    """One workbook being written."""

    def __init__(self, workbook: Any, draft: Draft, rows_of_a_sheet: int) -> None:
        self._workbook = workbook
        self._draft = draft
        self._limit = rows_of_a_sheet
        self._words: Words = words(draft.language)
        self._cells = CellMaker(load_zone(draft.zone))
        self._names = SheetNames()
        self._formats: dict[str, Any] = {}
        header = {"bold": True, "bg_color": "#E8EDF3", "bottom": 1, "valign": "top", "text_wrap": True}
        self._header = workbook.add_format(header)
        self._number_header = workbook.add_format({**header, "align": "right"})
        self._wrapped = workbook.add_format({"text_wrap": True, "valign": "top"})
        self._title = workbook.add_format({"bold": True, "font_size": 13})
        self._said: list[str] = []

    def write(self) -> None:
        """All sheets, the notes last; a workbook has at least one sheet."""
        for table in self._draft.tables:
            self._table(table)
        for loss, sentence in self._words.losses.items():
            if count := self._cells.losses[loss]:
                self._said.append(sentence.format(count=f"{count:,}"))
        paragraphs = [line.strip() for line in self._draft.notes.splitlines() if line.strip()]
        if paragraphs or self._said or not self._draft.tables:
            self._notes([*paragraphs, *self._said])

    def _table(self, table: Table) -> None:
        instants = [
            header
            for header, column in zip(table.headers, table.columns, strict=True)
            if column.type is ColumnType.TIMESTAMPTZ
        ]
        if instants:
            self._said.append(self._words.zone.format(columns=", ".join(instants), zone=self._draft.zone))
        rows = table.rows()
        first = self._names.name(table.title)
        pending = self._sheet(first, table, rows, None)
        if pending is not None:
            self._said.append(self._words.continued.format(sheet=first, count=f"{self._limit - 1:,}"))
        while pending is not None:
            pending = self._sheet(self._names.name(table.title), table, rows, pending)

    def _sheet(self, name: str, table: Table, rows: Iterator[Row], pending: Row | None) -> Row | None:
        """Fill one sheet; the row that no longer fits, if there is one."""
        sheet = self._workbook.add_worksheet(name)
        chart = sheet_chart(table)
        widths = [_width(header) + 3 for header in table.headers]
        for position, (header, column) in enumerate(zip(table.headers, table.columns, strict=True)):
            self._put_text(sheet, 0, position, header, self._number_header if column.type in _NUMBERS else self._header)
        number, left_over = 0, pending
        while (row := left_over if left_over is not None else next(rows, None)) is not None:
            left_over = None
            if number + 1 >= self._limit:
                left_over = row
                break
            number += 1
            self._row(sheet, number, row, table, widths)
            if chart is not None:
                chart.add(row)
        sheet.freeze_panes(1, 0)
        sheet.repeat_rows(0)
        sheet.fit_to_pages(1, 0)
        if table.headers:
            sheet.autofilter(0, 0, number, len(table.headers) - 1)
        for position, width in enumerate(widths):
            sheet.set_column(position, position, max(_NARROWEST, min(width + 2, _WIDEST)))
        if chart is not None and number:
            self._chart(sheet, name, table, chart, number)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.repeat_rows(0)
        return left_over

    def _chart(self, sheet: Any, name: str, table: Table, chart: SheetChart, rows: int) -> None:
        """The chart to the right of its table; it refers to the cells, so it follows when they are changed."""
        chart.insert(self._workbook, sheet, name, table.headers)
        if rows > CHARTED_ROWS:
            self._said.append(self._words.charted.format(sheet=name, count=f"{CHARTED_ROWS:,}"))

    def _row(self, sheet: Any, number: int, row: Row, table: Table, widths: list[int]) -> None:
        for position, (value, column) in enumerate(zip(row, table.columns, strict=True)):
            cell = self._cells.cell(value, column)
            if cell is None:
                continue
            width = self._put(sheet, number, position, cell)
            if number <= _MEASURED_ROWS and width > widths[position]:
                widths[position] = width

    def _put(self, sheet: Any, row: int, position: int, cell: Cell) -> int:
        """Write one cell; its width in characters."""
        match cell.value:
            case bool():
                sheet.write_boolean(row, position, cell.value)
            case str():
                width = _width(cell.value)
                wrap = width in _WRAPPED or "\n" in cell.value
                self._put_text(sheet, row, position, cell.value, self._wrapped if wrap else None)
                return width
            case int() | float():
                sheet.write_number(row, position, cell.value, self._format(cell.format))
            case _:
                sheet.write_datetime(row, position, cell.value, self._format(cell.format))
        return cell.shown

    def _put_text(self, sheet: Any, row: int, position: int, text: str, text_format: Any) -> None:
        """Text as text: what looks like the library's own rich text markup would go into the file unescaped."""
        if text.startswith("<r>") and text.endswith("</r>"):
            plain = self._format("@")
            sheet.write_rich_string(row, position, plain, text[:1], plain, text[1:], text_format or plain)
        else:
            sheet.write_string(row, position, text, text_format)

    def _format(self, number_format: str) -> Any:
        if not number_format:
            return None
        if number_format not in self._formats:
            self._formats[number_format] = self._workbook.add_format({"num_format": number_format})
        return self._formats[number_format]

    def _notes(self, paragraphs: Sequence[str]) -> None:
        sheet = self._workbook.add_worksheet(self._names.name(self._words.notes))
        sheet.set_column(0, 0, 80)
        sheet.fit_to_pages(1, 0)
        self._put_text(sheet, 0, 0, self._draft.title, self._title)
        for number, paragraph in enumerate(paragraphs, 2):
            self._put_text(sheet, number, 0, cut(paragraph, MAX_TEXT), self._wrapped)


def _width(text: str) -> int:
    """Columns the longest line takes: East Asian wide characters take two (Unicode UAX 11)."""
    lines = text[:1_000].splitlines() or [""]
    return max(sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line) for line in lines)
