"""Pages of a PDF: text flows down them, a table's rows are drawn as they come, and each page has its number."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playbooks.adapters.documents.glyphs import face

A4 = (595.28, 841.89)
MARGIN = 40.0
FINE = 9.0
_CELL_SIZE, _LEADING, _PADDING = 8.0, 1.35, 3.0
_NARROWEST, _WIDEST = 24.0, 200.0
_MOST_LINES = 40


class Sheet:
    """What a table is to look like: headers, which columns stand to the right, the widths its rows ask for."""

    def __init__(self, headers: Sequence[str], right: Sequence[bool], sample: Sequence[Sequence[str]]) -> None:
        self.headers, self.right = headers, right
        font = face()
        self._wanted = [
            min(
                max(
                    [font.width(header, _CELL_SIZE)]
                    + [font.width(row[place].split("\n")[0][:200], _CELL_SIZE) for row in sample]
                )
                + 2 * _PADDING
                + 1,
                _WIDEST,
            )
            for place, header in enumerate(headers)
        ]

    @property
    def is_wide(self) -> bool:
        """Whether an upright page is too narrow for it."""
        return sum(self._wanted) > A4[0] - 2 * MARGIN

    def widths(self, available: float) -> list[float]:
        """The width of each column: what it asks for, or less of it where all together ask for too much."""
        total = sum(self._wanted)
        if total <= available:
            return self._wanted
        least = min(_NARROWEST, available / len(self._wanted))
        spare = sum(max(0.0, width - least) for width in self._wanted)
        share = (available - least * len(self._wanted)) / spare
        return [least + max(0.0, width - least) * share for width in self._wanted]


class Page:
    """The page being drawn, and the ones after it. `counts` is told of cut cells and missing signs."""

    def __init__(self, path: Path, title: str, counts: "Counter[str]") -> None:
        # Who writes no pdf does not load the library, which has no types.
        from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]  # it ships no types

        self._canvas: Any = Canvas(str(path), pagesize=A4)
        self._canvas.setTitle(title[:500])
        self._counts = counts
        self._sheet: Sheet | None = None
        self._widths: list[float] = []
        self._width, self._height = A4
        self._at = 0.0
        self._number = 0

    def begin(self, *, landscape: bool) -> None:
        """The first page."""
        self._width, self._height = (A4[1], A4[0]) if landscape else A4
        self._canvas.setPageSize((self._width, self._height))
        self._open()

    def end(self) -> None:
        """Write the file."""
        self._canvas.showPage()
        self._canvas.save()

    def text(
        self,
        text: str,
        *,
        size: float,
        bold: bool = False,
        before: float = 0,
        after: float = 0,
        indent: float = 0,
    ) -> None:
        """A paragraph over the whole width, over as many pages as it takes."""
        drawable, missing = face().drawable(text)
        self._counts["missing"] += missing
        lines, _ = face().lines(drawable, self._width - 2 * MARGIN - indent, size, len(text) + 1)
        self._at -= before
        for line in lines:
            self._room(size * _LEADING)
            self._at -= size * _LEADING
            self._draw(line, MARGIN + indent, self._at, size, bold=bold)
        self._at -= after

    def open_table(self, sheet: Sheet) -> None:
        """Begin a table with its header."""
        self._sheet = sheet
        self._widths = sheet.widths(self._width - 2 * MARGIN)
        self._header(sheet)

    def row(self, texts: Sequence[str]) -> None:
        """The next row; on a new page when it does not fit, under the header once more."""
        assert self._sheet is not None
        cells = [self._cell(text, place) for place, text in enumerate(texts)]
        height = self._row_height(cells)
        if self._at - height < MARGIN:
            self._next()
            self._header(self._sheet)
        self._cells(cells, self._sheet.right, height, header=False)

    def close_table(self) -> None:
        """What follows is text again."""
        self._sheet = None
        self._at -= 8

    def _header(self, sheet: Sheet) -> None:
        cells = [self._cell(text, place) for place, text in enumerate(sheet.headers)]
        height = self._row_height(cells)
        self._room(height + 2 * _CELL_SIZE * _LEADING)
        self._cells(cells, sheet.right, height, header=True)

    def _cell(self, text: str, place: int) -> Sequence[str]:
        drawable, missing = face().drawable(text.replace("\t", " ").replace("\r", ""))
        lines, cut = face().lines(drawable, self._widths[place] - 2 * _PADDING, _CELL_SIZE, _MOST_LINES)
        self._counts["missing"] += missing
        self._counts["cut"] += cut
        return lines

    def _row_height(self, cells: Sequence[Sequence[str]]) -> float:
        return max(len(lines) for lines in cells) * _CELL_SIZE * _LEADING + 2 * _PADDING

    def _cells(self, cells: Sequence[Sequence[str]], right: Sequence[bool], height: float, *, header: bool) -> None:
        left, top = MARGIN, self._at
        if header:
            self._canvas.setFillColorRGB(0.91, 0.93, 0.95)
            self._canvas.rect(left, top - height, sum(self._widths), height, stroke=0, fill=1)
            self._canvas.setFillColorRGB(0, 0, 0)
        self._canvas.setStrokeColorRGB(0.75, 0.78, 0.82)
        self._canvas.setLineWidth(0.5)
        self._canvas.line(left, top - height, left + sum(self._widths), top - height)
        for lines, width, is_right in zip(cells, self._widths, right, strict=True):
            for number, line in enumerate(lines):
                if line:
                    baseline = top - _PADDING - _CELL_SIZE - number * _CELL_SIZE * _LEADING
                    shift = width - 2 * _PADDING - face().width(line, _CELL_SIZE) if is_right else 0
                    self._draw(line, left + _PADDING + shift, baseline, _CELL_SIZE, bold=header)
            left += width
        self._at -= height

    def _draw(self, line: str, left: float, baseline: float, size: float, *, bold: bool = False) -> None:
        """One line. One weight is shipped: for bold its outlines are drawn as well as filled."""
        if bold:
            self._canvas.saveState()
            self._canvas.setLineWidth(size / 28)
            self._canvas.setStrokeColorRGB(0, 0, 0)
        writing = self._canvas.beginText(left, baseline)
        if bold:
            writing.setTextRenderMode(2)
        for font, part in face().runs(line):
            writing.setFont(font, size)
            writing.textOut(part)
        self._canvas.drawText(writing)
        if bold:
            self._canvas.restoreState()

    def _room(self, height: float) -> None:
        if self._at - height < MARGIN:
            self._next()

    def _next(self) -> None:
        self._canvas.showPage()
        self._open()

    def _open(self) -> None:
        self._number += 1
        self._at = self._height - MARGIN
        number = str(self._number)
        self._draw(number, (self._width - face().width(number, FINE)) / 2, MARGIN / 2, FINE)
