"""Whatever JSON is sent, the answer is a query or a QuerySpecError, and the same one each time."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from playbooks.query_spec import Query, QuerySpecError, interpret_wire, to_qdrant
from playbooks.query_spec.memory_target import answer
from tests.unit.query_spec.assets import ASSETS, SCOPE, SEOUL, read

NAMES = st.sampled_from([*ASSETS.columns, "file_type", "id", "size_bytes", "file_name"])
OPERATORS = st.sampled_from(["eq", "neq", "gt", "lte", "like", "ilike", "in", "not_in", "is_null", "between", "not"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["2026-03-08", "9999-12-31", "0001-01-01T00:00:00", "pdf", "%a%", "a\\"]),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=4), st.dictionaries(st.text(max_size=3), SCALARS, max_size=2))
CONDITIONS = st.fixed_dictionaries(
    {"column": NAMES, "operator": OPERATORS}, optional={"value": VALUES, "start": SCALARS, "end": SCALARS}
)
NODES = st.recursive(
    st.one_of(CONDITIONS, VALUES),
    lambda inner: st.fixed_dictionaries(
        {"conditions": st.lists(inner, max_size=3)}, optional={"op": st.sampled_from(["and", "or", "not"])}
    ),
    max_leaves=8,
)
SORTS = st.fixed_dictionaries({"column": NAMES}, optional={"direction": st.sampled_from(["asc", "desc", "up"])})
DOCUMENTS = st.one_of(
    VALUES,
    st.fixed_dictionaries(
        {},
        optional={
            "where": NODES,
            "order_by": st.one_of(SCALARS, st.lists(SORTS, max_size=4)),
            "limit": SCALARS,
            "offset": SCALARS,
            "extra": SCALARS,
        },
    ),
)


def attempt(call):
    """The result, or the findings of the refusal; anything else that is raised fails the test."""
    try:
        return call()
    except QuerySpecError as error:
        return error.findings


def check(findings):
    """Every finding can be logged and sent, and no place is named twice."""
    assert findings
    json.dumps([(item.code, item.path, item.message) for item in findings], ensure_ascii=False).encode()
    assert len({item.path for item in findings}) == len(findings)


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS)
def test_a_document_is_read_or_refused(document):
    result = attempt(lambda: read(document))
    assert result == attempt(lambda: read(document))
    if isinstance(result, Query):
        assert answer(result, SCOPE, []) == []
        result = attempt(lambda: to_qdrant(result, SCOPE))
    if isinstance(result, tuple):
        check(result)


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS)
def test_the_wire_form_is_read_or_refused(document):
    result = attempt(lambda: interpret_wire(document, ASSETS, zone=SEOUL))
    if isinstance(result, tuple):
        check(result)
