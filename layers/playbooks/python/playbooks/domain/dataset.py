"""A dataset: the rows of one query as typed values, what stands in a file for them, and what the model is shown.

The file is JSON lines (UTF-8): a header `{"dataset": 1, "columns": […]}`, one array a row, and an end line
`{"rows": n}`, so a file that was cut on its way is noticed. Numerics are kept as text (exact), timestamptz with its
offset, NULL as null.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from playbooks.errors import PlaybooksError

FORMAT = 1
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)
CHUNK_BYTES = 64 * 1024
PREVIEW_ROWS = 20

Value = bool | int | Decimal | float | str | date | datetime | None
Row = tuple[Value, ...]


class DatasetDamaged(PlaybooksError):
    """Raised when a dataset's file cannot be read to its end as it was written: run the query again."""

    code = "dataset_damaged"


class ColumnType(StrEnum):
    """What the values of a column are. A date or timestamp Python cannot hold (infinity, BC) stays text."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMERIC = "numeric"
    """Exact decimals: Decimal."""
    FLOAT = "float"
    """Binary floating point, NaN and infinities included."""
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    """A datetime without offset: wall-clock time of nowhere in particular."""
    TIMESTAMPTZ = "timestamptz"
    """A datetime with its offset."""
    JSON = "json"
    """JSON as the server wrote it, in text: no number is rounded."""
    OTHER = "other"
    """Every other type as the server writes it in text: uuid, interval, time, arrays, ranges …"""


@dataclass(frozen=True, slots=True)
class Column:
    """A column by position: two columns of a result may bear one name. `source_type` is the server's name for it."""

    name: str
    type: ColumnType
    source_type: str


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column at a glance; `least`, `greatest` and `total` leave NULL and NaN out and are None where senseless.

    `distinct` is exact, or None when there are more than 1,000 different values; `frequent` holds up to five values
    with their counts, most frequent first, when `distinct` is known and a value repeats.
    """

    name: str
    nulls: int
    distinct: int | None
    least: Value
    greatest: Value
    total: Value
    frequent: tuple[tuple[Value, int], ...]


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """What the model sees of a dataset instead of its rows. `cut` is the sentence that says rows were left off."""

    name: str
    columns: tuple[Column, ...]
    row_count: int
    byte_count: int
    cut: str | None
    preview: tuple[Row, ...]
    summaries: tuple[ColumnSummary, ...]


def encode(columns: tuple[Column, ...], rows: Iterable[Row]) -> Iterator[bytes]:
    """The file of a dataset in chunks of about 64 KiB; memory does not grow with the rows."""
    header = [{"name": c.name, "type": c.type.value, "source_type": c.source_type} for c in columns]
    buffer = bytearray(_line({"dataset": FORMAT, "columns": header}))
    count = 0
    for row in rows:
        buffer += _line([_WRITTEN[type(value)](value) for value in row])
        count += 1
        if len(buffer) >= CHUNK_BYTES:
            yield bytes(buffer)
            buffer.clear()
    buffer += _line({"rows": count})
    yield bytes(buffer)


def decode(chunks: Iterable[bytes]) -> tuple[tuple[Column, ...], Iterator[Row]]:
    """Columns at once and rows as a stream, from chunks of any size; raises DatasetDamaged, also while streaming."""
    lines = _lines(chunks)
    try:
        header = json.loads(next(lines))
        if header["dataset"] != FORMAT:
            raise DatasetDamaged(f"The dataset is of format {header['dataset']!r}; this version reads {FORMAT}.")
        columns = tuple(Column(c["name"], ColumnType(c["type"]), c["source_type"]) for c in header["columns"])
    except (StopIteration, ValueError, KeyError, TypeError) as error:
        raise DatasetDamaged("The dataset has no readable header: run the query again.") from error
    return columns, _rows(columns, lines)


def _rows(columns: tuple[Column, ...], lines: Iterator[bytes]) -> Iterator[Row]:
    readers = [_READ[column.type] for column in columns]
    count = 0
    for line in lines:
        try:
            raw = json.loads(line)
            if isinstance(raw, dict):
                if raw["rows"] != count or next(lines, None) is not None:
                    raise DatasetDamaged(f"The dataset says {raw['rows']} rows and holds {count} or more.")
                return
            row = tuple([None if value is None else read(value) for read, value in zip(readers, raw, strict=True)])
        except (ValueError, KeyError, TypeError, InvalidOperation) as error:
            raise DatasetDamaged(f"Row {count + 1} of the dataset cannot be read: run the query again.") from error
        yield row
        count += 1
    raise DatasetDamaged(f"The dataset ends after {count} rows without its end line: run the query again.")


def _line(value: object) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "strict") + b"\n"


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    if rest:
        yield rest


def _float_written(value: float) -> float | str:
    return value if math.isfinite(value) else repr(value)


_WRITTEN: Mapping[type, Callable[[Any], bool | int | float | str | None]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    int: lambda value: value,
    str: lambda value: value,
    float: _float_written,
    Decimal: str,
    date: date.isoformat,
    datetime: datetime.isoformat,
}
"""How a value of each type stands in the file."""


def _boolean_read(value: object) -> Value:
    return value if value is True or value is False else _refuse(value)


def _integer_read(value: object) -> Value:
    return value if type(value) is int else _refuse(value)


def _numeric_read(value: object) -> Value:
    return Decimal(value) if type(value) is str else _refuse(value)


def _float_read(value: object) -> Value:
    return float(value) if isinstance(value, (float, str)) or type(value) is int else _refuse(value)


def _text_read(value: object) -> Value:
    return value if type(value) is str else _refuse(value)


def _date_read(value: object) -> Value:
    return _or_text(date.fromisoformat, value) if type(value) is str else _refuse(value)


def _timestamp_read(value: object) -> Value:
    return _or_text(datetime.fromisoformat, value) if type(value) is str else _refuse(value)


_READ: Mapping[ColumnType, Callable[[object], Value]] = {
    ColumnType.BOOLEAN: _boolean_read,
    ColumnType.INTEGER: _integer_read,
    ColumnType.NUMERIC: _numeric_read,
    ColumnType.FLOAT: _float_read,
    ColumnType.TEXT: _text_read,
    ColumnType.DATE: _date_read,
    ColumnType.TIMESTAMP: _timestamp_read,
    ColumnType.TIMESTAMPTZ: _timestamp_read,
    ColumnType.JSON: _text_read,
    ColumnType.OTHER: _text_read,
}
"""How a column of each type is read back; None is handled before."""


def _refuse(value: object) -> Value:
    raise ValueError(f"{value!r:.80} is not of the column's type")


def _or_text(parse: Callable[[str], date], text: str) -> Value:
    try:
        return parse(text)
    except ValueError:
        return text
