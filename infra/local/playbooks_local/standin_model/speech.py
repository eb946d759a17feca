"""The language of a text, and numbers and days as a reader of it writes them."""

import re
from datetime import date
from decimal import Decimal, InvalidOperation

KOREAN, ENGLISH = "ko", "en"
_HANGUL = re.compile(r"[가-힣]")


def language_of(text: str) -> str:
    """Korean as soon as there is Hangul in it, else English."""
    return KOREAN if _HANGUL.search(text) else ENGLISH


def number_text(value: Decimal) -> str:
    """`1,234,567.50`, without decimals when there are none."""
    whole = value == value.to_integral_value()
    return f"{value:,.0f}" if whole else f"{value:,.2f}"


def as_number(value: object) -> Decimal | None:
    """The number in a cell of a preview (numerics come as text), or None."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def day_text(day: date) -> str:
    """ISO 8601, which both languages read."""
    return day.isoformat()
