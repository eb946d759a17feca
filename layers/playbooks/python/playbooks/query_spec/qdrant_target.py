"""Compile a query to a Qdrant filter: plain REST JSON, no client library.

What the engine cannot answer exactly is refused, never approximated. Measured on qdrant-client 1.20 (local mode) and
on the Rust engine 1.20 with and without payload indexes: a range on integers compares doubles, `must_not` keeps rows
without the field, `is_null` misses absent keys, an empty `should` matches everything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from playbooks.errors import Finding
from playbooks.query_spec.catalogue import Catalogue, ColumnType
from playbooks.query_spec.errors import QuerySpecError
from playbooks.query_spec.instants import to_text
from playbooks.query_spec.models import Direction
from playbooks.query_spec.scope import ScopeValue, confine
from playbooks.query_spec.tree import (
    AllOf,
    AnyOf,
    Empty,
    Equal,
    Interval,
    Matches,
    Node,
    Ordered,
    Query,
    Sort,
    Within,
)

Json = dict[str, object]
"""One JSON object of the REST interface."""

ServerVersion = tuple[int, int]
LATEST: ServerVersion = (1, 20)
_PREFIX_SINCE: ServerVersion = (1, 19)
_SUBSTRING_SINCE: ServerVersion = (1, 20)

EXACT_INTEGER = 2**53 - 1
"""The largest range bound that no stored integer can be rounded onto: at 2^53 the neighbour 2^53 + 1 becomes equal."""

_NUMBERS = (int, float)  # a tuple: Python 3.11 asks a union four times as slowly
_SORTED = frozenset({ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATETIME, ColumnType.DATE})


@dataclass(frozen=True, slots=True)
class QdrantOrder:
    """The one payload field a scroll is ordered by; it needs a payload index."""

    field: str
    type: ColumnType
    direction: Direction


@dataclass(frozen=True, slots=True)
class QdrantQuery:
    """What `qdrant_paging` reads page by page. `filter` serves as the filter of a vector search as it is; `scope` is
    the part of it that confines the caller."""

    filter: Json
    scope: tuple[Json, ...]
    order: QdrantOrder | None
    limit: int
    offset: int


def to_qdrant(query: Query, scope: Mapping[str, ScopeValue], *, version: ServerVersion = LATEST) -> QdrantQuery:
    """Compile for a server of this version.

    Raises QuerySpecError (unsupported_on_target) with everything that cannot be answered exactly, and ScopeError when
    the scope is not complete.
    """
    compiler = _Compiler(version)
    outside = tuple(compiler.node(condition) for condition in confine(query.catalogue, scope))
    inside = () if query.where is None else (compiler.node(query.where),)
    order = compiler.order(query.order, query.catalogue)
    if compiler.findings:
        raise QuerySpecError(compiler.findings)
    both = [*outside, *inside]
    return QdrantQuery({"must": both} if both else {}, outside, order, query.limit, query.offset)


def matches_value(field: str, kind: ColumnType, value: Ordered) -> Json:
    """The condition that an ordered field has exactly this value."""
    if kind is ColumnType.INTEGER:
        return {"key": field, "match": {"value": value}}
    return {"key": field, "range": _range(Interval(value, value))}


def is_empty(field: str) -> Json:
    """The condition that a field is null, absent or an empty list."""
    return {"is_empty": {"key": field}}


class _Compiler:
    def __init__(self, version: ServerVersion) -> None:
        self._version = version
        self.findings: list[Finding] = []

    def node(self, node: Node) -> Json:
        match node:
            case Equal():
                found: Json = {"value": node.values[0]} if len(node.values) == 1 else {"any": [*node.values]}
                return _negatable({"key": node.field, "match": found}, node)
            case Within():
                return self._within(node)
            case Matches():
                return self._matches(node)
            case AllOf():
                return {"must": [self.node(child) for child in node.nodes]}
            case AnyOf():
                return {"should": [self.node(child) for child in node.nodes]}
            case Empty():
                empty = is_empty(node.field)
                return {"must_not": [empty]} if node.negated else empty
            case _:
                assert_never(node)

    def order(self, order: tuple[Sort, ...], catalogue: Catalogue) -> QdrantOrder | None:
        if not order:
            return None
        if len(order) > 1:
            self._refuse("/order_by/1", "the vector index sorts by one column only")
        first = order[0]
        if first.type not in _SORTED:
            message = f"the vector index cannot sort by {first.field} ({first.type}); sort by a number or date column"
            sorted_by = tuple(name for name, column in catalogue.open_columns.items() if column.type in _SORTED)
            self._refuse(f"{first.path}/column", message, sorted_by)
        return QdrantOrder(first.field, first.type, first.direction)

    def _within(self, leaf: Within) -> Json:
        if leaf.type is ColumnType.INTEGER:
            for interval in leaf.intervals:
                if not _is_exact(interval):
                    self._refuse(f"{leaf.path}/value", "range bounds beyond 2^53 are not exact in the vector index")
                    break
        if len(leaf.intervals) == 1:
            return _negatable({"key": leaf.field, "range": _range(leaf.intervals[0])}, leaf)
        ranges = [{"key": leaf.field, "range": _range(interval)} for interval in leaf.intervals]
        return _negatable({"should": ranges}, leaf)

    def _matches(self, leaf: Matches) -> Json:
        pattern = leaf.pattern
        if pattern.prefix is not None and self._version >= _PREFIX_SINCE:
            return {"key": leaf.field, "match": {"prefix": pattern.prefix}}
        if pattern.substring is not None and self._version >= _SUBSTRING_SINCE:
            return {"key": leaf.field, "match": {"substring": pattern.substring}}
        known = ["'text'"]
        known += ["'text%'"] if self._version >= _PREFIX_SINCE else []
        known += ["'%text%'"] if self._version >= _SUBSTRING_SINCE else []
        listed = known[0] if len(known) == 1 else f"{', '.join(known[:-1])} and {known[-1]}"
        use = f"; use {known[-1].strip(chr(39))}" if len(known) > 1 else ""
        self._refuse(f"{leaf.path}/value", f"the vector index only takes {listed} patterns{use}")
        return {}

    def _refuse(self, path: str, message: str, allowed: tuple[str, ...] = ()) -> None:
        self.findings.append(Finding("unsupported_on_target", path, message, allowed))


def _negatable(condition: Json, leaf: Equal | Within) -> Json:
    if not leaf.negated:
        return condition
    return {"must_not": [condition] if leaf.keep_null else [condition, is_empty(leaf.field)]}


def _is_exact(interval: Interval) -> bool:
    low, high = interval.low, interval.high
    return (not isinstance(low, int) or -EXACT_INTEGER <= low <= EXACT_INTEGER) and (
        not isinstance(high, int) or -EXACT_INTEGER <= high <= EXACT_INTEGER
    )


def _range(interval: Interval) -> Json:
    bounds: Json = {}
    if interval.low is not None:
        bounds["gt" if interval.low_open else "gte"] = _bound(interval.low)
    if interval.high is not None:
        bounds["lt" if interval.high_open else "lte"] = _bound(interval.high)
    return bounds


def _bound(value: Ordered) -> object:
    if isinstance(value, _NUMBERS):
        return value
    return to_text(value) if isinstance(value, datetime) else f"{value.isoformat()}T00:00:00.000000Z"
