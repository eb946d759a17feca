"""Answer a query over rows in memory: the reference the other targets are compared with."""

from collections.abc import Iterable, Mapping
from typing import Any, assert_never, cast

from playbooks.query_spec.patterns import Pattern, Wildcard
from playbooks.query_spec.rows import Stored
from playbooks.query_spec.scope import ScopeValue, confine
from playbooks.query_spec.tree import AllOf, AnyOf, Empty, Equal, Interval, Matches, Node, Query, Within

Row = Mapping[str, Stored]
"""A row as `canonical_row` makes it."""


def answer(query: Query, scope: Mapping[str, ScopeValue], rows: Iterable[Row]) -> list[Row]:
    """The rows of the page, in order; texts are sorted by code point.

    Raises ScopeError when the scope is not complete.
    """
    outside = confine(query.catalogue, scope)
    found = [
        row
        for row in rows
        if all(_holds(condition, row) for condition in outside) and (query.where is None or _holds(query.where, row))
    ]
    found.sort(key=lambda row: cast("Any", row[query.catalogue.key]))
    # Sorting is stable, so the last key is sorted by first; rows without a value stay behind in both directions.
    for item in reversed(query.order):
        valued = [row for row in found if row[item.field] is not None]
        valued.sort(key=lambda row: cast("Any", row[item.field]), reverse=item.direction == "desc")
        found = valued + [row for row in found if row[item.field] is None]
    return found[query.offset : query.offset + query.limit]


def _holds(node: Node, row: Row) -> bool:
    match node:
        case AllOf():
            return all(_holds(child, row) for child in node.nodes)
        case AnyOf():
            return any(_holds(child, row) for child in node.nodes)
        case Equal():
            return _negatable(node, row[node.field], _is_one_of(row[node.field], node))
        case Within():
            value = row[node.field]
            inside = value is not None and any(_inside(value, interval) for interval in node.intervals)
            return _negatable(node, value, inside)
        case Matches():
            value = row[node.field]
            return isinstance(value, str) and _matches(node.pattern, value)
        case Empty():
            return (row[node.field] in (None, [])) is not node.negated
        case _:
            assert_never(node)


def _negatable(leaf: Equal | Within, value: Stored, holds: bool) -> bool:  # noqa: FBT001 - the truth being negated
    if not leaf.negated:
        return holds
    return leaf.keep_null if value is None else not holds


def _is_one_of(value: Stored, leaf: Equal) -> bool:
    if isinstance(value, list):
        return any(item in leaf.values for item in value)
    return value is not None and value in leaf.values


def _inside(value: Stored, interval: Interval) -> bool:
    ordered = cast("Any", value)
    if interval.low is not None and (ordered < interval.low or (interval.low_open and ordered == interval.low)):
        return False
    return interval.high is None or ordered < interval.high or (not interval.high_open and ordered == interval.high)


def _matches(pattern: Pattern, text: str) -> bool:
    """Whether the pattern covers the text. A failure goes back to the last run only, so no pattern is exponential."""
    tokens: list[str | Wildcard] = []
    for part in pattern.parts:
        tokens.extend([part] if isinstance(part, Wildcard) else part)
    at = position = 0
    run_at = run_position = -1
    while position < len(text):
        if at < len(tokens) and tokens[at] is Wildcard.ANY_RUN:
            run_at, run_position = at, position
            at += 1
        elif at < len(tokens) and (tokens[at] is Wildcard.ANY_ONE or tokens[at] == text[position]):
            at, position = at + 1, position + 1
        elif run_at >= 0:
            run_position += 1
            at, position = run_at + 1, run_position
        else:
            return False
    return all(token is Wildcard.ANY_RUN for token in tokens[at:])
