"""No back door for unconfirmed SQL: a statement from outside is taken only when it ran here, to the letter."""

from collections.abc import Collection

from playbooks.domain.conversion.notes import note
from playbooks.domain.sql.guard import check
from playbooks.errors import Finding


def objection(
    statement: str, known: Collection[str], path: str, *, filled: str | None = None, language: str = "en"
) -> Finding | None:
    """Why a statement is dropped, or None when it equals one confirmed in a conversation or submitted by a run here.

    `filled` is the statement with its placeholders' examples, which the guard reads instead.
    """
    if statement not in known:
        return note("statement_not_confirmed", path, language)
    verdict = check(statement if filled is None else filled)
    if verdict.allowed:
        return None
    return note("statement_refused", path, language, said=verdict.message)
