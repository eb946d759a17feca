"""Every record of the case folders confirms exactly what its `expected.json` says."""

import json
from pathlib import Path

import pytest

from playbooks.domain.conversation import ResultState
from playbooks.domain.conversation.results import judge
from playbooks_local.cases import checker
from playbooks_local.cases.conversations import check

CASES = Path(__file__).parents[2] / "cases" / "conversations"
RECORDS = [(folder.name, result) for folder in (CASES / "scenario", CASES / "traps") for result in check(folder)]
BODIES = json.loads((CASES / "bodies.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("folder", "result"), RECORDS, ids=[f"{folder}/{result.id}" for folder, result in RECORDS])
def test_a_record_confirms_exactly_what_is_expected(folder, result):
    assert result.difference is None


def test_the_scenario_is_recorded_in_twelve_formats():
    assert sum(folder == "scenario" for folder, _ in RECORDS) == 12


@pytest.mark.parametrize("case", BODIES, ids=[case["id"] for case in BODIES])
def test_a_result_is_judged_by_its_body_as_well_as_by_its_flag(case):
    assert judge(case["body"], None).state == case["unflagged"]
    assert judge(case["body"], flag=False).state == case["flagged_good"]
    assert judge(case["body"], flag=True).state is ResultState.ERROR


@pytest.mark.parametrize("case", BODIES, ids=[case["id"] for case in BODIES])
def test_only_a_good_result_without_an_error_field_is_marked_as_inferred(case):
    assert judge(case["body"], None).inferred == (case["unflagged"] == "ok")
    assert not judge(case["body"], flag=False).inferred


def test_the_checker_sees_a_statement_that_is_missing(tmp_path):
    record = CASES / "scenario" / "anthropic_messages.json"
    (tmp_path / "a.json").write_bytes(record.read_bytes())
    (tmp_path / "expected.json").write_text(json.dumps({"kept_in_order": ["SELECT 1"]}))
    (result,) = checker("conversations")(tmp_path)
    assert result.difference is not None
    assert "SELECT 1" in result.difference


def test_the_checker_sees_a_wrong_reason_and_one_too_many(tmp_path):
    record = CASES / "scenario" / "anthropic_mcp_connector.json"
    kept = json.loads((CASES / "scenario" / "expected.json").read_text(encoding="utf-8"))["kept_in_order"]
    (tmp_path / "a.json").write_bytes(record.read_bytes())
    for dropped in ({"SELECT dept, SUM(amount) FROM orders GROUP BY dept": "no_result"}, {}):
        expected = {"records": {"a.json": {"kept": kept, "dropped": dropped}}}
        (tmp_path / "expected.json").write_text(json.dumps(expected))
        (result,) = check(tmp_path)
        assert result.difference is not None
