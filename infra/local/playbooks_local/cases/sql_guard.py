"""Cases of the SQL guard: `{id, sql, verdict: allow | refuse, layer: guard | server | trust}`.

Refusals of the layers "server" and "trust" are not the guard's to give: those statements pass it and are held by
the connection's limits, or by the rights of the role. Valid statements that the pinned reader of SQL cannot read are
refused with that reason; those that are known are named here.
"""

from collections.abc import Iterator
from pathlib import Path

from playbooks.domain.sql.guard import check as guard
from playbooks_local.cases import CaseResult
from playbooks_local.cases.case_file import read_cases

UNREADABLE = frozenset(
    {
        *("json_value", "join_using_alias", "order_using_op", "num_underscore", "geo_ops", "typed_literal_ext"),
        *("collation_for", "json_object_text", "json_arrayagg_returning", "at_local", "xmlserialize"),
    }
)
"""Ids of valid statements that are refused because sqlglot cannot read them (`xmlserialize` meets the list of functions
first)."""
_UNREAD = ("syntax", "ambiguous", "function")


def check(path: Path) -> Iterator[CaseResult]:
    """Run a file's cases through the guard."""
    for case in read_cases(path, ("id", "sql", "verdict", "layer")):
        verdict = guard(case["sql"])
        expected = case["verdict"] == "allow" or case["layer"] != "guard"
        difference = None
        if verdict.allowed != expected:
            difference = f"expected {'allow' if expected else 'refuse'}, got {verdict.code}: {verdict.message}"
        known = expected and case["id"] in UNREADABLE and verdict.code in _UNREAD
        yield CaseResult(case["id"], difference, known=known and difference is not None)
