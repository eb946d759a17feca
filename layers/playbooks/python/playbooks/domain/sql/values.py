"""How a value of each placeholder type is written into a statement.

Whatever the value, the tokens it becomes have one structure a type: a literal, or a negative number in parentheses.
"""

import math
import re
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import assert_never

MAX_STRING = 5_000
MAX_NUMBER_CHARACTERS = 400

_INTEGER = re.compile(r"-?[0-9]{1,19}\Z")
_NUMBER = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,3})?\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


class InvalidValue(ValueError):
    """Raised when a value is not of its type; its text says what is expected."""


class PlaceholderType(StrEnum):
    """What a value for a placeholder is and how it is written into the statement."""

    INTEGER = "integer"
    """A whole number within bigint: `5`, `(-5)`."""
    NUMBER = "number"
    """A decimal number without exponent: `0.0000001`, `(-0.25)`."""
    STRING = "string"
    """`'O''Brien'`, at most 5,000 characters, without NUL."""
    DATE = "date"
    """A day YYYY-MM-DD: `DATE '2026-09-01'`."""
    BOOLEAN = "boolean"
    """`TRUE`, `FALSE`."""


def literal(kind: PlaceholderType, value: object) -> str:
    """The SQL for a value; raises InvalidValue with a sentence that says what is expected."""
    match kind:
        case PlaceholderType.INTEGER:
            return _signed(_integer(value))
        case PlaceholderType.NUMBER:
            return _signed(_number(value))
        case PlaceholderType.STRING:
            return _string(value)
        case PlaceholderType.DATE:
            return f"DATE '{_date(value).isoformat()}'"
        case PlaceholderType.BOOLEAN:
            return "TRUE" if _boolean(value) else "FALSE"
        case _:
            assert_never(kind)


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _integer(value: object) -> str:
    if isinstance(value, str) and _INTEGER.match(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidValue("a whole number is expected, such as 5 or -5")
    if not -(2**63) <= value < 2**63:
        raise InvalidValue("a whole number between -9223372036854775808 and 9223372036854775807 is expected")
    return str(value)


def _number(value: object) -> str:
    if isinstance(value, Decimal):
        number = value
    elif (isinstance(value, str) and _NUMBER.match(value)) or (
        isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 1_100
    ):
        number = Decimal(value)
    elif isinstance(value, float) and math.isfinite(value):
        number = Decimal(repr(value))
    else:
        raise InvalidValue("a number is expected, such as 1.5 or -0.25")
    if not number.is_finite() or number.adjusted() > 308 or number.adjusted() < -330:
        raise InvalidValue("a number of at most 308 digits is expected")
    text = format(number, "f")
    if len(text) > MAX_NUMBER_CHARACTERS:
        raise InvalidValue(f"a number of at most {MAX_NUMBER_CHARACTERS} characters is expected")
    return text


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidValue("a text is expected")
    if len(value) > MAX_STRING:
        raise InvalidValue(f"a text of at most {MAX_STRING:,} characters is expected")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidValue("a text without NUL and without halves of characters (surrogates) is expected")
    return "'" + value.replace("'", "''") + "'"


def _date(value: object) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, str) and _DATE.match(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise InvalidValue(f"{value} is not a day of the calendar") from None
    raise InvalidValue("a day written YYYY-MM-DD is expected, such as 2026-09-01")


def _boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false") and value.isascii():
        return value.lower() == "true"
    raise InvalidValue("true or false is expected")
