"""Whatever is sent ends in a typed refusal, and the work is bounded by the limits."""

import json
from typing import Any

import pytest

from playbooks.query_spec import QuerySpecError, interpret_wire
from tests.unit.query_spec.assets import ASSETS, SEOUL, condition, findings, read, refusals, where


class Guarded(list[Any]):
    """A list that fails the test when more of it is read than any limit allows."""

    def __iter__(self):
        for index in range(len(self)):
            assert index <= 1000, "read beyond the limits"
            yield self[index]


def deep(levels: int, leaf: object) -> object:
    document = leaf
    for _ in range(levels):
        document = {"op": "and", "conditions": [document]}
    return document


def deep_list(levels: int) -> list[object]:
    document: list[object] = []
    for _ in range(levels):
        document = [document]
    return document


def test_groups_a_hundred_thousand_deep_are_refused_at_the_sixth():
    document = {"where": deep(100_000, condition("id", "eq", 1))}
    path = "/where" + "/conditions/0" * 5
    assert refusals(document) == [("too_deep", path)]


def test_a_million_conditions_are_refused_unread():
    assert refusals(where(op="or") | {"where": {"conditions": Guarded([condition("id", "eq", 1)] * 1_000_000)}}) == [
        ("too_many_nodes", "/where")
    ]


def test_a_million_values_are_refused_unread():
    assert refusals(where(condition("id", "in", Guarded(range(1_000_000))))) == [
        ("in_too_long", "/where/conditions/0/value")
    ]


def test_a_million_sort_keys_are_refused_unread():
    assert refusals({"order_by": Guarded([{"column": "id"}] * 1_000_000)}) == [("too_many_order_by", "/order_by")]


@pytest.mark.parametrize("place", ["top", "group", "condition", "order"])
def test_an_object_with_a_million_fields_is_refused_unread(place):
    wide = {str(number): None for number in range(1_000_000)}
    document, path = {
        "top": (wide, ""),
        "group": ({"where": wide}, "/where"),
        "condition": (where(wide), "/where/conditions/0"),
        "order": ({"order_by": [wide]}, "/order_by/0"),
    }[place]
    assert refusals(document) == [("too_many_fields", path)]


@pytest.mark.parametrize(
    "document",
    [
        {"where": deep_list(100_000)},
        {"where": {"conditions": [deep_list(100_000)]}},
        {"where": {"conditions": deep_list(100_000)}},
        {"order_by": deep_list(100_000)},
        {"limit": deep_list(100_000)},
        {"extra": deep_list(100_000)},
        {"where": {"op": deep_list(100_000), "conditions": []}},
        where({"column": deep_list(100_000), "operator": "eq", "value": 1}),
        where(condition("id", "eq", deep_list(100_000))),
        where(condition("id", "between", None, start=deep_list(100_000), end=1)),
        where(condition("id", "eq", {"a": deep_list(100_000)})),
    ],
    ids=range(11),
)
def test_lists_a_hundred_thousand_deep_are_refused_wherever_they_stand(document):
    assert refusals(document) != []


@pytest.mark.parametrize("text", ["[" * 60_000, '{"where":' * 6_000, '{"where":{"conditions":[' * 2_000])
def test_deep_json_text_is_refused(text):
    assert findings(text)[0].code in ("too_deep", "invalid_json")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "invalid_json"),
        ("{", "invalid_json"),
        ('{"limit": NaN}', "invalid_json"),
        ('{"limit": -Infinity}', "invalid_json"),
        (b'{"limit": "\xff"}', "invalid_json"),
        ('{"limit": ' + "9" * 5_000 + "}", "invalid_json"),
        ('{"limit": 5}' + " " * 70_000, "too_large"),
        (b" " * 70_000, "too_large"),
        ('{"where": "' + "회" * 30_000 + '"}', "too_large"),
        ("null", "not_object"),
        ("5", "not_object"),
    ],
)
def test_json_that_is_none_or_too_much_is_refused(text, code):
    assert [item.code for item in findings(text)] == [code]


def test_a_number_beyond_the_doubles_is_refused():
    text = '{"where":{"conditions":[{"column":"score","operator":"gt","value":1e999}]}}'
    assert refusals(text) == [("value_out_of_range", "/where/conditions/0/value")]
    nan = where(condition("score", "eq", float("nan")))
    assert refusals(nan) == [("value_out_of_range", "/where/conditions/0/value")]


def test_an_integer_of_a_million_digits_is_refused_without_being_written_out():
    huge = 10**1_000_000
    for column in ("id", "score", "file_name", "is_public", "created_at"):
        (finding,) = findings(where(condition(column, "eq", huge)))
        assert len(finding.message) < 200


@pytest.mark.parametrize("place", ["column", "operator", "value", "start", "key", "op", "direction"])
def test_a_lone_surrogate_is_refused_and_the_refusal_can_be_encoded(place):
    bad = "\ud800"
    document = {
        "column": where({"column": bad, "operator": "eq", "value": 1}),
        "operator": where({"column": "id", "operator": bad, "value": 1}),
        "value": where(condition("file_name", "in", ["a", bad])),
        "start": where(condition("due", "between", start=bad, end="2026-01-01")),
        "key": {bad: 1},
        "op": {"where": {"op": bad, "conditions": [condition("id", "eq", 1)]}},
        "direction": {"order_by": [{"column": "id", "direction": bad}]},
    }[place]
    found = findings(document)
    assert found
    json.dumps([[item.code, item.path, item.message, item.allowed] for item in found], ensure_ascii=False).encode()


def test_a_refusal_never_repeats_more_than_a_short_piece_of_what_was_sent():
    long = "x" * 400
    for document in (where(condition(long, "eq", 1)), {long: 1}, where(condition("asset_type", "eq", long))):
        with pytest.raises(QuerySpecError) as refused:
            read(document)
        assert all(len(item.message) < 200 and len(item.path) < 200 for item in refused.value.findings)


@pytest.mark.parametrize("text", ["0001-01-01", "9999-12-31", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
@pytest.mark.parametrize("operator", ["eq", "neq", "gt", "gte", "lt", "lte", "in"])
def test_the_edges_of_the_calendar_are_read(text, operator):
    value: object = [text] if operator == "in" else text
    assert read(where(condition("created_at", operator, value))).where is not None


def test_objects_that_are_no_json_are_refused():
    class Odd:
        def __repr__(self) -> str:
            raise AssertionError("never shown")

    for document in (where(condition("id", "eq", Odd())), {"limit": Odd()}, {"where": Odd()}, where(Odd())):
        assert refusals(document) != []


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        deep_list(100_000),
        {"conditions": Guarded([{}] * 1_000_000)},
        {"groups": Guarded([{}] * 1_000_000), "conditions": []},
        {"groups": [{"groups": [{"groups": [{"groups": [{"groups": [{"groups": []}]}]}]}]}]},
        {"op": "and", "conditions": [{"column": "id", "operator": "in", "values": Guarded(["1"] * 1_000_000)}]},
        {"op": "and", "conditions": [{"column": "id", "operator": "eq", "values": ["\ud800"]}]},
        {str(number): None for number in range(1_000_000)},
    ],
    ids=range(9),
)
def test_the_wire_form_is_bounded_in_the_same_way(document):
    with pytest.raises(QuerySpecError) as refused:
        interpret_wire(document, ASSETS, zone=SEOUL)
    assert len(refused.value.findings) < 60


def test_a_name_that_is_no_unicode_is_unknown_and_shown_escaped():
    (finding,) = findings(where({"column": "\ud800", "operator": "eq", "value": 1}))
    assert (finding.code, finding.message) == ("unknown_column", r"no column '\ud800' to filter by")
