"""Cases of the SQL guard: `{id, sql, verdict: allow | refuse, layer: guard | server | trust}`.

Refusals of the layers "server" and "trust" are not the guard's to give: those statements pass it and are held by
the connection's limits, or by the rights of the role.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from playbooks.domain.sql.guard import check as guard
from playbooks_local.cases import CaseResult


def check(path: Path) -> Iterator[CaseResult]:
    """Run a file's cases through the guard."""
    for case in json.loads(path.read_text(encoding="utf-8")):
        verdict = guard(case["sql"])
        expected = case["verdict"] == "allow" or case["layer"] != "guard"
        difference = None
        if verdict.allowed != expected:
            difference = f"expected {'allow' if expected else 'refuse'}, got {verdict.code}: {verdict.message}"
        yield CaseResult(case["id"], difference)
