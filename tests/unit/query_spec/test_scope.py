"""What confines the caller stands outside of whatever the spec says."""

import pytest

from playbooks.query_spec import Access, Catalogue, Column, ColumnType, ScopeError, interpret, to_qdrant
from playbooks.query_spec.memory_target import answer
from tests.unit.query_spec.assets import SEOUL, condition, where

CATALOGUE = Catalogue(
    {
        "id": Column(type=ColumnType.INTEGER),
        "tenant_id": Column(type=ColumnType.STRING, access=Access.SCOPE),
        "is_deleted": Column(type=ColumnType.BOOLEAN, access=Access.SCOPE),
    },
    "id",
)
QUERY = interpret(where(condition("id", "eq", 1), condition("id", "gt", 0), op="or"), CATALOGUE, zone=SEOUL)
GOOD = {"tenant_id": "acme", "is_deleted": False}
TARGETS = {"qdrant": lambda scope: to_qdrant(QUERY, scope), "memory": lambda scope: answer(QUERY, scope, [])}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "scope",
    [
        {},
        {"tenant_id": "acme"},
        {**GOOD, "id": 1},
        {**GOOD, "tenant_id": []},
        {**GOOD, "tenant_id": None},
        {**GOOD, "tenant_id": 5},
        {**GOOD, "is_deleted": 0},
        {**GOOD, "is_deleted": "false"},
    ],
)
def test_nothing_is_searched_unless_every_scope_column_has_a_value_of_its_type(target, scope):
    with pytest.raises(ScopeError):
        TARGETS[target](scope)


def test_the_scope_is_anded_outside_of_an_or():
    rows = [
        {"id": 1, "tenant_id": "acme", "is_deleted": False},
        {"id": 2, "tenant_id": "rival", "is_deleted": False},
        {"id": 3, "tenant_id": "acme", "is_deleted": True},
    ]
    assert [row["id"] for row in answer(QUERY, GOOD, rows)] == [1]
    outside = to_qdrant(QUERY, GOOD).filter["must"]
    assert outside[:2] == [
        {"key": "tenant_id", "match": {"value": "acme"}},
        {"key": "is_deleted", "match": {"value": False}},
    ]
    assert "should" in outside[2]


def test_a_scope_may_hold_several_values():
    compiled = to_qdrant(QUERY, {**GOOD, "tenant_id": ["a", "b", "a"]})
    assert compiled.scope[0] == {"key": "tenant_id", "match": {"any": ["a", "b"]}}
