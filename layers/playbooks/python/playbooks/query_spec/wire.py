"""Between the wire form a model fills and a spec: `from_wire` is the inverse of what `wire_schema` asks for."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import tzinfo
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from playbooks.errors import Finding
from playbooks.query_spec.bounds import check_bounds, layout
from playbooks.query_spec.catalogue import Catalogue, ColumnType
from playbooks.query_spec.display import kind_of, pointer, printable
from playbooks.query_spec.errors import QuerySpecError
from playbooks.query_spec.interpret import interpret
from playbooks.query_spec.limits import DEFAULT_LIMITS, Limits
from playbooks.query_spec.models import SpecOutput, WhereCondition, WhereGroup
from playbooks.query_spec.tree import Query
from playbooks.query_spec.wire_schema import WIRE_DEPTH

_LAYOUT = layout("", children=["conditions", "groups"], values=["values"])
_CLOSED = ConfigDict(extra="forbid", strict=True, frozen=True)
_INTEGER = re.compile(r"-?\d{1,19}", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_LISTS = frozenset({"in", "not_in", "between", "is_null", "is_not_null"})


class _Condition(BaseModel):
    model_config = _CLOSED
    column: str
    operator: str
    values: list[str]


class _Leaves(BaseModel):
    model_config = _CLOSED
    op: Literal["and", "or"]
    conditions: list[_Condition]


class _Inner(_Leaves):
    groups: list[_Leaves]


class _Order(BaseModel):
    model_config = _CLOSED
    column: str
    direction: str


class _Root(_Leaves):
    groups: list[_Inner]
    order_by: list[_Order]
    limit: int
    offset: int


Spec = dict[str, object]
Paths = dict[str, str]
"""Pointers into the spec, each with the pointer into the wire form it came from."""


def interpret_wire(
    document: Mapping[str, object],
    catalogue: Catalogue,
    *,
    zone: tzinfo,
    allowed_columns: Collection[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Query:
    """Read what a model filled in; raises QuerySpecError whose pointers lead into the wire form."""
    spec, paths = from_wire(document, catalogue, limits)
    try:
        return interpret(spec, catalogue, zone=zone, allowed_columns=allowed_columns, limits=limits)
    except QuerySpecError as error:
        found = [Finding(item.code, _back(item.path, paths), item.message, item.allowed) for item in error.findings]
        raise QuerySpecError(found) from None


def from_wire(document: object, catalogue: Catalogue, limits: Limits = DEFAULT_LIMITS) -> tuple[Spec, Paths]:
    """The spec, and where each of its nodes stood; texts become integers, numbers and booleans by their column's
    type, and stay texts (to be refused with a reason) where they are none. Raises QuerySpecError."""
    if not isinstance(document, Mapping):
        raise QuerySpecError([Finding("not_object", "", f"the spec must be a JSON object, got {kind_of(document)}")])
    bounds = check_bounds(document, limits, _LAYOUT)
    if bounds.findings:
        raise QuerySpecError(bounds.findings)
    try:
        root = _Root.model_validate(document)
    except ValidationError as error:
        raise QuerySpecError(_shape_findings(error)) from None
    paths: Paths = {}
    where = _read_group(root, "", "/where", catalogue, paths)
    spec: Spec = {
        "where": where if where["conditions"] else None,
        "order_by": [{"column": item.column, "direction": item.direction} for item in root.order_by],
        "limit": root.limit,
        "offset": root.offset,
    }
    return spec, paths


def to_wire(spec: SpecOutput) -> Spec:
    """The wire form of a spec, for examples shown to a model; raises ValueError when it nests too deep for it."""
    root = spec.where if spec.where is not None else WhereGroup()
    return {
        **_write_group(root, WIRE_DEPTH),
        "order_by": [item.model_dump() for item in spec.order_by],
        "limit": spec.limit,
        "offset": spec.offset,
    }


def _read_group(group: _Leaves, here: str, there: str, catalogue: Catalogue, paths: Paths) -> Spec:
    paths[there] = here
    children: list[Spec] = []
    for index, condition in enumerate(group.conditions):
        paths[f"{there}/conditions/{len(children)}"] = f"{here}/conditions/{index}"
        children.append(_read_condition(condition, catalogue))
    inner = cast("list[_Leaves]", getattr(group, "groups", []))
    for index, below in enumerate(inner):
        path = f"{there}/conditions/{len(children)}"
        children.append(_read_group(below, f"{here}/groups/{index}", path, catalogue, paths))
    return {"op": group.op, "conditions": children}


def _read_condition(condition: _Condition, catalogue: Catalogue) -> Spec:
    column = catalogue.open_columns.get(condition.column)
    kind = ColumnType.STRING if column is None else column.type
    read = [_read_value(kind, value) for value in condition.values]
    value: object = read
    if condition.operator not in _LISTS and len(read) <= 1:
        value = read[0] if read else None
    elif condition.operator in ("is_null", "is_not_null") and not read:
        value = None
    return {"column": condition.column, "operator": condition.operator, "value": value}


def _read_value(kind: ColumnType, value: str) -> object:
    if kind is ColumnType.INTEGER and _INTEGER.fullmatch(value):
        return int(value)
    if kind is ColumnType.NUMBER and _NUMBER.fullmatch(value):
        return float(value)
    if kind is ColumnType.BOOLEAN and value in ("true", "false"):
        return value == "true"
    return value


def _write_group(group: WhereGroup, depth: int) -> Spec:
    conditions = [_write_condition(node) for node in group.conditions if isinstance(node, WhereCondition)]
    groups = [node for node in group.conditions if isinstance(node, WhereGroup)]
    if depth == 1:
        if groups:
            raise ValueError(f"a spec on the wire nests at most {WIRE_DEPTH} groups deep")
        return {"op": group.op, "conditions": conditions}
    return {"op": group.op, "conditions": conditions, "groups": [_write_group(node, depth - 1) for node in groups]}


def _write_condition(condition: WhereCondition) -> Spec:
    value = condition.value
    written: Iterable[object] = value if isinstance(value, list) else [] if value is None else [value]
    if condition.operator == "between" and value is None:
        written = [bound for bound in (condition.start, condition.end) if bound is not None]
    return {
        "column": condition.column,
        "operator": condition.operator,
        "values": [_write_value(item) for item in written],
    }


def _write_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    isoformat = getattr(value, "isoformat", None)
    return isoformat() if isoformat is not None else str(value)


def _back(path: str, paths: Paths) -> str:
    """The place in the wire form: the longest known node, then the rest with the wire's own names."""
    node = path
    while node and node not in paths:
        node = node.rpartition("/")[0]
    if not node:
        return path
    rest = path[len(node) :]
    return paths[node] + rest.replace("/value", "/values", 1).replace("/start", "/values").replace("/end", "/values")


def _shape_findings(error: ValidationError) -> list[Finding]:
    found = []
    for item in error.errors(include_url=False, include_context=False):
        path = pointer(*item["loc"])
        name = printable(str(item["loc"][-1])) if item["loc"] else "the spec"
        match item["type"]:
            case "missing":
                found.append(Finding("missing_field", path, f"'{name}' is missing; every field is required"))
            case "extra_forbidden":
                found.append(Finding("unknown_field", path, f"no field '{name}' here"))
            case "literal_error":
                found.append(Finding("bad_group", path, "op is and or or", ("and", "or")))
            case _:
                found.append(Finding("type_mismatch", path, f"{name} cannot be {kind_of(item['input'])}"))
    return found
