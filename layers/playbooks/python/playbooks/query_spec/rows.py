"""Write rows so that both stores hold the same values: the other half of "equal rows in equal order".

Texts in NFC with their folded shadow, instants in UTC, uuids in lower case, numbers finite doubles.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import cast
from uuid import UUID

from playbooks.errors import Finding
from playbooks.query_spec import values
from playbooks.query_spec.catalogue import Catalogue, Column, ColumnType
from playbooks.query_spec.display import kind_of, pointer
from playbooks.query_spec.errors import RowError
from playbooks.query_spec.instants import to_text
from playbooks.query_spec.patterns import fold
from playbooks.query_spec.values import ValueProblem

Stored = str | int | float | bool | datetime | date | list[str] | None


@dataclass(frozen=True, slots=True)
class QdrantPoint:
    """A point for `PUT /collections/{name}/points`, to which the caller adds its vector."""

    id: int | str
    payload: Mapping[str, object]


def canonical_row(catalogue: Catalogue, row: Mapping[str, object]) -> dict[str, Stored]:
    """The catalogue's columns and fold columns of a row, as a SQL store should hold them; a uuid is text.

    Every column must be in the row (None for no value); other keys are left out. Raises RowError with every reason.
    """
    stored: dict[str, Stored] = {}
    findings: list[Finding] = []
    for name, column in catalogue.columns.items():
        if name not in row:
            findings.append(Finding("missing_column", pointer(name), "give the column a value, or null"))
            continue
        try:
            value = _store(name, column, row[name])
        except ValueProblem as problem:
            findings.append(Finding(problem.code, pointer(name), problem.message, problem.allowed))
            continue
        stored[name] = value
        if column.fold is not None:
            stored[column.fold] = fold(value) if isinstance(value, str) else None
    if findings:
        raise RowError(f"The row cannot be stored: {findings[0].path}: {findings[0].message}.", findings)
    return stored


def to_point(catalogue: Catalogue, row: Mapping[str, object]) -> QdrantPoint:
    """The same row as a Qdrant payload (plain JSON); the point's id is the key.

    Raises RowError, also when the key cannot be a point's id.
    """
    stored = canonical_row(catalogue, row)
    key = stored[catalogue.key]
    if key is None or (isinstance(key, int) and key < 0):
        finding = Finding("bad_key", pointer(catalogue.key), "a point's id is an unsigned integer or a uuid")
        raise RowError(f"The row cannot be stored: {finding.path}: {finding.message}.", [finding])
    return QdrantPoint(cast("int | str", key), {name: _json(value) for name, value in stored.items()})


def payload_indexes(catalogue: Catalogue) -> list[dict[str, object]]:
    """The bodies for `PUT /collections/{name}/index`: one a column, so that the engine can sort and filter by it."""
    bodies: list[dict[str, object]] = []
    for name, column in catalogue.columns.items():
        schema: dict[str, object] = {"type": _INDEX_TYPES[column.type]}
        if column.type in (ColumnType.STRING, ColumnType.ENUM) and name in catalogue.scope_columns:
            schema["is_tenant"] = True
        bodies.append({"field_name": name, "field_schema": schema})
        if column.fold is not None:
            bodies.append({"field_name": column.fold, "field_schema": {"type": "keyword"}})
    return bodies


_INDEX_TYPES: Mapping[ColumnType, str] = {
    ColumnType.INTEGER: "integer",
    ColumnType.NUMBER: "float",
    ColumnType.STRING: "keyword",
    ColumnType.ENUM: "keyword",
    ColumnType.BOOLEAN: "bool",
    ColumnType.DATETIME: "datetime",
    ColumnType.DATE: "datetime",
    ColumnType.UUID: "uuid",
    ColumnType.STRINGS: "keyword",
}


def _store(name: str, column: Column, raw: object) -> Stored:
    if raw is None:
        return None
    match column.type:
        case ColumnType.INTEGER:
            return values.integer(name, raw)
        case ColumnType.NUMBER:
            return values.number(name, float(raw) if isinstance(raw, Decimal) else raw)
        case ColumnType.DATETIME:
            return _instant(name, raw)
        case ColumnType.DATE:
            return values.day(name, raw)
        case ColumnType.STRINGS:
            if not isinstance(raw, list | tuple):
                raise ValueProblem("type_mismatch", f"{name} holds a list of strings, got {kind_of(raw)}")
            return [_text(name, item) for item in raw]
        case ColumnType.STRING | ColumnType.ENUM:
            # An enum's choices bind the spec; a row may already have one the catalogue does not know.
            return _text(name, raw)
        case ColumnType.UUID | ColumnType.BOOLEAN:
            return values.exact_value(name, column, str(raw) if isinstance(raw, UUID) else raw)


def _text(name: str, raw: object) -> str:
    if isinstance(raw, str):
        if "\0" in raw:
            raise ValueProblem("bad_string", f"{name} cannot hold the character U+0000")
        try:
            raw.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueProblem("bad_string", f"{name} is not valid Unicode") from None
        return unicodedata.normalize("NFC", raw)
    return values.text(name, raw)


def _instant(name: str, raw: object) -> datetime:
    if isinstance(raw, str):
        return values.span(name, raw, UTC).first
    if not isinstance(raw, datetime) or raw.tzinfo is None:
        raise ValueProblem("type_mismatch", f"{name} holds an instant: a datetime with an offset")
    return values.span(name, raw, UTC).first


def _json(value: Stored) -> object:
    if isinstance(value, datetime):
        return to_text(value)
    return value.isoformat() if isinstance(value, date) else value
