"""What the model is shown of a dataset: its first rows and each column at a glance, as JSON text of bounded size."""

import json
import math
from collections.abc import Iterable
from typing import Any

from playbooks.domain.dataset import PREVIEW_ROWS, ColumnSummary, DatasetSummary, Value

MAX_PREVIEW = 6_000
"""Characters of the first rows."""
MAX_SUMMARY = 4_000
"""Characters of the columns at a glance."""
MAX_CELL = 200
MAX_GLANCE = 60
"""Characters of one value in a column's summary: an aggregate of thousands of digits helps nobody."""


def preview_text(summary: DatasetSummary) -> str:
    """The first rows, whole ones, as a list of lists; long cells are cut and say so."""
    width = len(summary.columns)
    rows = ([_cell(value, MAX_CELL) for value in row[:width]] for row in summary.preview[:PREVIEW_ROWS])
    return _list_text(rows, MAX_PREVIEW)


def summary_text(summary: DatasetSummary) -> str:
    """A list with one object a column, in order, cut after the last that fits.

    `{name, nulls, distinct, least, greatest, total, frequent: [[value, count], …]}`: what has no meaning for the
    column is left out, `distinct` too when there are more values than are counted.
    """
    return _list_text((_glance(column) for column in summary.summaries), MAX_SUMMARY)


def _glance(column: ColumnSummary) -> dict[str, Any]:
    values = {"least": column.least, "greatest": column.greatest, "total": column.total}
    glance: dict[str, Any] = {"name": column.name, "nulls": column.nulls}
    if column.distinct is not None:
        glance["distinct"] = column.distinct
    glance |= {name: _cell(value, MAX_GLANCE) for name, value in values.items() if value is not None}
    if column.frequent:
        glance["frequent"] = [[_cell(value, MAX_GLANCE), count] for value, count in column.frequent]
    return glance


def _list_text(items: Iterable[object], most: int) -> str:
    texts: list[str] = []
    size = 2
    for item in items:
        text = json.dumps(item, ensure_ascii=False)
        size += len(text) + 1
        if size > most:
            break
        texts.append(text)
    return f"[{','.join(texts)}]"


def _cell(value: Value, most: int) -> object:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    text = str(value)
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"
