"""Ask for a spec until it can be read, a bounded number of times, and never go on without the filter."""

from collections.abc import Callable

from playbooks.errors import Finding
from playbooks.query_spec.errors import QuerySpecError
from playbooks.query_spec.tree import Query

REPAIRS = 2
"""How often a model may mend its spec: all findings are given at once, so one repair is usually enough."""


def ask_until_read(
    ask: Callable[[tuple[Finding, ...]], object],
    read: Callable[[object], Query],
    *,
    repairs: int = REPAIRS,
) -> Query:
    """Call `ask` without findings, then with those of its last answer; `read` is `interpret_wire` or `interpret`
    with its catalogue. Raises the last QuerySpecError when the repairs are used up: the caller must then say so, and
    not search without a filter."""
    findings: tuple[Finding, ...] = ()
    for _ in range(repairs):
        try:
            return read(ask(findings))
        except QuerySpecError as error:
            findings = error.findings
    return read(ask(findings))
