"""Native charts of a workbook: they refer to the cells, and carry their values for programs that do not count."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from playbooks.domain.dataset import Row, Value
from playbooks.errors import Refused
from playbooks.ports.documents import Chart, ChartKind, Table

CHARTED_ROWS = 5_000
MAX_SERIES = 20
_SIZE = {"width": 640, "height": 360}


def checked_chart(table: Table) -> Chart | None:
    """The wish of a table when it can be fulfilled; raises Refused when it names columns that are not there."""
    chart = table.chart
    if chart is None:
        return None
    columns = range(len(table.columns))
    if chart.categories not in columns or not chart.values or any(value not in columns for value in chart.values):
        raise Refused(
            f"The chart of {table.title!r} names columns that are not there: the table has {len(table.columns)}, "
            "counted from 0, and a chart needs one for the categories and at least one for the values.",
            code="chart_refused",
        )
    most = 1 if chart.kind is ChartKind.PIE else MAX_SERIES
    if len(chart.values) > most:
        raise Refused(
            f"A {chart.kind.value} chart draws at most {most} columns, the one of {table.title!r} asks for "
            f"{len(chart.values)}: choose fewer.",
            code="chart_refused",
        )
    return chart


@dataclass(slots=True)
class SheetChart:
    """The chart of one sheet, gathering what it shows while the rows go by."""

    chart: Chart
    categories: list[str] = field(default_factory=list)
    values: list[list[int | float]] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Keep what the chart shows of a row; the first `CHARTED_ROWS` are kept."""
        if len(self.categories) < CHARTED_ROWS:
            name = row[self.chart.categories]
            self.categories.append("" if name is None else str(name)[:200])
            self.values.append([_drawn(row[position]) for position in self.chart.values])

    def insert(self, workbook: Any, sheet: Any, name: str, headers: Sequence[str]) -> None:
        """Put the chart beside the table, one series a value column."""
        drawing = workbook.add_chart({"type": self.chart.kind.value})
        last = len(self.categories)
        for number, position in enumerate(self.chart.values):
            drawing.add_series(
                {
                    "name": [name, 0, position],
                    "categories": [name, 1, self.chart.categories, last, self.chart.categories],
                    "values": [name, 1, position, last, position],
                    "categories_data": self.categories,
                    "values_data": [values[number] for values in self.values],
                }
            )
        drawing.set_title({"name": self.chart.title} if self.chart.title else {"none": True})
        if self.chart.kind is not ChartKind.PIE:
            drawing.set_x_axis({"name": headers[self.chart.categories]})
        if len(self.chart.values) == 1 and self.chart.kind is not ChartKind.PIE:
            drawing.set_legend({"none": True})
        drawing.set_size(_SIZE)
        sheet.insert_chart(1, len(headers) + 1, drawing)


def sheet_chart(table: Table) -> SheetChart | None:
    """A new chart for a sheet of a table; raises Refused as `checked_chart` does."""
    chart = checked_chart(table)
    return None if chart is None else SheetChart(chart)


def _drawn(value: Value) -> int | float:
    """What is drawn of a value: what is no number is 0, as in the program that opens the file."""
    if not isinstance(value, (int, float, Decimal)) or not math.isfinite(value):
        return 0
    number = float(value)
    return int(number) if number.is_integer() else number
