"""Values as a person reads them on a page."""

import math
import re
from datetime import datetime, tzinfo
from decimal import ROUND_HALF_EVEN, Context, Decimal

from playbooks.adapters.documents.cells import is_label
from playbooks.domain.dataset import Column, ColumnType, Value

NUMBERS = frozenset({ColumnType.INTEGER, ColumnType.NUMERIC, ColumnType.FLOAT})
_ROUND = Context(prec=15, rounding=ROUND_HALF_EVEN)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def shown_value(value: Value, column: Column, zone: tzinfo) -> str:
    """Digits in groups of three, instants to the second on the clocks of `zone`, nothing for NULL."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if is_label(column) else f"{value:,}"
        case Decimal():
            return f"{value:,f}" if value.is_finite() and abs(value.adjusted()) < 40 else str(_ROUND.plus(value))
        case float():
            return f"{value:,.15g}" if math.isfinite(value) else str(value)
        case datetime():
            local = value if value.tzinfo is None else value.astimezone(zone)
            return local.replace(tzinfo=None).isoformat(" ", "seconds")
        case str():
            return printable(value)
        case _:
            return value.isoformat()


def printable(text: str) -> str:
    """The text without what no page and no XML can hold."""
    return _UNPRINTABLE.sub("", text)
