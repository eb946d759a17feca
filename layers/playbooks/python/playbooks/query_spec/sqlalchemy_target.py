"""Compile a query to a SQLAlchemy 2 SELECT for PostgreSQL, over a Core table or an ORM entity.

Columns are looked up in the mapping, never by attribute name, and their types are checked once, when the target is
made. Every value is a bound parameter of a type the column compares with exactly.
"""

from collections.abc import Mapping
from typing import Any, assert_never
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    ColumnElement,
    Date,
    DateTime,
    Double,
    FromClause,
    Select,
    Text,
    Uuid,
    and_,
    bindparam,
    cast,
    func,
    inspect,
    not_,
    or_,
    select,
    types,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeEngine

from playbooks.query_spec.catalogue import Catalogue, Column, ColumnType
from playbooks.query_spec.errors import CatalogueError
from playbooks.query_spec.scope import ScopeValue, confine
from playbooks.query_spec.tree import AllOf, AnyOf, Empty, Equal, Interval, Matches, Node, Query, Within

Expression = ColumnElement[Any]
Condition = ColumnElement[bool]
Entity = FromClause | type[object]
"""A Core table (or alias, view, subquery), or a mapped class."""

_SINGLE_PRECISION = 24  # binary digits; PostgreSQL stores float(1) to float(24) as real (manual 8.1.3)


class SqlTarget:
    """One table or ORM entity, described by a catalogue whose column names are its column (attribute) names.

    Raises CatalogueError when a column is missing or has a type that cannot be compared exactly.
    """

    def __init__(self, entity: Entity, catalogue: Catalogue) -> None:
        self._entity = entity
        self._catalogue = catalogue
        self._columns = _columns_of(entity, catalogue)

    def select(self, query: Query, scope: Mapping[str, ScopeValue]) -> Select[Any]:
        """SELECT of the whole entity: scope and conditions, order with nulls last and the key after it, one page.

        Raises ScopeError when the scope is not complete.
        """
        statement = select(self._entity).where(self.where(query, scope))
        for item in query.order:
            column = self._columns[item.field]
            statement = statement.order_by((column.asc() if item.direction == "asc" else column.desc()).nulls_last())
        if not query.order or query.order[-1].field != self._catalogue.key:
            statement = statement.order_by(self._columns[self._catalogue.key].asc())
        return statement.limit(query.limit).offset(query.offset)

    def where(self, query: Query, scope: Mapping[str, ScopeValue]) -> Condition:
        """The condition alone, scope included, for a SELECT of the caller's own (a count, a join)."""
        if query.catalogue is not self._catalogue:
            raise CatalogueError("The query was read against another catalogue than this target's.")
        outside = [self._equal(condition) for condition in confine(self._catalogue, scope)]
        inside = [] if query.where is None else [self._node(query.where)]
        return and_(True, *outside, *inside)  # noqa: FBT003 - SQLAlchemy's way to AND a list that may be empty

    def _node(self, node: Node) -> Condition:
        match node:
            case AllOf():
                return and_(*(self._node(child) for child in node.nodes))
            case AnyOf():
                return or_(*(self._node(child) for child in node.nodes))
            case Equal():
                return self._equal(node)
            case Within():
                return self._within(node)
            case Matches():
                return self._columns[node.field].like(_bound(node.pattern.to_sql(), Text()), escape="\\")
            case Empty():
                return self._empty(node)
            case _:
                assert_never(node)

    def _equal(self, leaf: Equal) -> Condition:
        column = self._columns[leaf.field]
        if leaf.type is ColumnType.STRINGS:
            overlaps = column.op("&&", is_comparison=True)(_bound(list(leaf.values), column.type))
            return not_(func.coalesce(overlaps, False)) if leaf.negated else overlaps
        kind = _parameter_type(leaf.type, column.type)
        values = [_parameter(value, kind) for value in leaf.values]
        if len(values) == 1:
            value = _bound(values[0], kind)
            if not leaf.negated:
                return column == value
            return column.is_distinct_from(value) if leaf.keep_null else column != value
        members = bindparam(None, values, type_=kind, expanding=True, unique=True)
        if not leaf.negated:
            return column.in_(members)
        return or_(column.is_(None), column.not_in(members)) if leaf.keep_null else column.not_in(members)

    def _within(self, leaf: Within) -> Condition:
        column = self._columns[leaf.field]
        kind = _parameter_type(leaf.type, column.type)
        inside = or_(*(_interval(column, interval, kind) for interval in leaf.intervals))
        if not leaf.negated:
            return inside
        return or_(column.is_(None), not_(inside)) if leaf.keep_null else not_(inside)

    def _empty(self, leaf: Empty) -> Condition:
        column = self._columns[leaf.field]
        if leaf.type is ColumnType.STRINGS:
            members = func.coalesce(func.cardinality(column), 0)
            return members > 0 if leaf.negated else members == 0
        return column.is_not(None) if leaf.negated else column.is_(None)


def _interval(column: Expression, interval: Interval, kind: TypeEngine[Any]) -> Condition:
    if interval.is_point:
        return column == _bound(interval.low, kind)
    bounds: list[Condition] = []
    if interval.low is not None:
        low = _bound(interval.low, kind)
        bounds.append(column > low if interval.low_open else column >= low)
    if interval.high is not None:
        high = _bound(interval.high, kind)
        bounds.append(column < high if interval.high_open else column <= high)
    return and_(*bounds)


def _bound(value: object, kind: TypeEngine[Any]) -> Expression:
    return bindparam(None, value, type_=kind, unique=True)


def _parameter(value: object, kind: TypeEngine[Any]) -> object:
    return UUID(str(value)) if isinstance(kind, Uuid) and kind.as_uuid else value


def _parameter_type(kind: ColumnType, stored: TypeEngine[Any]) -> TypeEngine[Any]:
    """The type of a parameter: wide enough for every value of the kind, and comparable with the column as it is."""
    match kind:
        case ColumnType.INTEGER:
            return BigInteger()  # an int4 parameter would refuse a value the spec may hold
        case ColumnType.NUMBER:
            return Double()
        case ColumnType.DATETIME:
            return DateTime(timezone=True)
        case ColumnType.DATE:
            return Date()
        case ColumnType.BOOLEAN:
            return Boolean()
        case ColumnType.UUID | ColumnType.ENUM if isinstance(stored, Uuid | types.Enum):
            return stored
        case _:
            return Text()


def _columns_of(entity: Entity, catalogue: Catalogue) -> dict[str, Expression]:
    mapped = _mapped_columns(entity)
    wanted = dict(catalogue.columns)
    shadow = Column(type=ColumnType.STRING)
    wanted |= {column.fold: shadow for column in catalogue.columns.values() if column.fold is not None}
    problems = []
    columns: dict[str, Expression] = {}
    for name, described in wanted.items():
        column = mapped.get(name)
        if column is None:
            problems.append(f"the table has no column '{name}'")
        elif not _fits(described.type, column.type):
            problems.append(f"'{name}' is {column.type!r}, which cannot be compared exactly as {described.type}")
        elif isinstance(column.type, types.Enum) and not set(described.choices or ()) <= set(column.type.enums):
            problems.append(f"'{name}' lacks some of the catalogue's choices, it has {column.type.enums}")
        else:
            exact = isinstance(column.type, types.Numeric) and not isinstance(column.type, types.Float)
            # As doubles, so that what is equal in a vector store is equal here.
            columns[name] = cast(column, Double()) if described.type is ColumnType.NUMBER and exact else column
    if problems:
        raise CatalogueError("The catalogue does not fit the table: " + "; ".join(problems) + ".")
    return columns


def _mapped_columns(entity: Entity) -> Mapping[str, Expression]:
    if isinstance(entity, FromClause):
        return dict(entity.c.items())
    mapper = inspect(entity, raiseerr=False)
    if mapper is None or not hasattr(mapper, "column_attrs"):
        raise CatalogueError("A target is a SQLAlchemy table or a mapped class.")
    return {name: attribute.class_attribute for name, attribute in mapper.column_attrs.items()}


def _fits(kind: ColumnType, stored: TypeEngine[Any]) -> bool:
    match kind:
        case ColumnType.INTEGER:
            return isinstance(stored, types.Integer)
        case ColumnType.NUMBER:
            return isinstance(stored, types.Numeric) and not _is_single(stored)
        case ColumnType.STRING:
            return _is_text(stored)
        case ColumnType.ENUM:
            return isinstance(stored, types.Enum) or _is_text(stored)
        case ColumnType.BOOLEAN:
            return isinstance(stored, types.Boolean)
        case ColumnType.DATETIME:
            return isinstance(stored, types.DateTime) and bool(stored.timezone)
        case ColumnType.DATE:
            return isinstance(stored, types.Date)
        case ColumnType.UUID:
            return isinstance(stored, Uuid) or _is_text(stored)
        case ColumnType.STRINGS:
            return isinstance(stored, ARRAY | postgresql.ARRAY) and _is_text(stored.item_type)


def _is_single(stored: TypeEngine[Any]) -> bool:
    """Whether the column is a `real`: 0.7 read back from one is another double than 0.7."""
    if isinstance(stored, types.REAL):
        return True
    return isinstance(stored, types.Float) and stored.precision is not None and stored.precision <= _SINGLE_PRECISION


def _is_text(stored: TypeEngine[Any]) -> bool:
    """Whether the column holds plain text; char(n) ignores trailing blanks and citext ignores case."""
    if isinstance(stored, types.CHAR | types.NCHAR | types.Enum | postgresql.CITEXT):
        return False
    return isinstance(stored, types.String)
