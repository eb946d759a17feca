"""Where a step's statement comes from: a number on the list of confirmed queries, or text that must have run here."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from playbooks.domain.conversation import ConfirmedQuery
from playbooks.domain.conversion.admission import objection
from playbooks.domain.conversion.notes import note
from playbooks.domain.conversion.schema import CHAT_STEP_PROPERTIES, STEP_PROPERTIES
from playbooks.domain.sql.guard import check
from playbooks.errors import Finding


class StatementSource(Protocol):
    """How a step names its statement, and what may be kept of it."""

    @property
    def field(self) -> str:
        """The step's field."""
        ...

    @property
    def how(self) -> str:
        """How to give a statement, after "Ask the question in words;"."""
        ...

    @property
    def step_properties(self) -> Mapping[str, object]:
        """The fields a step may have."""
        ...

    def statement(self, value: object, step: int, path: str) -> str | Finding:
        """The statement verbatim, or why it is dropped; `step` counts from 1."""
        ...


class PickedByNumber:
    """`statement`: a number on the list, counted from 1; the model never writes SQL."""

    field = "statement"
    how = "pick the query by its number in `statement`"
    step_properties = STEP_PROPERTIES

    def __init__(self, kept: Sequence[ConfirmedQuery], language: str = "en") -> None:
        self._kept = kept
        self._language = language

    def statement(self, value: object, step: int, path: str) -> str | Finding:
        """The query of that number, checked once more by the guard."""
        picked = value if isinstance(value, int) and not isinstance(value, bool) else 0
        if not 1 <= picked <= len(self._kept):
            return note("statement_not_on_list", path, self._language, step=step, count=len(self._kept))
        statement = self._kept[picked - 1].statement
        verdict = check(statement)
        if verdict.allowed:
            return statement
        said, key = verdict.message, "picked_statement_refused"
        return note("statement_refused", path, self._language, text=key, step=step, said=said)


class WrittenOut:
    """`sql`: text, kept only when it equals a statement that ran here."""

    field = "sql"
    how = "a SELECT that ran in this chat belongs into `sql`"
    step_properties = CHAT_STEP_PROPERTIES

    def __init__(self, known: Collection[str], language: str = "en") -> None:
        self._known = known
        self._language = language

    def statement(self, value: object, step: int, path: str) -> str | Finding:
        """The text when it is known and one read-only SELECT."""
        if not isinstance(value, str):
            return note("invalid_sql", path, self._language, step=step)
        return objection(value, self._known, path, language=self._language) or value
