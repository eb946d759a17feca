"""Writing rows so that both stores hold the same values."""

import unicodedata
import uuid
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from playbooks.query_spec import Catalogue, Column, ColumnType, RowError, canonical_row, payload_indexes, to_point
from tests.unit.query_spec.assets import ASSETS

OWNER = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
ROW = {
    "tenant_id": "acme",
    "internal_score": None,
    "id": 7,
    "file_name": unicodedata.normalize("NFD", "Résumé 회의록.PDF"),
    "asset_type": "pdf",
    "size_bytes": 2**53 + 1,
    "score": Decimal("0.7"),
    "created_at": datetime(2026, 3, 8, 9, tzinfo=timezone(timedelta(hours=9))),
    "due": date(2026, 3, 9),
    "owner_id": uuid.UUID(OWNER.upper()),
    "is_public": False,
    "tags": [unicodedata.normalize("NFD", "회의")],
    "not in the catalogue": object(),
}


def test_a_row_becomes_a_point():
    point = to_point(ASSETS, ROW)
    assert point.id == 7
    assert point.payload == {
        "tenant_id": "acme",
        "internal_score": None,
        "id": 7,
        "file_name": "Résumé 회의록.PDF",
        "file_name_fold": "résumé 회의록.pdf",
        "asset_type": "pdf",
        "size_bytes": 2**53 + 1,
        "score": 0.7,
        "created_at": "2026-03-08T00:00:00.000000Z",
        "due": "2026-03-09",
        "owner_id": OWNER,
        "is_public": False,
        "tags": ["회의"],
    }


def test_the_sql_row_holds_the_same_values_in_its_own_types():
    row = canonical_row(ASSETS, ROW)
    assert row["created_at"] == datetime(2026, 3, 8, tzinfo=UTC)
    assert row["due"] == date(2026, 3, 9)
    assert row["file_name_fold"] == "résumé 회의록.pdf"


def test_minus_zero_is_zero_and_a_missing_text_has_a_missing_shadow():
    row = canonical_row(ASSETS, ROW | {"score": -0.0, "file_name": None})
    assert str(row["score"]) == "0.0"
    assert row["file_name_fold"] is None


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("score", float("nan")),
        ("score", float("inf")),
        ("score", "0.7"),
        ("size_bytes", 2**63),
        ("size_bytes", True),
        ("created_at", datetime(2026, 3, 8)),  # noqa: DTZ001 - a time without an offset is no instant
        ("created_at", "tomorrow"),
        ("due", datetime(2026, 3, 8, tzinfo=UTC)),
        ("file_name", "a\0b"),
        ("file_name", "\ud800"),
        ("tags", ["a", None]),
        ("tags", "a"),
        ("is_public", 1),
        ("owner_id", "none"),
    ],
)
def test_a_value_the_stores_would_hold_differently_is_refused(column, value):
    with pytest.raises(RowError) as refused:
        canonical_row(ASSETS, ROW | {column: value})
    assert [item.path for item in refused.value.findings] == [f"/{column}"]


def test_every_reason_is_given_at_once():
    with pytest.raises(RowError) as refused:
        canonical_row(ASSETS, {"id": "x"})
    assert len(refused.value.findings) == len(ASSETS.columns)


@pytest.mark.parametrize("key", [-1, None])
def test_the_key_of_a_point_is_unsigned_and_there(key):
    with pytest.raises(RowError, match="unsigned integer or a uuid"):
        to_point(ASSETS, ROW | {"id": key})


def test_every_field_gets_the_index_of_its_type():
    bodies = {body["field_name"]: body["field_schema"] for body in payload_indexes(ASSETS)}
    assert bodies["created_at"] == {"type": "datetime"}
    assert bodies["score"] == {"type": "float"}
    assert bodies["tenant_id"] == {"type": "keyword", "is_tenant": True}
    assert bodies["file_name_fold"] == {"type": "keyword"}
    assert bodies.keys() == ASSETS.columns.keys() | {"file_name_fold"}


def test_a_uuid_key_is_the_points_id():
    catalogue = Catalogue({"id": Column(type=ColumnType.UUID)}, "id")
    assert to_point(catalogue, {"id": OWNER.upper()}).id == OWNER
