"""The shapes a spec has when it arrives: strict, closed, and free of any meaning."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Literal, final, get_args

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

Operator = Literal[
    "eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "in", "not_in", "is_null", "is_not_null", "between"
]
Direction = Literal["asc", "desc"]
GroupOperator = Literal["and", "or"]

OPERATORS: tuple[Operator, ...] = get_args(Operator)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

Scalar = str | bool | int | float | datetime | date
Value = Scalar | list[Scalar | None]

_CLOSED = ConfigDict(extra="forbid", strict=True, frozen=True)


@final
class WhereCondition(BaseModel):
    """One comparison. `value` comes first; `start` and `end` are read by `between` only, and only without it."""

    model_config = _CLOSED

    column: str
    operator: Operator
    value: Value | None = None
    start: Scalar | None = None
    end: Scalar | None = None


def _node_tag(node: object) -> str:
    """Which of the two node shapes is meant: told by the fields, so that the errors speak of one shape only."""
    # A dict first: it is what a parsed document holds, and asking a model or an abstract class is slow.
    if isinstance(node, dict) or isinstance(node, Mapping):  # noqa: SIM101 - as said above
        return "group" if "operator" not in node and ("conditions" in node or "op" in node) else "condition"
    return "group" if isinstance(node, WhereGroup) else "condition"


@final
class WhereGroup(BaseModel):
    """Conditions and groups, all of which (`and`) or any of which (`or`) must hold."""

    model_config = _CLOSED

    op: GroupOperator = "and"
    conditions: list["Node"] = Field(default_factory=list)


Node = Annotated[
    Annotated[WhereGroup, Tag("group")] | Annotated[WhereCondition, Tag("condition")], Discriminator(_node_tag)
]


class OrderBy(BaseModel):
    """One sort key; rows without a value come last in both directions."""

    model_config = _CLOSED

    column: str
    direction: Direction = "desc"


class SpecOutput(BaseModel):
    """All that a model may send."""

    model_config = _CLOSED

    where: WhereGroup | None = None
    order_by: list[OrderBy] = Field(default_factory=list)
    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0)


class Statement(SpecOutput):
    """A spec made by the caller, which may also narrow the columns; an empty list means none.

    Never validate what a model sent against this class: `allowed_columns` is not the model's to choose.
    """

    allowed_columns: frozenset[str] | None = Field(None, strict=False)


class SpecInput(BaseModel):
    """What the model that writes a spec is given.

    `table_info` is `describe(catalogue)`; `data_list` is the list of candidate files with their ids, so that a file
    named in the question becomes a comparison of its id.
    """

    model_config = _CLOSED

    user_id: str
    query: str
    table_info: str
    data_list: str
