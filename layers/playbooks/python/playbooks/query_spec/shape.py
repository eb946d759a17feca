"""Check the shape of a bounded document, and say in the spec's own words what is wrong with it."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from playbooks.errors import Finding
from playbooks.query_spec.display import kind_of, pointer, printable
from playbooks.query_spec.models import DIRECTIONS, OPERATORS, OrderBy, SpecOutput, WhereCondition, WhereGroup

_VALUES = ("value", "start", "end")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "statement": tuple(SpecOutput.model_fields),
    "group": tuple(WhereGroup.model_fields),
    "condition": tuple(WhereCondition.model_fields),
    "order": tuple(OrderBy.model_fields),
}
_FLAT = "a value is one scalar or one flat list of scalars"


def read_shape(document: Mapping[object, object]) -> tuple[SpecOutput | None, list[Finding]]:
    """The spec, or None and every reason why it has another shape."""
    try:
        return SpecOutput.model_validate(document), []
    except ValidationError as error:
        return None, _findings(error)


def readable_parts(document: Mapping[object, object]) -> Iterator[tuple[WhereCondition | OrderBy, str]]:
    """The conditions and sort keys that are well formed by themselves, with their pointers.

    For a document whose shape is wrong elsewhere: what can still be checked in it is, so that one answer names
    everything. The document must be bounded.
    """
    stack: list[tuple[object, str]] = [(document.get("where"), "/where")]
    while stack:
        node, path = stack.pop()
        if not isinstance(node, Mapping):
            continue
        children = node.get("conditions")
        if isinstance(children, list):
            stack.extend((child, f"{path}/conditions/{index}") for index, child in reversed([*enumerate(children)]))
        elif isinstance(condition := _try(WhereCondition, node), WhereCondition):
            yield condition, path
    order = document.get("order_by")
    for index, item in enumerate(order if isinstance(order, list) else []):
        if isinstance(sort := _try(OrderBy, item), OrderBy):
            yield sort, f"/order_by/{index}"


def _try(model: type[BaseModel], raw: object) -> BaseModel | None:
    try:
        return model.model_validate(raw)
    except ValidationError:
        return None


def _findings(error: ValidationError) -> list[Finding]:
    found: dict[str, Finding] = {}
    for detail in error.errors(include_url=False, include_context=True, include_input=True):
        item = _finding(detail)
        # A union reports each of its members; one value is one finding.
        found.setdefault(item.path, item)
    return list(found.values())


def _finding(detail: ErrorDetails) -> Finding:
    location, place = _place(detail["loc"])
    path = pointer(*location)
    name = str(location[-1]) if location else ""
    kind = detail["type"]
    got = kind_of(detail["input"])
    match kind:
        case "missing":
            return Finding("missing_field", path, f"a {place} needs '{printable(name)}'")
        case "extra_forbidden":
            return Finding("unknown_field", path, _unknown_field(name, place, location), _FIELDS[place])
        case "greater_than_equal" | "less_than_equal" if name == "limit":
            return Finding("limit_out_of_range", path, "limit is from 1 to 200")
        case "greater_than_equal" if name == "offset":
            return Finding("offset_out_of_range", path, "offset is 0 or more")
        case "literal_error" if name == "operator":
            return Finding("unknown_operator", path, f"unknown operator '{_text(detail)}'", OPERATORS)
        case "literal_error" if name == "direction":
            return Finding("bad_direction", path, "direction is asc or desc", DIRECTIONS)
        case "literal_error":
            return Finding("bad_group", path, "op is and or or", ("and", "or"))
        case "model_type" | "model_attributes_type" | "dict_type":
            return Finding("not_object", path, f"expected an object, got {got}")
        case _ if name in _VALUES:
            return Finding("type_mismatch", path, _FLAT)
        case _:
            return Finding("type_mismatch", path, f"{printable(name)} cannot be {got}")


def _place(location: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], str]:
    """The pointer's parts, without pydantic's union tags, and which shape the last part belongs to."""
    parts: list[str | int] = []
    place = "statement"
    for part in location:
        if parts and isinstance(parts[-1], int) and parts[-2] == "conditions" and part in ("group", "condition"):
            place = str(part)
            continue
        parts.append(part)
        if len(parts) == 1 and part == "where":
            place = "group"
        elif len(parts) == 1 and part == "order_by":
            place = "order"
        elif place == "condition" and part in _VALUES:
            break
    return tuple(parts), "statement" if len(parts) == 1 else place


def _unknown_field(name: str, place: str, location: tuple[str | int, ...]) -> str:
    if place == "group" and name in _FIELDS["condition"]:
        return f'\'{name}\' belongs to a condition; wrap it: {{"op": "and", "conditions": [...]}}'
    if name == "allowed_columns" and len(location) == 1:
        return "'allowed_columns' is not the spec's to choose; leave it out"
    return f"a {place} has no '{printable(name)}'"


def _text(detail: ErrorDetails) -> str:
    raw = detail["input"]
    return printable(raw) if isinstance(raw, str) else kind_of(raw)
