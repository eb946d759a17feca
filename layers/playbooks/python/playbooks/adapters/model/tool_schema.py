"""Tool schemas as strict tool use takes them: closed objects, everything required, no bounds on values.

Source: Anthropic, "Strict tool use" and "JSON Schema limitations". Bounds the grammar cannot hold move into the
property's description, where the model still reads them; the code that takes the call checks them.
"""

from collections.abc import Mapping
from typing import Any

MAX_STRICT_TOOLS = 20
_AT_THE_TOP = ("anyOf", "oneOf", "allOf", "not", "if", "$ref")
_BOUNDS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
)


def input_schema(schema: Mapping[str, object], *, strict: bool) -> dict[str, Any]:
    """The `input_schema` of a tool; a copy, the argument stays as it is.

    Raises ValueError for a schema no tool may have (not an object, or a choice at its top level).
    """
    if schema.get("type") != "object":
        raise ValueError("a tool's schema is an object")
    for keyword in _AT_THE_TOP:
        if keyword in schema:
            raise ValueError(f"a tool's schema has no {keyword} at its top level")
    return _mapped(schema, strict=strict)


def _mapped(schema: Mapping[str, object], *, strict: bool) -> dict[str, Any]:
    result: dict[str, Any] = {}
    bounds: list[str] = []
    for key, value in schema.items():
        if strict and (key in _BOUNDS or (key == "minItems" and value not in (0, 1))):
            bounds.append(f"{key}: {value}")
        elif key == "properties" and isinstance(value, Mapping):
            result[key] = {name: _child(child, strict=strict) for name, child in value.items()}
        elif key == "items":
            result[key] = _child(value, strict=strict)
        elif key in {"anyOf", "allOf"} and isinstance(value, list | tuple):
            result[key] = [_child(child, strict=strict) for child in value]
        else:
            result[key] = value
    if bounds:
        result["description"] = " ".join(filter(None, [str(result.get("description", "")), f"({', '.join(bounds)})"]))
    if result.get("type") == "object":
        result.setdefault("properties", {})
        if strict:
            result["additionalProperties"] = False
            result["required"] = list(result["properties"])
    return result


def _child(schema: object, *, strict: bool) -> object:
    return _mapped(schema, strict=strict) if isinstance(schema, Mapping) else schema
