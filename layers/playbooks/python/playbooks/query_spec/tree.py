"""The frozen, typed form of a spec: every value has its column's type, every day is a range of instants.

A target reads these nodes and decides nothing about their meaning. `path` is the JSON pointer of the condition in
what was sent, for a target that must refuse it.
"""

import dataclasses
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from playbooks.query_spec.catalogue import Catalogue, ColumnType
from playbooks.query_spec.models import Direction
from playbooks.query_spec.patterns import Pattern

Exact = str | int | bool
"""A value compared for equality. A uuid is its lower-case text."""

Ordered = int | float | datetime | date
"""A value with an order. A datetime is in UTC."""


class Interval(NamedTuple):
    """The values between two bounds; None is open-ended. `low_open` and `high_open` leave the bound itself out."""

    low: Ordered | None = None
    high: Ordered | None = None
    low_open: bool = False
    high_open: bool = False

    @property
    def is_point(self) -> bool:
        """Whether exactly one value lies inside."""
        return self.low is not None and self.low == self.high and not self.low_open and not self.high_open


@dataclass(frozen=True, slots=True)
class Equal:
    """The field has one of the values (a list field: contains one of them). `negated` asks for the opposite, and
    `keep_null` says whether the opposite keeps rows without a value."""

    field: str
    type: ColumnType
    values: tuple[Exact, ...]
    negated: bool = False
    keep_null: bool = False
    path: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Within:
    """The field lies in one of the intervals; `negated` and `keep_null` as in Equal."""

    field: str
    type: ColumnType
    intervals: tuple[Interval, ...]
    negated: bool = False
    keep_null: bool = False
    path: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Matches:
    """The text field matches the pattern; for a case-folded pattern the field is the shadow column."""

    field: str
    pattern: Pattern
    path: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Empty:
    """The field has no value (a list field: no members); `negated` asks for the opposite."""

    field: str
    type: ColumnType
    negated: bool = False
    path: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every node holds; at least two nodes."""

    nodes: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one node holds; at least two nodes."""

    nodes: tuple["Node", ...]


Node = AllOf | AnyOf | Equal | Within | Matches | Empty


@dataclass(frozen=True, slots=True)
class Sort:
    """One sort key; rows without a value come last in both directions."""

    field: str
    type: ColumnType
    direction: Direction
    path: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A spec ready for a target. After `order` the key breaks ties, ascending; the key is never its last, ascending
    member, because that is what the end of every order is."""

    catalogue: Catalogue
    where: Node | None
    order: tuple[Sort, ...]
    limit: int
    offset: int
