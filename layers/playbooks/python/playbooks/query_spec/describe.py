"""Describe a catalogue in words, for the model that writes specs."""

from collections.abc import Collection

from playbooks.query_spec.catalogue import Catalogue, Column, ColumnType

_HOW_TO_WRITE = {
    ColumnType.DATETIME: "YYYY-MM-DD (that whole day) or YYYY-MM-DDTHH:MM:SS",
    ColumnType.DATE: "YYYY-MM-DD",
    ColumnType.STRINGS: "a list; eq asks whether it contains the value",
}


def describe(catalogue: Catalogue, allowed_columns: Collection[str] | None = None) -> str:
    """One line a column that may be named: type, how its values are written, operators, whether it sorts."""
    lines = [_line(name, column) for name, column in catalogue.visible(allowed_columns).items()]
    return "\n".join(lines) if lines else "No column may be named."


def _line(name: str, column: Column) -> str:
    parts = [f"- {name} ({column.type})"]
    if column.description:
        parts.append(column.description)
    if column.choices:
        parts.append("one of " + ", ".join(column.choices))
    if column.type in _HOW_TO_WRITE:
        parts.append(_HOW_TO_WRITE[column.type])
    parts.append("operators " + ", ".join(column.allowed_operators()))
    if column.is_sortable():
        parts.append("sortable")
    return "; ".join(parts)
