"""Turn one scalar of a spec into a value of its column's type, or say why it cannot be one."""

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date, datetime, tzinfo

from playbooks.query_spec.catalogue import Column, ColumnType
from playbooks.query_spec.display import kind_of, printable, shown
from playbooks.query_spec.instants import InstantError, Span, day_span, moment_span, parse_day, parse_span
from playbooks.query_spec.tree import Exact

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_DOUBLE_BITS = 1024
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


class ValueProblem(Exception):
    """Raised inside this room when a value does not fit its column; becomes a finding."""

    def __init__(self, code: str, message: str, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.allowed = allowed


def exact_value(name: str, column: Column, raw: object) -> Exact:
    """The value of a column that is compared for equality; raises ValueProblem."""
    return _EXACT.get(column.type, _text)(name, column, raw)


def integer(name: str, raw: object) -> int:
    """A 64-bit integer; booleans, floats and digits in a string are other things."""
    if type(raw) is not int:
        raise ValueProblem("type_mismatch", f"{name} takes an integer, got {shown(raw)}")
    if not INT64_MIN <= raw <= INT64_MAX:
        raise ValueProblem("value_out_of_range", f"{name} takes 64-bit integers; this one is outside")
    return raw


def number(name: str, raw: object) -> float:
    """A finite double; an integer is accepted when a double holds it exactly. Minus zero is zero."""
    if type(raw) is int:
        if raw.bit_length() > _DOUBLE_BITS or int(float(raw)) != raw:
            raise ValueProblem("value_out_of_range", f"{name} cannot hold this integer exactly")
        return float(raw)
    if type(raw) is not float:
        raise ValueProblem("type_mismatch", f"{name} takes a number, got {shown(raw)}")
    if not math.isfinite(raw):
        raise ValueProblem("value_out_of_range", f"{name} takes finite numbers")
    return raw + 0.0


def text(name: str, raw: object) -> str:
    """A text in NFC."""
    if type(raw) is not str:
        raise ValueProblem("type_mismatch", f"{name} takes a string, got {shown(raw)}")
    return unicodedata.normalize("NFC", raw)


def span(name: str, raw: object, zone: tzinfo) -> Span:
    """The instants a day or date-time covers."""
    # A datetime is a date too, so the exact types are asked for.
    if type(raw) is datetime:
        return moment_span(raw, zone)
    if type(raw) is date:
        return day_span(raw, zone)
    if type(raw) is not str:
        raise ValueProblem("type_mismatch", f"{name} takes an ISO 8601 date or date-time string, got {kind_of(raw)}")
    try:
        return parse_span(raw, zone)
    except InstantError as error:
        raise ValueProblem("bad_datetime", str(error)) from None


def day(name: str, raw: object) -> date:
    """A calendar day."""
    if type(raw) is date:
        return raw
    if type(raw) is not str:
        raise ValueProblem("type_mismatch", f"{name} takes an ISO 8601 date string, got {kind_of(raw)}")
    try:
        return parse_day(raw)
    except InstantError as error:
        raise ValueProblem("bad_date", str(error)) from None


def _integer(name: str, _column: Column, raw: object) -> int:
    return integer(name, raw)


def _text(name: str, _column: Column, raw: object) -> str:
    return text(name, raw)


def _boolean(name: str, _column: Column, raw: object) -> bool:
    if raw is True or raw is False:
        return raw
    raise ValueProblem("type_mismatch", f"{name} takes true or false, got {shown(raw)}")


def _uuid(name: str, _column: Column, raw: object) -> str:
    if type(raw) is not str:
        raise ValueProblem("type_mismatch", f"{name} takes a UUID string, got {shown(raw)}")
    if _UUID.fullmatch(raw) is None:
        raise ValueProblem("bad_uuid", f"{name} takes a UUID such as 123e4567-e89b-12d3-a456-426614174000")
    return raw.lower()


def _choice(name: str, column: Column, raw: object) -> str:
    value = text(name, raw)
    choices = column.choices or ()
    if value not in choices:
        raise ValueProblem("value_not_in_choices", f"'{printable(value)}' is not a value of {name}", choices)
    return value


_EXACT: Mapping[ColumnType, Callable[[str, Column, object], Exact]] = {
    ColumnType.INTEGER: _integer,
    ColumnType.BOOLEAN: _boolean,
    ColumnType.UUID: _uuid,
    ColumnType.ENUM: _choice,
}
