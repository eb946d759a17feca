"""PDF documents: title, paragraphs and tables, drawn page by page from the rows as they come."""

import itertools
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from playbooks.adapters.documents.charts import checked_chart
from playbooks.adapters.documents.pages import FINE, Page, Sheet
from playbooks.adapters.documents.paragraphs import Style, paragraphs
from playbooks.adapters.documents.shown_values import NUMBERS, printable, shown_value
from playbooks.adapters.documents.text_values import CHUNK_BYTES
from playbooks.adapters.documents.words import words
from playbooks.domain.dataset import ColumnType, Row
from playbooks.domain.recurrence.zone_data import load_zone
from playbooks.errors import Refused
from playbooks.ports.documents import Draft, Table

MAX_ROWS = 5_000
MAX_COLUMNS = 20
MAX_TEXT = 5_000
_MEASURED_ROWS = 200
_SIZES = {Style.HEADING: 12.0, Style.ITEM: 10.0, Style.BODY: 10.0}


class PdfWriter:
    """A4, landscape where a table needs it, the header of a table again on each page, Korean with its own font.

    A document holds 5,000 rows; what does not fit is counted and said, never left out in silence.
    """

    format = "pdf"
    content_type = "application/pdf"

    def __init__(self, *, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows

    def write(self, draft: Draft) -> Iterator[bytes]:
        """The file in chunks; it is made on disk first, in a folder that is gone afterwards."""
        with tempfile.TemporaryDirectory(prefix="playbooks-") as folder:
            path = Path(folder) / "document.pdf"
            _Writing(draft, self._max_rows, path).write()
            with path.open("rb") as file:
                while chunk := file.read(CHUNK_BYTES):
                    yield chunk


class _Writing:
    """One document being written."""

    def __init__(self, draft: Draft, max_rows: int, path: Path) -> None:
        self._draft = draft
        self._left = max_rows
        self._zone = load_zone(draft.zone)
        self._words = words(draft.language)
        self._said: list[str] = []
        self._counts: Counter[str] = Counter()
        self._page = Page(path, printable(draft.title), self._counts)

    def write(self) -> None:
        """All pages."""
        tables = [self._measured(table) for table in self._draft.tables]
        self._page.begin(landscape=any(sheet.is_wide for _, sheet, _ in tables))
        self._page.text(printable(self._draft.title), size=18, bold=True, after=8)
        for line in paragraphs(self._draft.notes):
            indent = 12 if line.style is Style.ITEM else 0
            lead = "• " if line.style is Style.ITEM else ""
            self._page.text(
                lead + line.text, size=_SIZES[line.style], bold=line.style is Style.HEADING, after=4, indent=indent
            )
        for table, sheet, rows in tables:
            self._table(table, sheet, rows)
        self._notes()
        self._page.end()

    def _measured(self, table: Table) -> tuple[Table, Sheet, Iterator[Row]]:
        """A table with the widths its first rows ask for."""
        if len(table.columns) > MAX_COLUMNS:
            raise Refused(
                f"{table.title!r} has {len(table.columns)} columns, a page holds {MAX_COLUMNS}: choose fewer, "
                "or write xlsx.",
                code="too_many_columns",
            )
        if checked_chart(table) is not None:
            self._said.append(self._words.no_chart)
        rows = table.rows()
        first = list(itertools.islice(rows, _MEASURED_ROWS))
        right = [column.type in NUMBERS for column in table.columns]
        headers = [printable(header) for header in table.headers]
        sheet = Sheet(headers, right, [self._shown(row, table) for row in first])
        return table, sheet, itertools.chain(first, rows)

    def _table(self, table: Table, sheet: Sheet, rows: Iterator[Row]) -> None:
        if table.title != self._draft.title or len(self._draft.tables) > 1:
            self._page.text(printable(table.title), size=13, bold=True, before=12, after=4)
        instants = [
            header
            for header, column in zip(table.headers, table.columns, strict=True)
            if column.type is ColumnType.TIMESTAMPTZ
        ]
        if instants:
            self._said.append(self._words.zone.format(columns=", ".join(instants), zone=self._draft.zone))
        if not table.columns:
            return
        self._page.open_table(sheet)
        left_out = 0
        for row in rows:
            self._left -= 1
            if self._left < 0:
                left_out += 1
            else:
                self._page.row(self._shown(row, table))
        self._page.close_table()
        if left_out:
            self._said.append(self._words.not_shown.format(sheet=table.title, count=f"{left_out:,}"))

    def _shown(self, row: Row, table: Table) -> Sequence[str]:
        return [
            shown_value(value, column, self._zone)[:MAX_TEXT] for value, column in zip(row, table.columns, strict=True)
        ]

    def _notes(self) -> None:
        if count := self._counts["cut"]:
            self._said.append(self._words.cut.format(count=f"{count:,}"))
        if count := self._counts["missing"]:
            self._said.append(self._words.no_glyph.format(count=f"{count:,}"))
        if self._said:
            self._page.text(self._words.notes, size=12, bold=True, before=12, after=4)
            for sentence in dict.fromkeys(self._said):
                self._page.text(printable(sentence), size=FINE, after=3)
