"""Values as text, for formats that hold nothing else."""

from datetime import datetime, tzinfo
from decimal import Decimal

from playbooks.domain.dataset import Value

CHUNK_BYTES = 64 * 1024


def text_value(value: Value, zone: tzinfo) -> str:
    """Exact and unformatted: NULL is empty, decimals have no exponent, instants are shown in `zone` with offset."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case Decimal():
            return format(value, "f")
        case datetime():
            return (value if value.tzinfo is None else value.astimezone(zone)).isoformat(" ")
        case _:
            return str(value)
