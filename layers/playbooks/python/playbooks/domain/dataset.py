"""A dataset: the rows of one query as typed values, what stands in a file for them, and what the model is shown.

The file is JSON lines (UTF-8): a header `{"dataset": 1, "columns": […]}`, one array a row, and an end line
`{"rows": n}`, so a file that was cut on its way is noticed. Numerics are kept as text (exact), timestamptz with its
offset, NULL as null.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from playbooks.errors import PlaybooksError

FORMAT = 1
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
        buffer += _line([_to_json(value) for value in row])
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
    types = [column.type for column in columns]
    count = 0
    for line in lines:
        try:
            raw = json.loads(line)
            if isinstance(raw, dict):
                if raw["rows"] != count or next(lines, None) is not None:
                    raise DatasetDamaged(f"The dataset says {raw['rows']} rows and holds {count} or more.")
                return
            row = tuple(_from_json(kind, value) for kind, value in zip(types, raw, strict=True))
        except (ValueError, KeyError, TypeError, InvalidOperation) as error:
            raise DatasetDamaged(f"Row {count + 1} of the dataset cannot be read: run the query again.") from error
        yield row
        count += 1
    raise DatasetDamaged(f"The dataset ends after {count} rows without its end line: run the query again.")


def _line(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "strict") + b"\n"


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    if rest:
        yield rest


def _to_json(value: Value) -> bool | int | float | str | None:
    match value:
        case float() if not math.isfinite(value):
            return repr(value)
        case Decimal():
            return str(value)
        case date():  # a datetime is a date
            return value.isoformat()
        case _:
            return value


def _from_json(kind: ColumnType, value: object) -> Value:
    if value is None:
        return None
    match kind:
        case ColumnType.BOOLEAN if isinstance(value, bool):
            return value
        case ColumnType.INTEGER if isinstance(value, int) and not isinstance(value, bool):
            return value
        case ColumnType.NUMERIC if isinstance(value, str):
            return Decimal(value)
        case ColumnType.FLOAT if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            return float(value)
        case ColumnType.DATE if isinstance(value, str):
            return _or_text(date.fromisoformat, value)
        case ColumnType.TIMESTAMP | ColumnType.TIMESTAMPTZ if isinstance(value, str):
            return _or_text(datetime.fromisoformat, value)
        case ColumnType.TEXT | ColumnType.JSON | ColumnType.OTHER if isinstance(value, str):
            return value
    raise ValueError(f"{kind} does not hold {value!r:.80}")


def _or_text(parse: Callable[[str], date], text: str) -> Value:
    try:
        return parse(text)
    except ValueError:
        return text
