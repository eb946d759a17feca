"""Compiling to a SELECT: tables and entities, bound values, and columns that cannot be compared exactly."""

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from playbooks.query_spec import Access, Catalogue, CatalogueError, Column, ColumnType, ScopeError, interpret
from playbooks.query_spec.sqlalchemy_target import SqlTarget
from tests.unit.query_spec.assets import SEOUL, condition, where

CATALOGUE = Catalogue(
    {
        "id": Column(type=ColumnType.INTEGER),
        "title": Column(type=ColumnType.STRING),
        "tenant": Column(type=ColumnType.STRING, access=Access.SCOPE),
    },
    "id",
)
SCOPE = {"tenant": "acme"}
TABLE = sa.Table(
    "files",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("title", sa.String(50)),
    sa.Column("tenant", sa.Text),
)


class Base(DeclarativeBase):
    pass


class Owner(Base):
    __tablename__ = "owners"
    id: Mapped[int] = mapped_column(primary_key=True)


class File(Base):
    __tablename__ = "files"
    id: Mapped[int] = mapped_column("file_id", primary_key=True)
    title: Mapped[str] = mapped_column("file_title")
    tenant: Mapped[str]
    owner_id: Mapped[int] = mapped_column(sa.ForeignKey("owners.id"))
    owner: Mapped[Owner] = relationship()


def compiled(entity, document):
    query = interpret(document, CATALOGUE, zone=SEOUL)
    statement = SqlTarget(entity, CATALOGUE).select(query, SCOPE)
    return statement.compile(dialect=postgresql.dialect())


def test_a_core_table_becomes_a_select_with_bound_values():
    document = where(condition("title", "like", "a%'; DROP TABLE files; --")) | {"order_by": [{"column": "title"}]}
    done = compiled(TABLE, document)
    assert "DROP" not in str(done)
    assert "a%'; DROP TABLE files; --" in done.params.values()
    text = " ".join(str(done).split())
    assert text.startswith("SELECT files.id, files.title, files.tenant FROM files WHERE files.tenant = ")
    assert "files.title LIKE " in text
    assert " ORDER BY files.title DESC NULLS LAST, files.id ASC LIMIT " in text


def test_an_entity_is_asked_by_its_attributes():
    text = " ".join(str(compiled(File, where(condition("title", "eq", "a")))).split())
    assert "files.file_title = " in text
    assert "ORDER BY files.file_id ASC" in text


@pytest.mark.parametrize("name", ["owner", "metadata", "registry", "__table__"])
def test_what_is_no_column_of_the_mapping_is_refused_even_when_the_class_has_it(name):
    catalogue = Catalogue({"id": Column(type=ColumnType.INTEGER), name: Column(type=ColumnType.STRING)}, "id")
    with pytest.raises(CatalogueError, match=f"no column '{name}'"):
        SqlTarget(File, catalogue)


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        (ColumnType.NUMBER, sa.REAL()),
        (ColumnType.NUMBER, sa.Float(24)),
        (ColumnType.NUMBER, sa.Integer()),
        (ColumnType.INTEGER, sa.Numeric()),
        (ColumnType.STRING, sa.CHAR(5)),
        (ColumnType.STRING, postgresql.CITEXT()),
        (ColumnType.STRING, postgresql.JSONB()),
        (ColumnType.DATETIME, sa.DateTime()),
        (ColumnType.DATETIME, sa.Date()),
        (ColumnType.DATE, sa.DateTime(timezone=True)),
        (ColumnType.BOOLEAN, sa.Integer()),
        (ColumnType.UUID, sa.LargeBinary()),
        (ColumnType.STRINGS, sa.Text()),
        (ColumnType.STRINGS, postgresql.ARRAY(sa.Integer)),
        (ColumnType.STRINGS, postgresql.JSONB()),
    ],
)
def test_a_column_that_cannot_be_compared_exactly_is_refused(kind, stored):
    table = sa.Table("t", sa.MetaData(), sa.Column("id", sa.BigInteger), sa.Column("x", stored))
    with pytest.raises(CatalogueError, match="'x' is"):
        SqlTarget(table, Catalogue({"id": Column(type=ColumnType.INTEGER), "x": Column(type=kind)}, "id"))


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        (ColumnType.NUMBER, sa.Float()),
        (ColumnType.NUMBER, sa.Double()),
        (ColumnType.NUMBER, sa.Numeric(10, 2)),
        (ColumnType.INTEGER, sa.SmallInteger()),
        (ColumnType.STRING, sa.Unicode(5)),
        (ColumnType.UUID, sa.Uuid()),
        (ColumnType.UUID, sa.Text()),
        (ColumnType.DATETIME, postgresql.TIMESTAMP(timezone=True)),
        (ColumnType.STRINGS, sa.ARRAY(sa.String)),
    ],
)
def test_a_column_that_can_be_is_accepted(kind, stored):
    table = sa.Table("t", sa.MetaData(), sa.Column("id", sa.BigInteger), sa.Column("x", stored))
    assert SqlTarget(table, Catalogue({"id": Column(type=ColumnType.INTEGER), "x": Column(type=kind)}, "id"))


def test_an_enum_type_must_have_every_choice_of_the_catalogue():
    table = sa.Table("t", sa.MetaData(), sa.Column("id", sa.BigInteger), sa.Column("x", sa.Enum("a", "b", name="e")))
    columns = {"id": Column(type=ColumnType.INTEGER), "x": Column(type=ColumnType.ENUM, choices=("a", "c"))}
    with pytest.raises(CatalogueError, match="'x' lacks some of the catalogue's choices"):
        SqlTarget(table, Catalogue(columns, "id"))


def test_something_else_than_a_table_is_refused():
    with pytest.raises(CatalogueError, match="table or a mapped class"):
        SqlTarget(dict, CATALOGUE)


def test_a_query_of_another_catalogue_is_refused():
    query = interpret({}, Catalogue({"id": Column(type=ColumnType.INTEGER)}, "id"), zone=SEOUL)
    with pytest.raises(CatalogueError, match="another catalogue"):
        SqlTarget(TABLE, CATALOGUE).select(query, {})


def test_nothing_is_selected_without_the_scope():
    query = interpret({}, CATALOGUE, zone=SEOUL)
    with pytest.raises(ScopeError):
        SqlTarget(TABLE, CATALOGUE).select(query, {})
