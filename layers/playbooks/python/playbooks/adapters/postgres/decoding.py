"""From the server's text to typed values. What Python's types cannot hold stays text, so nothing fails or is bent."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal

from playbooks.domain.dataset import ColumnType, Value

_TYPES: Mapping[int, tuple[ColumnType, str]] = {
    16: (ColumnType.BOOLEAN, "boolean"),
    20: (ColumnType.INTEGER, "bigint"),
    21: (ColumnType.INTEGER, "smallint"),
    23: (ColumnType.INTEGER, "integer"),
    26: (ColumnType.INTEGER, "oid"),
    1700: (ColumnType.NUMERIC, "numeric"),
    700: (ColumnType.FLOAT, "real"),
    701: (ColumnType.FLOAT, "double precision"),
    25: (ColumnType.TEXT, "text"),
    1043: (ColumnType.TEXT, "character varying"),
    1042: (ColumnType.TEXT, "character"),
    19: (ColumnType.TEXT, "name"),
    1082: (ColumnType.DATE, "date"),
    1114: (ColumnType.TIMESTAMP, "timestamp without time zone"),
    1184: (ColumnType.TIMESTAMPTZ, "timestamp with time zone"),
    114: (ColumnType.JSON, "json"),
    3802: (ColumnType.JSON, "jsonb"),
    1083: (ColumnType.OTHER, "time without time zone"),
    1266: (ColumnType.OTHER, "time with time zone"),
    1186: (ColumnType.OTHER, "interval"),
    2950: (ColumnType.OTHER, "uuid"),
    17: (ColumnType.OTHER, "bytea"),
    1009: (ColumnType.OTHER, "text[]"),
    1007: (ColumnType.OTHER, "integer[]"),
    869: (ColumnType.OTHER, "inet"),
    790: (ColumnType.OTHER, "money"),
    142: (ColumnType.OTHER, "xml"),
}
"""By the fixed type ids of PostgreSQL's catalogue (pg_type.dat)."""

Decoder = Callable[[bytes], Value]


def column_type(oid: int) -> tuple[ColumnType, str | None]:
    """The type of a column and the server's name of it; None for a name that has to be looked up."""
    return _TYPES.get(oid, (ColumnType.OTHER, None))


def decoder(kind: ColumnType) -> Decoder:
    """How a value of this type is read from the server's text."""
    return _DECODERS[kind]


def _boolean(text: bytes) -> Value:
    return text == b"t"


def _numeric(text: bytes) -> Value:
    return Decimal(text.decode())


def _date(text: bytes) -> Value:
    try:
        return date.fromisoformat(text.decode())
    except ValueError:
        return text.decode()


def _timestamp(text: bytes) -> Value:
    try:
        return datetime.fromisoformat(text.decode())
    except ValueError:
        return text.decode()


_DECODERS: Mapping[ColumnType, Decoder] = {
    ColumnType.BOOLEAN: _boolean,
    ColumnType.INTEGER: int,
    ColumnType.NUMERIC: _numeric,
    ColumnType.FLOAT: float,
    ColumnType.TEXT: bytes.decode,
    ColumnType.DATE: _date,
    ColumnType.TIMESTAMP: _timestamp,
    ColumnType.TIMESTAMPTZ: _timestamp,
    ColumnType.JSON: bytes.decode,
    ColumnType.OTHER: bytes.decode,
}
