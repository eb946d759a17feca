"""The published cases: faults that schedulers really had, and the command that runs such a file."""

import json
from pathlib import Path

import pytest

from playbooks_local.cases import CaseResult, checker
from playbooks_local.cli import main

PATH = Path(__file__).parents[2] / "cases" / "schedule.json"
RESULTS = list(checker("schedule")(PATH))


@pytest.mark.parametrize("result", RESULTS, ids=[result.id for result in RESULTS])
def test_every_published_case_is_as_expected(result: CaseResult) -> None:
    assert result.difference is None


def test_a_case_that_differs_is_named_with_both_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = json.loads(PATH.read_text("utf-8"))[0]
    case["expected_utc"][0] = "2016-03-27T00:30Z"
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([case]), "utf-8")

    assert main(["cases", "schedule", str(path)]) == 1
    output = capsys.readouterr().out
    assert output.splitlines()[-1] == "0 of 1"
    assert f"{case['id']}: expected 2016-03-27T00:30Z, " in output
    assert "got 2016-03-27T01:30Z, " in output


def test_a_case_whose_rule_is_refused_says_why(tmp_path: Path) -> None:
    case = json.loads(PATH.read_text("utf-8"))[0]
    case["rule"] |= {"unit": "hours", "interval": 5}
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([case]), "utf-8")

    (result,) = checker("schedule")(path)
    assert result.difference is not None
    assert "do not divide the day" in result.difference


def test_a_case_that_needs_newer_zone_data_says_so(tmp_path: Path) -> None:
    case = json.loads(PATH.read_text("utf-8"))[0] | {"min_tzdata": "2999a"}
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([case]), "utf-8")

    (result,) = checker("schedule")(path)
    assert result.difference is not None
    assert "needs zone data 2999a" in result.difference


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"rule": None}, "not a case: write id, zone, rule"),
        ({"expected_utc": "2026-03-27T00:30Z"}, "not a case"),
        ({"after_utc": "2026-03-27"}, "after_utc '2026-03-27' is not an instant"),
        ({"rule": {"unit": "days"}}, "refused: Say when it starts"),
        ({"zone": 9}, "refused: 9 is not a time zone"),
    ],
)
def test_a_case_of_another_shape_differs(tmp_path: Path, change: dict, difference: str) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([json.loads(PATH.read_text("utf-8"))[0] | change, 7]), "utf-8")

    first, second = checker("schedule")(path)
    assert difference in (first.difference or "")
    assert (second.id, (second.difference or "")[:10]) == ("case 2", "not a case")


@pytest.mark.parametrize(("text", "says"), [("{", "cannot be read as JSON"), ('{"id": "a"}', "write a list of cases")])
def test_a_file_that_holds_no_cases_is_refused(
    tmp_path: Path, text: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(text, "utf-8")

    assert main(["cases", "schedule", str(path)]) == 1
    assert says in capsys.readouterr().err
