"""The form a model fills: what its schema may hold, and the way back to a spec."""

import random

import pytest

from playbooks.query_spec import (
    QuerySpecError,
    SpecOutput,
    from_wire,
    interpret,
    interpret_wire,
    to_wire,
    wire_schema,
)
from tests.unit.query_spec.assets import ASSETS, SEOUL, condition, read, where


def objects(schema, depth=0):
    """Every schema inside a schema, with how many arrays it stands in."""
    yield schema, depth
    for child in schema.get("properties", {}).values():
        yield from objects(child, depth)
    if "items" in schema:
        yield from objects(schema["items"], depth + 1)


ALL = list(objects(wire_schema(ASSETS)))


class TestSchema:
    def test_it_holds_only_what_strict_tools_take(self):
        allowed = {"type", "properties", "required", "additionalProperties", "items", "enum", "description"}
        for schema, _ in ALL:
            assert schema.keys() <= allowed
            assert isinstance(schema["type"], str)

    def test_every_object_is_closed_and_requires_all_its_fields(self):
        closed = [schema for schema, _ in ALL if schema["type"] == "object"]
        assert len(closed) > 6
        for schema in closed:
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])

    def test_groups_are_inlined_three_deep(self):
        schema, depth = wire_schema(ASSETS), 1
        while "groups" in schema["properties"]:
            schema, depth = schema["properties"]["groups"]["items"], depth + 1
        assert depth == 3
        assert max(depth for _, depth in ALL) == 4

    def test_it_names_the_columns_that_may_be_named_and_sorts_by_those_that_sort(self):
        properties = wire_schema(ASSETS)["properties"]
        names = properties["conditions"]["items"]["properties"]["column"]["enum"]
        assert names == list(ASSETS.visible())
        sortable = properties["order_by"]["items"]["properties"]["column"]["enum"]
        assert "created_at" in sortable
        assert "tags" not in sortable

    def test_the_callers_columns_narrow_it(self):
        properties = wire_schema(ASSETS, ["id", "tenant_id"])["properties"]
        assert properties["conditions"]["items"]["properties"]["column"]["enum"] == ["id"]
        assert "like" not in properties["conditions"]["items"]["properties"]["operator"]["enum"]

    def test_without_columns_no_list_of_choices_is_empty(self):
        assert all(schema.get("enum") != [] for schema, _ in objects(wire_schema(ASSETS, [])))


def wire(*conditions, groups=(), **more):
    return {
        "op": "and",
        "conditions": [dict(zip(("column", "operator", "values"), item, strict=True)) for item in conditions],
        "groups": list(groups),
        "order_by": [],
        "limit": 20,
        "offset": 0,
        **more,
    }


@pytest.mark.parametrize(
    ("filled", "meant"),
    [
        (("size_bytes", "gte", ["10"]), condition("size_bytes", "gte", 10)),
        (("score", "eq", ["1"]), condition("score", "eq", 1.0)),
        (("score", "lt", ["-1.5e-3"]), condition("score", "lt", -0.0015)),
        (("is_public", "eq", ["true"]), condition("is_public", "eq", True)),
        (("file_name", "eq", ["10"]), condition("file_name", "eq", "10")),
        (("file_name", "eq", [""]), condition("file_name", "eq", "")),
        (("file_name", "like", ["%회의록%"]), condition("file_name", "like", "%회의록%")),
        (("id", "in", ["3"]), condition("id", "in", [3])),
        (("due", "between", ["2026-03-01", "2026-03-08"]), condition("due", "between", ["2026-03-01", "2026-03-08"])),
        (("tags", "is_null", []), condition("tags", "is_null")),
    ],
)
def test_texts_become_values_of_their_columns_type(filled, meant):
    assert interpret_wire(wire(filled), ASSETS, zone=SEOUL) == read(where(meant))


@pytest.mark.parametrize(
    ("filled", "code", "path"),
    [
        (("size_bytes", "gte", ["ten"]), "type_mismatch", "/groups/0/conditions/0/values"),
        (("size_bytes", "gte", ["1.0"]), "type_mismatch", "/groups/0/conditions/0/values"),
        (("size_bytes", "gte", ["99999999999999999999"]), "type_mismatch", "/groups/0/conditions/0/values"),
        (("is_public", "eq", ["yes"]), "type_mismatch", "/groups/0/conditions/0/values"),
        (("score", "eq", ["NaN"]), "type_mismatch", "/groups/0/conditions/0/values"),
        (("score", "eq", ["1e999"]), "value_out_of_range", "/groups/0/conditions/0/values"),
        (("size_bytes", "eq", []), "null_value", "/groups/0/conditions/0/values"),
        (("size_bytes", "eq", ["1", "2"]), "type_mismatch", "/groups/0/conditions/0/values"),
        (("size_bytes", "is_null", ["1"]), "unexpected_value", "/groups/0/conditions/0"),
        (("size_bytes", "in", []), "empty_in", "/groups/0/conditions/0/values"),
        (("size_bytes", "in", ["1", "x"]), "type_mismatch", "/groups/0/conditions/0/values/1"),
        (("size_bytes", "between", ["1"]), "between_needs_two", "/groups/0/conditions/0"),
        (("tenant_id", "eq", ["rival"]), "unknown_column", "/groups/0/conditions/0/column"),
        (("id", "contains", ["1"]), "unknown_operator", "/groups/0/conditions/0/operator"),
    ],
)
def test_a_refusal_leads_to_the_place_in_the_form(filled, code, path):
    inner = wire(filled)
    group = {"op": "or", "conditions": inner["conditions"], "groups": []}
    document = wire(("id", "eq", ["1"]), ("id", "eq", ["2"]), groups=[group])
    with pytest.raises(QuerySpecError) as refused:
        interpret_wire(document, ASSETS, zone=SEOUL)
    assert [(item.code, item.path) for item in refused.value.findings] == [(code, path)]


def test_an_empty_group_inside_is_refused_and_an_empty_form_means_no_filter():
    assert interpret_wire(wire(), ASSETS, zone=SEOUL).where is None
    with pytest.raises(QuerySpecError) as refused:
        interpret_wire(wire(groups=[{"op": "or", "conditions": [], "groups": []}]), ASSETS, zone=SEOUL)
    assert [(item.code, item.path) for item in refused.value.findings] == [("empty_group", "/groups/0/conditions")]


VALUE = "/conditions/0/values/0"


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"allowed_columns": []}, "unknown_field", "/allowed_columns"),
        ({"op": "not"}, "bad_group", "/op"),
        ({"limit": "5"}, "type_mismatch", "/limit"),
        ({"limit": 500}, "limit_out_of_range", "/limit"),
        ({"order_by": [{"column": "score"}]}, "missing_field", "/order_by/0/direction"),
        ({"order_by": [{"column": "score", "direction": "up"}]}, "bad_direction", "/order_by/0/direction"),
        (
            {"conditions": [{"column": "id", "operator": "eq", "values": [1]}]},
            "type_mismatch",
            "/conditions/0/values/0",
        ),
    ],
)
def test_another_shape_is_refused_with_its_place(change, code, path):
    with pytest.raises(QuerySpecError) as refused:
        interpret_wire(wire() | change, ASSETS, zone=SEOUL)
    assert [(item.code, item.path) for item in refused.value.findings] == [(code, path)]


def random_group(rng, depth):
    leaves = (
        condition("id", "in", [1, 2]),
        condition("score", "between", None, start=0.5, end=1.5),
        condition("file_name", "eq", "1"),
        condition("is_public", "neq", True),
        condition("created_at", "gte", "2026-03-08"),
        condition("tags", "is_not_null"),
    )
    # The form keeps conditions before groups, so that is how they are drawn.
    conditions = rng.sample(leaves, rng.randint(1, 3))
    groups = [random_group(rng, depth - 1) for _ in range(rng.randint(0, 2))] if depth > 1 else []
    return {"op": rng.choice(("and", "or")), "conditions": [*conditions, *groups]}


@pytest.mark.parametrize("seed", range(30))
def test_a_spec_written_to_the_wire_and_back_means_the_same(seed):
    rng = random.Random(seed)
    spec = {
        "where": random_group(rng, 3),
        "order_by": [{"column": "score", "direction": "asc"}],
        "limit": 7,
        "offset": 3,
    }
    written = to_wire(SpecOutput.model_validate(spec))
    back, _ = from_wire(written, ASSETS)
    assert interpret(back, ASSETS, zone=SEOUL) == read(spec)


def test_a_spec_too_deep_for_the_wire_is_refused():
    group = condition("id", "eq", 1)
    for _ in range(4):
        group = {"op": "and", "conditions": [group]}
    with pytest.raises(ValueError, match="3 groups deep"):
        to_wire(SpecOutput.model_validate({"where": group}))
