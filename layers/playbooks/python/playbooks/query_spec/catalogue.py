"""The columns a spec may name: their types, operators and choices. What is not listed is denied."""

import difflib
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from playbooks.query_spec.errors import CatalogueError
from playbooks.query_spec.models import Operator


class ColumnType(StrEnum):
    """What a column holds. Stores disagree about everything else, so nothing else is offered."""

    INTEGER = "integer"
    """64-bit signed."""
    NUMBER = "number"
    """IEEE double, finite."""
    STRING = "string"
    """Unicode text in NFC."""
    ENUM = "enum"
    """Text out of a short list of choices."""
    BOOLEAN = "boolean"
    DATETIME = "datetime"
    """An instant, to the microsecond."""
    DATE = "date"
    """A calendar day."""
    UUID = "uuid"
    STRINGS = "string[]"
    """A list of texts; no list and an empty list are the same thing. `eq` means "contains"."""


# Looking a member up is slow before Python 3.12, and every condition asks.
_NUMBER, _DATETIME, _DATE = ColumnType.NUMBER, ColumnType.DATETIME, ColumnType.DATE


class Access(StrEnum):
    """Who may name a column."""

    OPEN = "open"
    """The spec may."""
    HIDDEN = "hidden"
    """Nobody: it is written to the store and otherwise looks as if it did not exist."""
    SCOPE = "scope"
    """The caller only, who must give it a value with every query; to a spec it does not exist."""


class Nulls(StrEnum):
    """What `neq` and `not_in` do with rows that have no value."""

    SQL = "sql"
    """They are left out, as SQL's `<>` does."""
    DISTINCT = "distinct"
    """They are kept, as `IS DISTINCT FROM` does."""


_NULL_TESTS: tuple[Operator, ...] = ("is_null", "is_not_null")
_EQUALITY: tuple[Operator, ...] = ("eq", "neq", "in", "not_in", *_NULL_TESTS)
_ORDERED: tuple[Operator, ...] = ("eq", "neq", "gt", "gte", "lt", "lte", "between", "in", "not_in", *_NULL_TESTS)

TYPE_OPERATORS: Mapping[ColumnType, tuple[Operator, ...]] = MappingProxyType(
    {
        ColumnType.INTEGER: _ORDERED,
        ColumnType.NUMBER: _ORDERED,
        ColumnType.DATETIME: _ORDERED,
        ColumnType.DATE: _ORDERED,
        ColumnType.STRING: ("eq", "neq", "in", "not_in", "like", "ilike", *_NULL_TESTS),
        ColumnType.ENUM: _EQUALITY,
        ColumnType.UUID: _EQUALITY,
        ColumnType.STRINGS: _EQUALITY,
        ColumnType.BOOLEAN: ("eq", "neq", *_NULL_TESTS),
    }
)
"""All that a type can be asked. Texts have no order both stores share, so they have no `gt`."""

_UNFOLDED = {kind: tuple(name for name in operators if name != "ilike") for kind, operators in TYPE_OPERATORS.items()}
_SORTABLE = frozenset(
    {
        ColumnType.INTEGER,
        ColumnType.NUMBER,
        ColumnType.DATETIME,
        ColumnType.DATE,
        ColumnType.STRING,
        ColumnType.ENUM,
    }
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}", re.ASCII)
_KEY_TYPES = frozenset({ColumnType.INTEGER, ColumnType.UUID})
_SCOPE_TYPES = frozenset({ColumnType.INTEGER, ColumnType.STRING, ColumnType.ENUM, ColumnType.BOOLEAN, ColumnType.UUID})


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column. `operators` and `sortable` default to all its type can; `fold` names the shadow column of a string
    that holds it case-folded (without one there is no `ilike`); `choices` are the values of an enum."""

    type: ColumnType
    operators: tuple[Operator, ...] | None = None
    choices: tuple[str, ...] | None = None
    sortable: bool | None = None
    fold: str | None = None
    access: Access = Access.OPEN
    description: str = ""

    @property
    def is_ranged(self) -> bool:
        """Whether equality is a range too: a day is one, and a vector store matches no number exactly otherwise."""
        kind = self.type
        return kind is _NUMBER or kind is _DATETIME or kind is _DATE

    def allowed_operators(self) -> tuple[Operator, ...]:
        """The operators a spec may use on this column."""
        if self.operators is not None:
            return self.operators
        return TYPE_OPERATORS[self.type] if self.fold is not None else _UNFOLDED[self.type]

    def is_sortable(self) -> bool:
        """Whether a spec may sort by this column."""
        return self.type in _SORTABLE if self.sortable is None else self.sortable


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The columns of one table or collection by name.

    `key` names the primary key (integer or uuid), which breaks ties and is the point's id in a vector store.
    Raises CatalogueError when the columns contradict each other.
    """

    columns: Mapping[str, Column]
    key: str
    nulls: Nulls = Nulls.SQL
    open_columns: Mapping[str, Column] = field(init=False, repr=False)
    scope_columns: Mapping[str, Column] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        problems = [problem for name, column in self.columns.items() for problem in _problems(name, column)]
        key = self.columns.get(self.key)
        if key is None or key.type not in _KEY_TYPES:
            problems.append(f"the key '{self.key}' must be one of the columns, of type integer or uuid")
        folds = [column.fold for column in self.columns.values() if column.fold is not None]
        if len(set(folds)) < len(folds) or set(folds) & set(self.columns):
            problems.append("a fold column must be another column's name for nothing else")
        if problems:
            raise CatalogueError("The catalogue cannot be used: " + "; ".join(problems) + ".")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        for name, access in (("open_columns", Access.OPEN), ("scope_columns", Access.SCOPE)):
            chosen = {key: column for key, column in self.columns.items() if column.access is access}
            object.__setattr__(self, name, MappingProxyType(chosen))

    def visible(self, allowed: Collection[str] | None = None) -> Mapping[str, Column]:
        """The columns a spec may name, narrowed to `allowed` where the caller gives it; an empty one means none."""
        if allowed is None:
            return self.open_columns
        return {name: column for name, column in self.open_columns.items() if name in allowed}


def _problems(name: str, column: Column) -> list[str]:
    found = []
    every = TYPE_OPERATORS[column.type]
    foreign_names = [text for text in (name, column.fold) if text is not None and _NAME.fullmatch(text) is None]
    if foreign_names:
        # A dot or a bracket would be a path into the payload of a vector store.
        found.append(f"{', '.join(map(repr, foreign_names))} must be letters, digits and _, at most 63")
    if column.operators is not None:
        foreign = [operator for operator in column.operators if operator not in every]
        if foreign:
            found.append(f"'{name}' ({column.type}) cannot take {', '.join(foreign)}")
        if "ilike" in column.operators and column.fold is None:
            found.append(f"'{name}' takes ilike but names no fold column")
    if column.type is ColumnType.ENUM and not column.choices:
        found.append(f"'{name}' is an enum without choices")
    if any(unicodedata.normalize("NFC", choice) != choice for choice in column.choices or ()):
        found.append(f"'{name}' has a choice that is not in NFC")
    if column.choices is not None and column.type is not ColumnType.ENUM:
        found.append(f"'{name}' has choices but is no enum")
    if column.fold is not None and column.type is not ColumnType.STRING:
        found.append(f"'{name}' has a fold column but is no string")
    if column.sortable and column.type not in _SORTABLE:
        found.append(f"'{name}' ({column.type}) cannot be sorted by")
    if column.access is Access.SCOPE and column.type not in _SCOPE_TYPES:
        found.append(f"'{name}' ({column.type}) cannot be a scope column")
    return found


def nearest(name: str, names: Collection[str]) -> str | None:
    """The listed name that looks most like `name`, or None."""
    close = difflib.get_close_matches(name[:64], list(names), n=1, cutoff=0.6)
    return close[0] if close else None
