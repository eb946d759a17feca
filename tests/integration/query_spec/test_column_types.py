"""Columns as real tables have them, asked through an ORM entity on PostgreSQL."""

import uuid
from collections.abc import Iterator
from decimal import Decimal

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from playbooks.query_spec import Access, Catalogue, Column, ColumnType, Nulls, interpret
from playbooks.query_spec.sqlalchemy_target import SqlTarget
from tests.integration.query_spec.worlds import SEOUL


class Base(DeclarativeBase):
    pass


class File(Base):
    __tablename__ = "column_types"

    id: Mapped[int] = mapped_column(sa.Integer, primary_key=True)
    name: Mapped[str | None] = mapped_column("file_name", sa.String(50))
    small: Mapped[int | None] = mapped_column(sa.SmallInteger)
    price: Mapped[Decimal | None] = mapped_column(sa.Numeric(30, 20))
    kind: Mapped[str | None] = mapped_column(sa.Enum("pdf", "docx", name="kind"))
    owner: Mapped[uuid.UUID | None] = mapped_column(sa.Uuid)
    owner_text: Mapped[str | None] = mapped_column(sa.Text)
    tags: Mapped[list[str] | None] = mapped_column(sa.ARRAY(sa.String(20)))
    tenant_id: Mapped[int] = mapped_column(sa.Integer)


COLUMNS = {
    "id": Column(type=ColumnType.INTEGER),
    "name": Column(type=ColumnType.STRING),
    "small": Column(type=ColumnType.INTEGER),
    "price": Column(type=ColumnType.NUMBER),
    "kind": Column(type=ColumnType.ENUM, choices=("pdf", "docx")),
    "owner": Column(type=ColumnType.UUID),
    "owner_text": Column(type=ColumnType.UUID),
    "tags": Column(type=ColumnType.STRINGS),
    "tenant_id": Column(type=ColumnType.INTEGER, access=Access.SCOPE),
}
CATALOGUES = {nulls: Catalogue(COLUMNS, "id", nulls) for nulls in Nulls}
OWNER = uuid.UUID("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee")


@pytest.fixture(scope="module")
def session(database_url: sa.URL) -> Iterator[Session]:
    engine = sa.create_engine(database_url)
    Base.metadata.create_all(engine)
    full = {"small": 5, "kind": "pdf", "owner": OWNER, "owner_text": str(OWNER), "tags": ["a", "b"], "tenant_id": 1}
    with Session(engine) as session:
        session.add(File(id=1, name="회의록", price=Decimal("0.7"), **full))
        session.add(File(id=2, name="b ", price=Decimal("0.70000000000000000001"), **full | {"small": -1, "tags": []}))
        session.add(File(id=3, tenant_id=1))
        session.add(File(id=4, name="회의록", price=Decimal("0.7"), **full | {"tenant_id": 2}))
        session.flush()
        yield session
    engine.dispose()


def ids(session: Session, nulls: Nulls, column: str, operator: str, value: object = None, **order: object) -> list[int]:
    catalogue = CATALOGUES[nulls]
    spec = {"where": {"conditions": [{"column": column, "operator": operator, "value": value}]}, **order}
    statement = SqlTarget(File, catalogue).select(interpret(spec, catalogue, zone=SEOUL), {"tenant_id": 1})
    return [file.id for file in session.scalars(statement)]


@pytest.mark.parametrize(
    ("column", "operator", "value", "expected"),
    [
        ("id", "lt", 2**40, [1, 2, 3]),
        ("id", "in", [1, 2**40], [1]),
        ("small", "eq", 5, [1]),
        ("small", "neq", 2**62, [1, 2]),
        ("small", "between", [-(2**62), 0], [2]),
        ("name", "eq", "b", []),
        ("name", "like", "b_", [2]),
        # As doubles, because a vector store holds doubles: both prices are the same one.
        ("price", "eq", 0.7, [1, 2]),
        ("price", "gt", 0.7, []),
        ("kind", "eq", "pdf", [1, 2]),
        ("kind", "in", ["pdf", "docx"], [1, 2]),
        ("kind", "neq", "pdf", []),
        ("owner", "eq", str(OWNER).upper(), [1, 2]),
        ("owner", "not_in", [str(uuid.UUID(int=1)), str(uuid.UUID(int=2))], [1, 2]),
        ("owner_text", "eq", str(OWNER).upper(), [1, 2]),
        ("tags", "eq", "a", [1]),
        ("tags", "in", ["x", "b"], [1]),
        ("tags", "neq", "a", [2, 3]),
        ("tags", "is_null", None, [2, 3]),
        ("tags", "is_not_null", None, [1]),
    ],
)
def test_a_column_is_compared_whatever_its_width(session, column, operator, value, expected):
    assert ids(session, Nulls.SQL, column, operator, value) == expected


@pytest.mark.parametrize(
    ("column", "operator", "value", "expected"),
    [
        ("small", "neq", 5, [2, 3]),
        ("kind", "neq", "pdf", [3]),
        ("owner", "not_in", [str(OWNER), str(uuid.UUID(int=2))], [3]),
        ("price", "not_in", [0.7, 1.5], [3]),
        ("tags", "neq", "a", [2, 3]),
    ],
)
def test_distinct_nulls_keep_rows_without_a_value(session, column, operator, value, expected):
    assert ids(session, Nulls.DISTINCT, column, operator, value) == expected


@pytest.mark.parametrize(("direction", "expected"), [("asc", [2, 1, 3]), ("desc", [1, 2, 3])])
def test_rows_without_the_sorted_value_come_last(session, direction, expected):
    order = [{"column": "small", "direction": direction}]
    assert ids(session, Nulls.SQL, "id", "gt", 0, order_by=order) == expected
    assert ids(session, Nulls.SQL, "id", "gt", 0, order_by=order, limit=1, offset=2) == expected[2:]


def test_numerics_that_are_one_double_are_a_tie_the_key_breaks(session):
    order = [{"column": "price", "direction": "desc"}]
    assert ids(session, Nulls.SQL, "id", "gt", 0, order_by=order) == [1, 2, 3]
