"""A dataset at a glance, gathered while its rows stream by: bounded memory, exact numbers."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Context, Decimal, Inexact
from typing import Any

from playbooks.domain.dataset import (
    PREVIEW_ROWS,
    Column,
    ColumnSummary,
    ColumnType,
    DatasetSummary,
    Row,
    Value,
)

MAX_DISTINCT = 1_000
MAX_FREQUENT = 5
MAX_KEPT_TEXT = 200
"""Longer texts are counted by their first characters and length, so memory stays bounded."""

_COMPARED: Mapping[ColumnType, type] = {
    ColumnType.INTEGER: int,
    ColumnType.NUMERIC: Decimal,
    ColumnType.FLOAT: float,
    ColumnType.DATE: date,
    ColumnType.TIMESTAMP: datetime,
    ColumnType.TIMESTAMPTZ: datetime,
}
"""Columns with a least and a greatest value; a value of another type (`infinity` as text) is left out."""
_EXACT = Context(prec=200_000, traps=[Inexact])
"""More digits than a numeric of PostgreSQL can have (131,072 before and 16,383 behind the point)."""


class DatasetSummarizer:
    """Watches rows on their way to a file: `encode(columns, summarizer.watch(rows))`, then `summary(…)`."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self._columns = columns
        self._gatherers = [_Gatherer(column) for column in columns]
        self._preview: list[Row] = []
        self.row_count = 0

    def watch(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same rows, looked at as they pass."""
        for row in rows:
            if len(self._preview) < PREVIEW_ROWS:
                self._preview.append(row)
            self.row_count += 1
            for gatherer, value in zip(self._gatherers, row, strict=True):
                gatherer.add(value)
            yield row

    def summary(self, name: str, byte_count: int, cut: str | None) -> DatasetSummary:
        """What has passed so far, under the dataset's name."""
        return DatasetSummary(
            name,
            self._columns,
            self.row_count,
            byte_count,
            cut,
            tuple(self._preview),
            tuple(gatherer.summary() for gatherer in self._gatherers),
        )


class _Gatherer:
    """One column's numbers."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._compared = _COMPARED.get(column.type)
        self._nulls = 0
        self._counts: dict[Value, int] | None = {}
        self._least: Any = None
        self._greatest: Any = None
        self._total: int | Decimal | None = None

    def add(self, value: Value) -> None:
        if value is None:
            self._nulls += 1
            return
        counts = self._counts
        if counts is not None:
            key = value if type(value) is not str or len(value) <= MAX_KEPT_TEXT else _shortened(value)
            counts[key] = counts.get(key, 0) + 1
            if len(counts) > MAX_DISTINCT:
                self._counts = None
        if type(value) is self._compared and not _is_endless(value):
            self._compare(value)

    def _compare(self, value: Any) -> None:  # noqa: ANN401 - values of one column are of one type
        if self._least is None:
            self._least = self._greatest = value
        elif value < self._least:
            self._least = value
        elif value > self._greatest:
            self._greatest = value
        if type(value) is int:
            self._total = value if self._total is None else self._total + value
        elif type(value) is Decimal:
            self._total = value if self._total is None else _EXACT.add(Decimal(self._total), value)

    def summary(self) -> ColumnSummary:
        frequent: tuple[tuple[Value, int], ...] = ()
        if self._counts is not None and any(count > 1 for count in self._counts.values()):
            frequent = tuple(Counter(self._counts).most_common(MAX_FREQUENT))
        return ColumnSummary(
            self._column.name,
            self._nulls,
            None if self._counts is None else len(self._counts),
            self._least,
            self._greatest,
            self._total,
            frequent,
        )


def _shortened(text: str) -> str:
    return f"{text[:MAX_KEPT_TEXT]}… ({len(text)} characters)"


def _is_endless(value: Value) -> bool:
    """NaN and the infinities, which do not sort or add up."""
    if type(value) is float:
        return not math.isfinite(value)
    return type(value) is Decimal and not value.is_finite()
