"""Cases of submitted statements: `{id, statement, placeholders, verdict, rendered?}`.

`refuse-at-run` is accepted at submission: only the server can refuse it. `rendered` is the statement filled with
the examples. An example `{"float": "nan"}` stands for the float JSON cannot write.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from playbooks.domain.sql.placeholders import check_submission, parse_placeholders, render
from playbooks.errors import Refused
from playbooks_local.cases import CaseResult
from playbooks_local.cases.case_file import read_cases


def check(path: Path) -> Iterator[CaseResult]:
    """Run a file's cases through the checks at submission, and compare what is rendered."""
    for case in read_cases(path, ("id", "statement", "placeholders", "verdict")):
        yield CaseResult(case["id"], _difference(case))


def _difference(case: Mapping[str, object]) -> str | None:
    statement, raw = str(case["statement"]), case["placeholders"]
    assert isinstance(raw, list)
    try:
        placeholders = parse_placeholders([_decoded(item) for item in raw])
        findings = check_submission(statement, placeholders)
    except Refused as refused:
        placeholders, findings = (), refused.findings
    expected = case["verdict"] != "refuse"
    if expected == bool(findings):
        said = "; ".join(finding.message for finding in findings) or "accepted"
        return f"expected {case['verdict']}, got {said}"
    if expected and "rendered" in case:
        filled = render(statement, placeholders, {item.name: item.example for item in placeholders})
        if filled != case["rendered"]:
            return f"rendered {filled!r}, expected {case['rendered']!r}"
    return None


def _decoded(item: Mapping[str, object]) -> dict[str, object]:
    example = item.get("example")
    if isinstance(example, Mapping) and set(example) == {"float"}:
        return {**item, "example": float(str(example["float"]))}
    return dict(item)
