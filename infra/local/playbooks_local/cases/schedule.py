"""Schedule cases: a rule, an instant, and the occurrences that must come next."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from playbooks.domain.recurrence import occurrences, parse_rule, zone_data_version
from playbooks.errors import Refused
from playbooks_local.cases import CaseResult
from playbooks_local.cases.case_file import read_list

_SHAPE = "id, zone, rule {unit, interval, start_local, weekdays}, after_utc, expected_utc [...]"


def check(path: Path) -> Iterator[CaseResult]:
    """Every case of a JSON file: `id, zone, rule{unit, interval, start_local, weekdays}, after_utc, expected_utc`.

    Refused when the file holds no list of cases; a case of another shape is one that differs.
    """
    for number, case in enumerate(read_list(path, _SHAPE), 1):
        named = case.get("id") if isinstance(case, dict) else None
        yield CaseResult(named if isinstance(named, str) else f"case {number}", _difference(case))


def _difference(case: object) -> str | None:
    match case:
        case {"zone": zone, "rule": dict(rule), "after_utc": str(after_utc), "expected_utc": [*expected], **more}:
            oldest = more.get("min_tzdata")
        case _:
            return f"not a case: write {_SHAPE}"
    if isinstance(oldest, str) and zone_data_version() < oldest:
        return f"needs zone data {oldest}, this is {zone_data_version()}"
    try:
        parsed = parse_rule(
            {("start" if name == "start_local" else name): rule[name] for name in rule} | {"zone": zone}
        )
    except Refused as refusal:
        return "refused: " + " ".join(finding.message for finding in refusal.findings)
    try:
        after = datetime.strptime(after_utc, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
    except ValueError:
        return f"after_utc {after_utc[:40]!r} is not an instant: write 2026-03-01T00:00Z"
    found = [f"{each.instant:%Y-%m-%dT%H:%MZ}" for each in occurrences(parsed, after, len(expected))]
    return None if found == expected else f"expected {', '.join(map(str, expected))}; got {', '.join(found) or 'none'}"
