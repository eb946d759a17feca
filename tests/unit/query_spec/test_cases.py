"""The corpus without a server: the reference answers it, and the Qdrant filters are the expected ones."""

from pathlib import Path

import pytest

from playbooks.query_spec.memory_target import Row
from playbooks_local.cases.query_spec import difference, memory_store, read_case_file

FILE = read_case_file(Path(__file__).parents[2] / "cases" / "query_spec.json")
ROWS: list[Row] = FILE.canonical_rows()


@pytest.mark.parametrize("case", FILE.cases, ids=lambda case: case["id"])
def test_each_case_is_answered_or_refused_as_expected(case):
    assert difference(FILE, case, {"memory": memory_store(ROWS)}) is None
