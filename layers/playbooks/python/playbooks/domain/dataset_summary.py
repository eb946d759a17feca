"""A dataset at a glance, gathered while its rows stream by: bounded memory, exact numbers."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from decimal import Context, Decimal, Inexact

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

_ORDERED = (ColumnType.INTEGER, ColumnType.NUMERIC, ColumnType.FLOAT, ColumnType.DATE, ColumnType.TIMESTAMP)
_SUMMED = (ColumnType.INTEGER, ColumnType.NUMERIC)
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
        self._ordered = column.type in _ORDERED or column.type is ColumnType.TIMESTAMPTZ
        self._summed = column.type in _SUMMED
        self._nulls = 0
        self._counts: Counter[tuple[type, Value]] | None = Counter()
        self._least: Value = None
        self._greatest: Value = None
        self._total: int | Decimal | None = None

    def add(self, value: Value) -> None:
        if value is None:
            self._nulls += 1
            return
        if self._counts is not None:
            self._counts[(type(value), _kept(value))] += 1
            if len(self._counts) > MAX_DISTINCT:
                self._counts = None
        if not self._ordered or isinstance(value, str) or not _is_finite(value):
            return
        if self._least is None or _before(value, self._least):
            self._least = value
        if self._greatest is None or _before(self._greatest, value):
            self._greatest = value
        if self._summed and isinstance(value, (int, Decimal)):
            self._total = _exact_sum(self._total, value)

    def summary(self) -> ColumnSummary:
        frequent: tuple[tuple[Value, int], ...] = ()
        if self._counts is not None and any(count > 1 for count in self._counts.values()):
            frequent = tuple((value, count) for (_, value), count in self._counts.most_common(MAX_FREQUENT))
        return ColumnSummary(
            self._column.name,
            self._nulls,
            None if self._counts is None else len(self._counts),
            self._least,
            self._greatest,
            self._total,
            frequent,
        )


def _kept(value: Value) -> Value:
    if isinstance(value, str) and len(value) > MAX_KEPT_TEXT:
        return f"{value[:MAX_KEPT_TEXT]}… ({len(value)} characters)"
    return value


def _is_finite(value: Value) -> bool:
    match value:
        case float():
            return math.isfinite(value)
        case Decimal():
            return value.is_finite()
        case _:
            return True


def _before(one: Value, other: Value) -> bool:
    """Whether one value of a column is less than another; values of one column are of one type."""
    match one, other:
        case (datetime() as first, datetime() as second):
            return first < second
        case (date() as first_day, date() as second_day) if not isinstance(one, datetime):
            return first_day < second_day
        case ((int() | Decimal() | float()) as left, (int() | Decimal() | float()) as right):
            return left < right
        case _:
            return False


def _exact_sum(total: int | Decimal | None, value: int | Decimal) -> int | Decimal:
    """A sum without rounding, which `+` of Decimal does at 28 digits."""
    if total is None:
        return value
    if isinstance(total, int) and isinstance(value, int):
        return total + value
    return _EXACT.add(Decimal(total), Decimal(value))
