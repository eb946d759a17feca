"""Schedule cases: a rule, an instant, and the occurrences that must come next."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from playbooks.domain.recurrence import occurrences, parse_rule, zone_data_version
from playbooks.errors import Refused
from playbooks_local.cases import CaseResult


def check(path: Path) -> Iterator[CaseResult]:
    """Every case of a JSON file: `id, zone, rule{unit, interval, start_local, weekdays}, after_utc, expected_utc`."""
    for case in json.loads(path.read_text("utf-8")):
        yield CaseResult(case["id"], _difference(case))


def _difference(case: dict[str, object]) -> str | None:
    oldest = case.get("min_tzdata")
    if isinstance(oldest, str) and zone_data_version() < oldest:
        return f"needs zone data {oldest}, this is {zone_data_version()}"
    rule = dict(cast("dict[str, object]", case["rule"]))
    rule["start"] = rule.pop("start_local")
    expected = cast("list[str]", case["expected_utc"])
    try:
        parsed = parse_rule({**rule, "zone": case["zone"]})
    except Refused as refusal:
        return "refused: " + " ".join(finding.message for finding in refusal.findings)
    after = datetime.strptime(str(case["after_utc"]), "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
    found = [f"{each.instant:%Y-%m-%dT%H:%MZ}" for each in occurrences(parsed, after, len(expected))]
    return None if found == expected else f"expected {', '.join(expected)}; got {', '.join(found) or 'none'}"
