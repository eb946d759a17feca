"""Every case of the corpus, on every store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy

from playbooks.query_spec import QuerySpecError, read_page, to_qdrant
from playbooks_local.cases.query_spec import CaseFile, Store, difference, memory_store, read_case_file, sql_store
from tests.integration.query_spec.qdrant_stores import EdgeQdrant, LocalQdrant, matches_booleans, points_of

CASES = Path(__file__).parents[2] / "cases" / "query_spec.json"
FILE: CaseFile = read_case_file(CASES)
ANSWERED = [case for case in FILE.cases if case.get("qdrant") == "same"]


@pytest.fixture(scope="module")
def ask_sql(database_url: sqlalchemy.URL) -> Iterator[Store]:
    with sql_store(database_url, FILE, "corpus") as ask:
        yield ask


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, LocalQdrant | EdgeQdrant]]:
    catalogue = FILE.profiles["default"].catalogue
    with_nulls, without = (points_of(catalogue, FILE.rows, nulls=nulls) for nulls in (True, False))
    folder = tmp_path_factory.mktemp("edge")
    rust = {
        "rust, indexed": EdgeQdrant(folder / "1", with_nulls, catalogue, indexed=True),
        "rust, indexed, nulls absent": EdgeQdrant(folder / "2", without, catalogue, indexed=True),
        "rust, no index": EdgeQdrant(folder / "3", without, catalogue, indexed=False),
    }
    yield {"local": LocalQdrant(with_nulls), "local, nulls absent": LocalQdrant(without), **rust}
    for engine in rust.values():
        engine.close()


@pytest.mark.parametrize("case", FILE.cases, ids=lambda case: case["id"])
def test_each_case_is_answered_or_refused_as_expected_in_memory_and_by_postgresql(case, ask_sql):
    stores = {"memory": memory_store(FILE.canonical_rows()), "PostgreSQL": ask_sql}
    assert difference(FILE, case, stores) is None


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["id"])
def test_each_case_finds_the_same_ids_in_every_qdrant_engine(case, engines):
    compiled = to_qdrant(FILE.read(case), FILE.profiles[case["profile"]].scope)
    asked = {
        name: engine
        for name, engine in engines.items()
        if isinstance(engine, LocalQdrant)
        or (not matches_booleans(compiled.filter) and (engine.indexed or compiled.order is None))
    }
    assert len(asked) >= 2
    for name, engine in asked.items():
        assert [point.id for point in read_page(compiled, engine)] == case["expected_ids"], name


def test_every_case_is_answered_by_qdrant_or_refused_with_the_one_code_for_it():
    for case in FILE.cases:
        if isinstance(case.get("qdrant"), dict):
            with pytest.raises(QuerySpecError) as refused:
                to_qdrant(FILE.read(case), FILE.profiles[case["profile"]].scope)
            assert {item.code for item in refused.value.findings} == {"unsupported_on_target"}
    assert len(ANSWERED) == 72


def test_a_changed_expectation_is_named():
    case = next(case for case in FILE.cases if case["id"] == "is_null")
    stores = {"memory": memory_store(FILE.canonical_rows())}
    assert difference(FILE, {**case, "expected_ids": [4, 23]}, stores) == "expected [4, 23], memory answers [4, 23, 36]"
