"""Give one condition its meaning: from a column's name, an operator and raw values to a typed leaf."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TypeVar

from playbooks.query_spec import values
from playbooks.query_spec.catalogue import Catalogue, Column, ColumnType, Nulls, nearest
from playbooks.query_spec.display import kind_of, printable
from playbooks.query_spec.instants import Span
from playbooks.query_spec.limits import Limits
from playbooks.query_spec.models import WhereCondition
from playbooks.query_spec.patterns import PatternError, parse_pattern
from playbooks.query_spec.tree import Empty, Equal, Interval, Matches, Ordered, Within
from playbooks.query_spec.values import ValueProblem

Leaf = Equal | Within | Matches | Empty
T = TypeVar("T")

# Looking a member up is slow before Python 3.12, and every condition asks.
_INTEGER, _NUMBER, _DATE = ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE


class ConditionProblem(Exception):
    """Raised inside this room for one condition; `place` is the pointer below the condition."""

    def __init__(self, code: str, place: str, message: str, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.place = place
        self.message = message
        self.allowed = allowed


@dataclass(frozen=True, slots=True)
class Reader:
    """What is needed to read a condition: the columns that may be named, the user's zone, the limits."""

    catalogue: Catalogue
    columns: Mapping[str, Column]
    zone: tzinfo
    limits: Limits

    def read(self, condition: WhereCondition, path: str) -> Leaf:
        """The typed leaf; raises ConditionProblem."""
        name = condition.column
        column = self.columns.get(name)
        if column is None:
            raise unknown_column(name, self.columns, "filter")
        operator = condition.operator
        allowed = column.allowed_operators()
        if operator not in allowed:
            message = f"{operator} does not apply to {name} ({column.type})"
            raise ConditionProblem("operator_not_allowed", "/operator", message, allowed)
        if operator in ("is_null", "is_not_null"):
            return self._null_test(condition, column, path)
        if operator == "between":
            return self._between(condition, column, path)
        if condition.start is not None or condition.end is not None:
            raise ConditionProblem("unexpected_value", "", "start and end belong to between; give one value")
        if condition.value is None:
            message = "value is missing or null; use is_null / is_not_null to test for null"
            raise ConditionProblem("null_value", "/value", message)
        if operator in ("in", "not_in"):
            return self._membership(condition, column, path)
        if isinstance(condition.value, list):
            message = "a pattern must be a string" if operator in ("like", "ilike") else _one_value(operator)
            raise ConditionProblem("type_mismatch", "/value", message)
        try:
            return self._comparison(condition, column, path)
        except ValueProblem as problem:
            raise ConditionProblem(problem.code, "/value", problem.message, problem.allowed) from None

    def _null_test(self, condition: WhereCondition, column: Column, path: str) -> Empty:
        if condition.value is not None or condition.start is not None or condition.end is not None:
            raise ConditionProblem("unexpected_value", "", "is_null / is_not_null take no value")
        return Empty(condition.column, column.type, negated=condition.operator == "is_not_null", path=path)

    def _comparison(self, condition: WhereCondition, column: Column, path: str) -> Leaf:
        name, operator, raw = condition.column, condition.operator, condition.value
        if operator in ("eq", "neq"):
            return self._equality(name, column, (raw,), path, negated=operator == "neq")
        if operator in ("like", "ilike"):
            return self._pattern(name, column, raw, path, folded=operator == "ilike")
        inside = _half_line(operator, *self._bounds(name, column, raw))
        return Within(name, column.type, (inside,), path=path)

    def _membership(self, condition: WhereCondition, column: Column, path: str) -> Leaf:
        raw = condition.value
        if not isinstance(raw, list):
            message = f"{condition.operator} takes a list, got {kind_of(raw)}"
            raise ConditionProblem("type_mismatch", "/value", message)
        if not raw:
            message = "the list is empty; remove the condition or give at least one value"
            raise ConditionProblem("empty_in", "/value", message)
        if any(item is None for item in raw):
            message = "null inside the list; add a separate is_null condition in an or group"
            raise ConditionProblem("null_in_list", "/value", message)
        return self._equality(condition.column, column, raw, path, negated=condition.operator == "not_in", listed=True)

    def _equality(
        self, name: str, column: Column, raw: Sequence[object], path: str, *, negated: bool, listed: bool = False
    ) -> Leaf:
        # No list and an empty list are one thing, and neither contains the value that was asked for.
        keep_null = negated and (self.catalogue.nulls is Nulls.DISTINCT or column.type is ColumnType.STRINGS)
        if not listed and not column.is_ranged:
            return Equal(name, column.type, (values.exact_value(name, column, raw[0]),), negated, keep_null, path)
        # Repeated values count once, against the limit as against a vector store's own.
        if column.is_ranged:
            intervals = tuple(dict.fromkeys(_each(raw, lambda item: self._interval(name, column, item), listed=listed)))
            self._check_count(len(intervals))
            return Within(name, column.type, intervals, negated, keep_null, path)
        exact = tuple(dict.fromkeys(_each(raw, lambda item: values.exact_value(name, column, item), listed=listed)))
        self._check_count(len(exact))
        return Equal(name, column.type, exact, negated, keep_null, path)

    def _check_count(self, count: int) -> None:
        if count > self.limits.max_in:
            raise ConditionProblem("in_too_long", "/value", f"at most {self.limits.max_in} values")

    def _between(self, condition: WhereCondition, column: Column, path: str) -> Within:
        if condition.value is not None:
            pair = condition.value
            if not isinstance(pair, list) or len(pair) != 2 or None in pair:
                raise ConditionProblem("between_needs_two", "", "value must be [start, end]")
            start, end = pair
            places = ("/value/0", "/value/1")
        elif condition.start is not None and condition.end is not None:
            start, end = condition.start, condition.end
            places = ("/start", "/end")
        else:
            message = "between needs value=[start,end] or both start and end; use gte or lte for an open range"
            raise ConditionProblem("between_needs_two", "", message)
        name = condition.column
        low, _ = _at(places[0], lambda: self._bounds(name, column, start))
        last, after = _at(places[1], lambda: self._bounds(name, column, end))
        # A day that ends the range counts to its end, so a time within that day may begin it.
        if low > last and (after is None or low >= after):  # type: ignore[operator] # one column, one type
            raise ConditionProblem("between_reversed", "/value", "start is after end; swap them")
        inside = Interval(low, last) if after is None else Interval(low, after, high_open=True)
        return Within(name, column.type, (inside,), path=path)

    def _interval(self, name: str, column: Column, raw: object) -> Interval:
        low, after = self._bounds(name, column, raw)
        return Interval(low, low) if after is None else Interval(low, after, high_open=True)

    def _bounds(self, name: str, column: Column, raw: object) -> tuple[Ordered, Ordered | None]:
        """Where a written value begins and, when it is a day of instants, the first instant after it."""
        kind = column.type
        if kind is _INTEGER:
            return values.integer(name, raw), None
        if kind is _NUMBER:
            return values.number(name, raw), None
        if kind is _DATE:
            return values.day(name, raw), None
        written: Span = values.span(name, raw, self.zone)
        return written.first, written.after

    def _pattern(self, name: str, column: Column, raw: object, path: str, *, folded: bool) -> Leaf:
        if type(raw) is not str:
            raise ValueProblem("type_mismatch", "a pattern must be a string")
        try:
            pattern = parse_pattern(values.text(name, raw))
        except PatternError as error:
            raise ValueProblem("bad_pattern", str(error)) from None
        if len(pattern.parts) > self.limits.max_wildcards < pattern.wildcards:
            raise ValueProblem("pattern_too_complex", f"at most {self.limits.max_wildcards} wildcards")
        if pattern.matches_any:
            return Empty(name, column.type, negated=True, path=path)
        field = name
        if folded:
            assert column.fold is not None  # the catalogue offers ilike only with a fold column
            field, pattern = column.fold, pattern.folded()
        if pattern.literal is not None:
            return Equal(field, ColumnType.STRING, (pattern.literal,), path=path)
        return Matches(field, pattern, path)


def unknown_column(name: str, columns: Mapping[str, Column], use: str) -> ConditionProblem:
    """A column that does not exist, is hidden or is not allowed: the three look the same, and none is listed."""
    close = nearest(name, columns)
    hint = f"; did you mean '{close}'?" if close is not None else ""
    message = f"no column '{printable(name)}' to {use} by{hint}"
    return ConditionProblem("unknown_column", "/column", message, tuple(columns))


def _at(place: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except ValueProblem as problem:
        raise ConditionProblem(problem.code, place, problem.message, problem.allowed) from None


def _half_line(operator: str, first: Ordered, after: Ordered | None) -> Interval:
    """What lies on one side of a written value; a day that is begun is a day that counts (`lte` takes all of it)."""
    if operator == "gte":
        return Interval(first)
    if operator == "lt":
        return Interval(None, first, high_open=True)
    if operator == "gt":
        return Interval(first, low_open=True) if after is None else Interval(after)
    return Interval(None, first) if after is None else Interval(None, after, high_open=True)


def _each(raw: Sequence[object], read: Callable[[object], T], *, listed: bool) -> list[T]:
    """Read every member; a problem with one is reported at its own place when it stands in a list."""
    read_values: list[T] = []
    for index, item in enumerate(raw):
        try:
            read_values.append(read(item))
        except ValueProblem as problem:
            place = f"/value/{index}" if listed else "/value"
            raise ConditionProblem(problem.code, place, problem.message, problem.allowed) from None
    return read_values


def _one_value(operator: str) -> str:
    return f"{operator} takes one value; use in / not_in for a list"
