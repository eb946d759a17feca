"""Compiling to a Qdrant filter: what each server version can do, and where integers stop being exact."""

import pytest

from playbooks.query_spec import Catalogue, Column, ColumnType, QuerySpecError, interpret, to_qdrant
from tests.unit.query_spec.assets import SCOPE, SEOUL, condition, read, where


def refused(document, **options):
    try:
        to_qdrant(read(document), SCOPE, **options)
    except QuerySpecError as error:
        return [(item.code, item.path) for item in error.findings]
    return []


@pytest.mark.parametrize(
    ("pattern", "since"),
    [("text", (1, 0)), ("%", (1, 0)), ("text%", (1, 19)), ("%text%", (1, 20))],
)
def test_a_pattern_needs_the_server_version_that_can_match_it(pattern, since):
    document = where(condition("file_name", "like", pattern))
    assert refused(document, version=since) == []
    if since > (1, 0):
        before = (since[0], since[1] - 1)
        assert refused(document, version=before) == [("unsupported_on_target", "/where/conditions/0/value")]


def test_the_refusal_of_a_pattern_offers_what_the_version_can_do():
    with pytest.raises(QuerySpecError, match="only takes 'text' and 'text%' patterns; use text%"):
        to_qdrant(read(where(condition("file_name", "like", "%a%"))), SCOPE, version=(1, 19))
    with pytest.raises(QuerySpecError, match=r"only takes 'text' patterns$"):
        to_qdrant(read(where(condition("file_name", "like", "%a%"))), SCOPE, version=(1, 18))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("operator", ["gt", "gte", "lt", "lte"])
def test_a_range_bound_is_exact_up_to_two_to_the_53_less_one(operator, sign):
    assert refused(where(condition("size_bytes", operator, sign * (2**53 - 1)))) == []
    assert refused(where(condition("size_bytes", operator, sign * 2**53))) != []


def test_equality_of_large_integers_is_exact():
    assert to_qdrant(read(where(condition("size_bytes", "in", [2**53 + 1, 2**63 - 1]))), SCOPE).filter == {
        "must": [
            {"key": "tenant_id", "match": {"value": "acme"}},
            {"key": "size_bytes", "match": {"any": [2**53 + 1, 2**63 - 1]}},
        ]
    }


def test_everything_that_cannot_be_answered_is_named_at_once():
    document = where(condition("file_name", "like", "%a"), condition("size_bytes", "gt", 2**60), op="or") | {
        "order_by": [{"column": "file_name"}, {"column": "score"}]
    }
    assert refused(document) == [
        ("unsupported_on_target", "/where/conditions/0/value"),
        ("unsupported_on_target", "/where/conditions/1/value"),
        ("unsupported_on_target", "/order_by/1"),
        ("unsupported_on_target", "/order_by/0/column"),
    ]


def test_without_a_scope_column_and_without_conditions_the_filter_is_empty():
    query = interpret({}, Catalogue({"id": Column(type=ColumnType.INTEGER)}, "id"), zone=SEOUL)
    assert to_qdrant(query, {}).filter == {}
