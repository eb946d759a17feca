"""No back door for unconfirmed SQL: a statement from outside is taken only when it ran here, to the letter."""

from collections.abc import Collection

from playbooks.domain.sql.guard import check
from playbooks.errors import Finding


def objection(statement: str, known: Collection[str], path: str, *, filled: str | None = None) -> Finding | None:
    """Why a statement is dropped, or None when it equals one confirmed in a conversation or submitted by a run here.

    `filled` is the statement with its placeholders' examples, which the guard reads instead.
    """
    if statement not in known:
        message = (
            "The SQL was left out: it equals no statement that ran in one of your conversations or that a run here "
            "submitted. The step writes its SQL on its first run."
        )
        return Finding("statement_not_confirmed", path, message)
    verdict = check(statement if filled is None else filled)
    if verdict.allowed:
        return None
    return Finding("statement_refused", path, f"The SQL was left out: {verdict.message}")
