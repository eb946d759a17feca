"""The JSON schema a model fills: flat, closed, everything required, no union and no recursion.

Strict tool schemas take no `anyOf` at the top, no recursion, no bounds, and only a few optional or union-typed
parameters. So groups are inlined to depth 3, each with a list of conditions and a list of groups, and a condition has
one shape whatever its column: its values are texts, read by the column's type.
"""

from collections.abc import Collection, Sequence

from playbooks.query_spec.catalogue import Catalogue
from playbooks.query_spec.models import DIRECTIONS, OPERATORS

Schema = dict[str, object]

WIRE_DEPTH = 3
"""How deep groups may nest on the wire, the root included."""


def wire_schema(catalogue: Catalogue, allowed_columns: Collection[str] | None = None) -> Schema:
    """The schema of a whole spec on the wire, naming only the columns that may be named."""
    columns = catalogue.visible(allowed_columns)
    sortable = [name for name, column in columns.items() if column.is_sortable()]
    used = {operator for column in columns.values() for operator in column.allowed_operators()}
    condition = _object(
        {
            "column": _choice(list(columns), "A column of the table description."),
            "operator": _choice([name for name in OPERATORS if name in used], _OPERATOR_HELP),
            "values": {"type": "array", "items": {"type": "string"}, "description": _VALUES_HELP},
        }
    )
    root = _group(condition, WIRE_DEPTH)
    order = _object(
        {
            "column": _choice(sortable, "A sortable column."),
            "direction": _choice(DIRECTIONS, "desc puts the newest or largest first. Rows without a value come last."),
        }
    )
    return _object(
        {
            **root,
            "order_by": {"type": "array", "items": order, "description": "At most 3 sort keys; [] for none."},
            "limit": {"type": "integer", "description": "How many rows at most, 1 to 200; 20 when nothing is said."},
            "offset": {"type": "integer", "description": "How many rows to leave out first; 0 when nothing is said."},
        },
        "What to find. Empty conditions and groups at the top mean no filter.",
    )


_OPERATOR_HELP = (
    "like and ilike (ignores case) take a pattern in which % is any text, _ one character and \\ makes the next one "
    "literal; write the % yourself. A file that is named in the list of candidate files is found by eq or in on its "
    "id, never by like."
)
_VALUES_HELP = (
    "The values as text: one for a comparison, two for between (start, end), one or more for in and not_in, none for "
    "is_null and is_not_null. Numbers as digits, booleans as true or false, days as YYYY-MM-DD. No expressions."
)


def _group(condition: Schema, depth: int) -> dict[str, Schema]:
    parts: dict[str, Schema] = {
        "op": _choice(("and", "or"), "Whether all or any of the conditions and groups must hold."),
        "conditions": {"type": "array", "items": condition, "description": "The conditions of this group."},
    }
    if depth > 1:
        parts["groups"] = {
            "type": "array",
            "items": _object(_group(condition, depth - 1)),
            "description": "Groups inside this group, [] for none. A group in here needs at least one condition.",
        }
    return parts


def _object(properties: dict[str, Schema], description: str | None = None) -> Schema:
    schema: Schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return schema if description is None else {"description": description, **schema}


def _choice(names: Sequence[str], description: str) -> Schema:
    # An empty enum is no valid schema; without columns any name is refused when the spec is read.
    chosen: Schema = {"enum": list(names)} if names else {}
    return {"type": "string", **chosen, "description": description}
