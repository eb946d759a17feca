"""What a catalogue offers, and which ones are refused."""

import pytest

from playbooks.query_spec import Access, Catalogue, CatalogueError, Column, ColumnType, Nulls, describe, read_catalogue
from tests.unit.query_spec.assets import ASSETS

KEY = {"id": Column(type=ColumnType.INTEGER)}


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (Column(type=ColumnType.ENUM), "enum without choices"),
        (Column(type=ColumnType.STRING, choices=("a",)), "is no enum"),
        (Column(type=ColumnType.INTEGER, operators=("like",)), "cannot take like"),
        (Column(type=ColumnType.STRING, operators=("gt",)), "cannot take gt"),
        (Column(type=ColumnType.STRING, operators=("ilike",)), "names no fold column"),
        (Column(type=ColumnType.INTEGER, fold="x_fold"), "is no string"),
        (Column(type=ColumnType.STRINGS, sortable=True), "cannot be sorted by"),
        (Column(type=ColumnType.NUMBER, access=Access.SCOPE), "cannot be a scope column"),
        (Column(type=ColumnType.STRING, fold="id"), "a fold column must be"),
        (Column(type=ColumnType.STRING, fold="a.b"), "must be letters, digits and _"),
        (Column(type=ColumnType.ENUM, choices=("re\u0301sume\u0301",)), "not in NFC"),
    ],
)
def test_a_column_that_contradicts_itself_is_refused(column, reason):
    with pytest.raises(CatalogueError, match=reason):
        Catalogue(KEY | {"x": column}, "id")


@pytest.mark.parametrize("name", ["", "a.b", "a[]", "a b", "1a", '"a"', "이름", "x" * 64])
def test_a_name_that_a_store_reads_as_something_else_is_refused(name):
    with pytest.raises(CatalogueError, match="must be letters, digits and _"):
        Catalogue(KEY | {name: Column(type=ColumnType.STRING)}, "id")


@pytest.mark.parametrize("key", ["missing", "name"])
def test_the_key_is_a_column_that_can_be_a_points_id(key):
    with pytest.raises(CatalogueError, match="must be one of the columns"):
        Catalogue(KEY | {"name": Column(type=ColumnType.STRING)}, key)


def test_all_problems_are_named_at_once():
    with pytest.raises(CatalogueError) as refused:
        Catalogue({"a": Column(type=ColumnType.ENUM), "b": Column(type=ColumnType.STRINGS, sortable=True)}, "id")
    assert all(part in refused.value.message for part in ("'a'", "'b'", "'id'"))


def test_without_a_fold_column_there_is_no_ilike():
    assert "ilike" not in Column(type=ColumnType.STRING).allowed_operators()
    assert "ilike" in Column(type=ColumnType.STRING, fold="x_fold").allowed_operators()


def test_the_columns_cannot_be_changed_afterwards():
    columns = dict(KEY)
    catalogue = Catalogue(columns, "id")
    columns["tenant_id"] = Column(type=ColumnType.STRING)
    assert list(catalogue.visible()) == ["id"]
    with pytest.raises(TypeError):
        catalogue.columns["x"] = columns["tenant_id"]  # type: ignore[index] # the point of the test


def test_a_catalogue_is_read_from_json():
    document = {
        "columns": {
            "id": {"type": "uuid"},
            "name": {"type": "string", "fold": "name_fold", "operators": ["eq", "ilike"], "sortable": False},
            "tenant": {"type": "string", "access": "scope"},
        },
        "key": "id",
        "nulls": "distinct",
    }
    assert read_catalogue(document) == Catalogue(
        {
            "id": Column(type=ColumnType.UUID),
            "name": Column(type=ColumnType.STRING, fold="name_fold", operators=("eq", "ilike"), sortable=False),
            "tenant": Column(type=ColumnType.STRING, access=Access.SCOPE),
        },
        "id",
        Nulls.DISTINCT,
    )


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"columns": {"id": {"type": "int"}}, "key": "id"}, "/columns/id/type"),
        ({"columns": {"id": {"type": "integer", "operators": ["contains"]}}, "key": "id"}, "/operators/0"),
        ({"columns": {}, "key": "id", "tables": []}, "/tables"),
        ({"key": "id"}, "/columns"),
    ],
)
def test_a_catalogue_that_cannot_be_read_says_where(document, place):
    with pytest.raises(CatalogueError, match=place):
        read_catalogue(document)


def test_the_description_names_what_may_be_named_and_nothing_else():
    text = describe(ASSETS)
    assert (
        "- asset_type (enum); one of pdf, docx, png; operators eq, neq, in, not_in, is_null, is_not_null; sortable"
        in (text.splitlines())
    )
    assert "tenant_id" not in text
    assert "internal_score" not in text
    assert [line.split()[1] for line in describe(ASSETS, ["id", "tenant_id"]).splitlines()] == ["id"]
    assert describe(ASSETS, []) == "No column may be named."
