"""Reading a spec: what is accepted, what is refused, and how it is said."""

from datetime import UTC, date, datetime
from types import MappingProxyType

import pytest

from playbooks.query_spec import Limits, QuerySpecError, Statement, WhereCondition, WhereGroup
from playbooks.query_spec.catalogue import ColumnType
from playbooks.query_spec.tree import AnyOf, Equal, Interval, Within
from tests.unit.query_spec.assets import condition, findings, read, refusals, where


def test_the_question_for_the_latest_five_minutes_becomes_a_typed_query():
    query = read(
        {
            "where": {"conditions": [{"column": "file_name", "operator": "like", "value": "%회의록%"}]},
            "order_by": [{"column": "created_at"}],
            "limit": 5,
        }
    )
    assert query.where.pattern.substring == "회의록"
    assert [(item.field, item.direction) for item in query.order] == [("created_at", "desc")]
    assert (query.limit, query.offset) == (5, 0)


def test_an_empty_spec_asks_for_the_first_twenty_rows_in_key_order():
    query = read({})
    assert (query.where, query.order, query.limit, query.offset) == (None, (), 20, 0)


def test_a_group_is_an_and_when_nothing_is_said():
    document = {"where": {"conditions": [condition("id", "eq", 1), condition("id", "eq", 2)]}}
    assert read(document) == read(where(condition("id", "eq", 1), condition("id", "eq", 2), op="and"))


def test_between_takes_value_before_start_and_end():
    both = read(where(condition("id", "between", [1, 2], start=5, end=9)))
    assert both.where == Within("id", ColumnType.INTEGER, (Interval(1, 2),))
    assert read(where(condition("id", "between", start=5, end=9))).where.intervals == (Interval(5, 9),)


@pytest.mark.parametrize(
    ("start", "end", "accepted"),
    [
        ("2026-03-08", "2026-03-08", True),
        ("2026-03-08T12:00:00", "2026-03-08", True),
        ("2026-03-08", "2026-03-08T00:00:00", True),
        ("2026-03-09", "2026-03-08", False),
        ("2026-03-09T00:00:00", "2026-03-08", False),
        ("2026-03-08T12:00:01", "2026-03-08T12:00:00", False),
        ("2026-03-08T00:00:00Z", "2026-03-08T08:59:59+09:00", False),
    ],
)
def test_a_range_of_instants_may_begin_within_the_day_that_ends_it(start, end, accepted):
    refused = [] if accepted else [("between_reversed", "/where/conditions/0/value")]
    assert refusals(where(condition("created_at", "between", [start, end]))) == refused


@pytest.mark.parametrize("operator", ["eq", "gt", "in", "like"])
def test_start_and_end_belong_to_between_only(operator):
    column = "file_name" if operator == "like" else "id"
    assert refusals(where(condition(column, operator, 1, start=1))) == [("unexpected_value", "/where/conditions/0")]


def test_shape_and_meaning_are_refused_in_one_answer():
    document = {
        "where": {
            "op": "xor",
            "conditions": [
                {"column": "file_type", "operator": "eq", "value": "pdf"},
                {"column": "id", "operator": "contains", "value": 1},
                {"op": "or", "conditions": [condition("size_bytes", "gt", "9"), {"operator": "eq", "value": 1}]},
            ],
        },
        "order_by": [{"column": "tags"}, {"column": "score", "direction": "down"}],
        "limit": 0,
        "allowed_columns": ["tenant_id"],
    }
    assert sorted(refusals(document)) == [
        ("bad_direction", "/order_by/1/direction"),
        ("bad_group", "/where/op"),
        ("limit_out_of_range", "/limit"),
        ("missing_field", "/where/conditions/2/conditions/1/column"),
        ("not_sortable", "/order_by/0/column"),
        ("type_mismatch", "/where/conditions/2/conditions/0/value"),
        ("unknown_column", "/where/conditions/0/column"),
        ("unknown_field", "/allowed_columns"),
        ("unknown_operator", "/where/conditions/1/operator"),
    ]


def test_the_feedback_names_the_place_the_reason_and_what_is_allowed():
    with pytest.raises(QuerySpecError) as refused:
        read(where(condition("asset_type", "eq", "PDF"), condition("is_public", "like", "%")))
    by_value, by_operator = refused.value.feedback().splitlines()
    assert by_value.startswith("- /where/conditions/0/value [value_not_in_choices] 'PDF' is not a value of asset_type.")
    assert by_value.endswith(" Allowed: pdf, docx, png.")
    assert by_operator.startswith("- /where/conditions/1/operator [operator_not_allowed] like does not apply to")
    assert by_operator.endswith(" is_public (boolean). Allowed: eq, neq, is_null, is_not_null.")


@pytest.mark.parametrize("name", ["tenant_id", "internal_score", "no_such", "__class__", "metadata", "file_name_fold"])
def test_scope_hidden_shadow_and_unknown_columns_are_refused_alike_and_never_listed(name):
    (by_where,) = findings(where(condition(name, "eq", "x")))
    (by_order,) = findings({"order_by": [{"column": name}]})
    for item in (by_where, by_order):
        assert item.code == "unknown_column"
        assert not {"tenant_id", "internal_score", "file_name_fold"} & set(item.allowed)
        assert "did you mean 'tenant_id'" not in item.message
        assert "did you mean 'internal_score'" not in item.message


class TestAllowedColumns:
    def test_the_caller_narrows_what_may_be_named(self):
        document = where(condition("id", "eq", 1))
        assert read(document, allowed_columns=["id"])
        assert refusals(document, allowed_columns=["score"]) == [("unknown_column", "/where/conditions/0/column")]

    def test_an_empty_list_means_none(self):
        assert refusals(where(condition("id", "eq", 1)), allowed_columns=[]) == [
            ("unknown_column", "/where/conditions/0/column")
        ]
        assert read({}, allowed_columns=[]).where is None

    @pytest.mark.parametrize("name", ["tenant_id", "internal_score"])
    def test_it_opens_nothing_that_is_hidden(self, name):
        assert refusals(where(condition(name, "eq", "x")), allowed_columns=[name])

    def test_a_statement_of_the_caller_carries_its_own(self):
        group = WhereGroup(conditions=[WhereCondition(column="id", operator="eq", value=1)])
        assert read(Statement(where=group, allowed_columns=["id"])).where == Equal("id", ColumnType.INTEGER, (1,))
        assert refusals(Statement(where=group, allowed_columns=[])) != []

    def test_two_lists_are_both_obeyed(self):
        group = WhereGroup(conditions=[WhereCondition(column="id", operator="eq", value=1)])
        statement = Statement(where=group, allowed_columns=["id"])
        assert refusals(statement, allowed_columns=["score"]) != []

    def test_a_document_cannot_bring_it(self):
        assert refusals({"allowed_columns": ["id"]}) == [("unknown_field", "/allowed_columns")]


def test_python_dates_and_datetimes_are_values_too():
    assert read(where(condition("due", "eq", date(2026, 3, 8)))) == read(where(condition("due", "eq", "2026-03-08")))
    at = datetime(2026, 3, 8, 9, tzinfo=UTC)
    assert read(where(condition("created_at", "gte", at))).where.intervals == (Interval(low=at),)
    day = read(where(condition("created_at", "eq", date(2026, 3, 8))))
    assert day == read(where(condition("created_at", "eq", "2026-03-08")))


def test_a_spec_as_json_text_bytes_or_object_reads_alike():
    text = '{"where":{"conditions":[{"column":"file_name","operator":"eq","value":"회의록"}]}}'
    document = where(condition("file_name", "eq", "회의록"))
    assert read(text) == read(text.encode()) == read(document) == read(MappingProxyType(document))


def test_the_order_ends_with_the_key_whether_it_is_said_or_not():
    said = read({"order_by": [{"column": "score"}, {"column": "id", "direction": "asc"}]})
    assert said == read({"order_by": [{"column": "score"}]})
    cut = read({"order_by": [{"column": "id", "direction": "desc"}, {"column": "score"}]})
    assert [item.field for item in cut.order] == ["id"]


def test_limits_can_be_tightened():
    limits = Limits(max_limit=10, max_offset=5, max_nodes=2, max_in=1, max_string=3)
    assert refusals({"limit": 11, "offset": 6}, limits=limits) == [
        ("limit_out_of_range", "/limit"),
        ("offset_out_of_range", "/offset"),
    ]
    assert refusals(where(condition("id", "in", [1, 2])), limits=limits) == [
        ("in_too_long", "/where/conditions/0/value")
    ]
    assert refusals(where(condition("file_name", "eq", "four")), limits=limits) == [
        ("string_too_long", "/where/conditions/0/value")
    ]
    two = where(condition("id", "eq", 1), condition("id", "eq", 2))
    assert refusals(two, limits=limits) == [("too_many_nodes", "/where")]


def test_an_or_of_two_and_a_single_child_keep_their_meaning():
    tree = read(where(condition("id", "eq", 1), {"op": "and", "conditions": [condition("id", "eq", 2)]}, op="or")).where
    assert tree == AnyOf((Equal("id", ColumnType.INTEGER, (1,)), Equal("id", ColumnType.INTEGER, (2,))))


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("score", "0.5", "type_mismatch"),
        ("score", True, "type_mismatch"),
        ("score", 2**53 + 1, "value_out_of_range"),
        ("size_bytes", True, "type_mismatch"),
        ("size_bytes", 5.0, "type_mismatch"),
        ("size_bytes", -(2**63) - 1, "value_out_of_range"),
        ("file_name", 5, "type_mismatch"),
        ("file_name", "a\0b", "bad_string"),
        ("owner_id", "{11111111-1111-4111-8111-111111111111}", "bad_uuid"),
        ("owner_id", "11111111111141118111111111111111", "bad_uuid"),
        ("due", "2026-03-08T00:00:00", "bad_date"),
        ("due", 5, "type_mismatch"),
        ("created_at", "2026-03-08T24:00:00", "bad_datetime"),
        ("created_at", "2026-03-08T10:00:60", "bad_datetime"),
        ("created_at", "2026-W10-7", "bad_datetime"),
        ("created_at", "20260308", "bad_datetime"),
        ("created_at", "２０２６-03-08", "bad_datetime"),
        ("created_at", "yesterday", "bad_datetime"),
        ("created_at", "2026-03-08T10:00:00.1234567", "bad_datetime"),
        ("tags", 5, "type_mismatch"),
        ("is_public", None, "null_value"),
    ],
)
def test_a_value_of_another_type_is_refused(column, value, code):
    assert refusals(where(condition(column, "eq", value))) == [(code, "/where/conditions/0/value")]


@pytest.mark.parametrize(
    ("operator", "value", "code"),
    [
        ("in", "pdf", "type_mismatch"),
        ("not_in", 5, "type_mismatch"),
        ("eq", ["pdf"], "type_mismatch"),
        ("eq", [], "type_mismatch"),
        ("in", [["pdf"]], "type_mismatch"),
        ("in", [{"a": 1}], "type_mismatch"),
        ("like", "abc\\", "bad_pattern"),
        ("like", "_________", "pattern_too_complex"),
        ("like", 5, "type_mismatch"),
    ],
)
def test_a_value_of_another_shape_is_refused(operator, value, code):
    assert refusals(where(condition("file_name", operator, value))) == [(code, "/where/conditions/0/value")]
