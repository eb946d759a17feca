"""What becomes of a value in a worksheet: number, date, boolean or text, and the format it is shown in.

A cell holds a double: 15 significant digits are safe (Microsoft, "Excel specifications and limits"). Whole digits
beyond that are kept as text; decimals beyond it are rounded. Dates begin on 1900-03-01, before which Excel and other
programs count days differently.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum

from playbooks.adapters.documents.sheet_names import cut, units
from playbooks.domain.dataset import Column, Value

MAX_TEXT = 32_767
_DIGITS = 15
_ROUND = Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN)
_FIRST_DAY = date(1900, 3, 1)
_PLAIN_NUMBERS = re.compile(
    r"(?:^|_|\s)(?:id|no|nr|num|number|code|zip|postcode|phone|year|yr|quarter|month|week|day|hour)$"
    r"|(?:번호|코드|연도|년도|년|분기|월|주차|일|아이디)$",
    re.IGNORECASE,
)
DATE = "yyyy-mm-dd"
TIMESTAMP = "yyyy-mm-dd hh:mm:ss"


def is_label(column: Column) -> bool:
    """Whether its whole numbers name something (a year, a code) and are written without separators."""
    return _PLAIN_NUMBERS.search(column.name) is not None


class Loss(StrEnum):
    """What a cell cannot hold as it is; each is said once, with how often it happened."""

    LONG_NUMBER = "long_number"
    """A number of more than 15 digits, kept as text."""
    ROUNDED = "rounded"
    """Decimals beyond 15 significant digits, rounded."""
    EARLY_DATE = "early_date"
    """A date before 1900-03-01, kept as text."""
    LONG_TEXT = "long_text"
    """A text over 32,767 characters, cut."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value for a cell and its number format ("" is General). `shown` is its width in characters."""

    value: bool | int | float | str | datetime
    format: str
    shown: int


@dataclass(slots=True)
class CellMaker:
    """Makes cells of one document and counts what was lost."""

    zone: tzinfo
    losses: Counter[Loss] = field(default_factory=Counter)

    def cell(self, value: Value, column: Column) -> Cell | None:
        """The cell of a value; None for NULL, which leaves its cell empty."""
        match value:
            case None:
                return None
            case bool():
                return Cell(value, "", 5)
            case int():
                return self._integer(value, column)
            case Decimal():
                return self._decimal(value)
            case float():
                return Cell(value, "", len(f"{value:.10g}")) if math.isfinite(value) else self._text(str(value))
            case datetime():
                return self._datetime(value)
            case date():
                return self._date(value)
            case str():
                return self._text(value)

    def _integer(self, value: int, column: Column) -> Cell:
        if len(str(abs(value))) > _DIGITS:
            return self._lost(Loss.LONG_NUMBER, str(value))
        return Cell(value, "0" if is_label(column) else "#,##0", len(f"{value:,}"))

    def _decimal(self, value: Decimal) -> Cell:
        if not value.is_finite():
            return self._text(str(value))
        if value and value.adjusted() >= _DIGITS:
            return self._lost(Loss.LONG_NUMBER, format(value, "f"))
        exponent = value.as_tuple().exponent
        scale = max(0, -exponent) if isinstance(exponent, int) else 0
        rounded = _ROUND.plus(value)
        if rounded != value:
            self.losses[Loss.ROUNDED] += 1
        return Cell(float(rounded), *_shown(rounded, scale))

    def _datetime(self, value: datetime) -> Cell:
        local = value if value.tzinfo is None else value.astimezone(self.zone)
        if local.date() < _FIRST_DAY:
            return self._lost(Loss.EARLY_DATE, local.isoformat(" "))
        return Cell(local.replace(tzinfo=None), TIMESTAMP, len(TIMESTAMP))

    def _date(self, value: date) -> Cell:
        if value < _FIRST_DAY:
            return self._lost(Loss.EARLY_DATE, value.isoformat())
        return Cell(datetime(value.year, value.month, value.day), DATE, len(DATE))  # noqa: DTZ001 - a calendar day

    def _text(self, value: str) -> Cell:
        if units(value) > MAX_TEXT:
            return self._lost(Loss.LONG_TEXT, cut(value, MAX_TEXT - 1) + "…")
        return Cell(value, "", 0)

    def _lost(self, loss: Loss, text: str) -> Cell:
        self.losses[loss] += 1
        return Cell(text, "", 0)


def _shown(value: Decimal, scale: int) -> tuple[str, int]:
    """Format and width: as many decimals as the value has, four where they are mere precision of a division."""
    if scale > 6:
        scale = 4 if not value or abs(value) >= Decimal("0.001") else -1
    if scale < 0:
        return "0.00E+00", 9
    return ("#,##0." + "0" * scale) if scale else "#,##0", len(f"{value:,.{scale}f}")
