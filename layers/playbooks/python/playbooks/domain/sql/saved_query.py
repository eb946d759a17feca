"""The saved query of a step: a suggestion for the next run, and how it changes."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from playbooks.domain.sql.placeholder import Placeholder


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A statement that succeeded, with its placeholders. Immutable: a change makes the next version."""

    statement: str
    placeholders: tuple[Placeholder, ...]
    saved_at: datetime
    reused: int
    rewritten: int
    origin: str
    """`conversation <id>` or `run <id>`: where this text ran."""
    version: int


def from_conversation(statement: str, conversation_id: str, now: datetime) -> SavedQuery:
    """The first version: the statement as it ran in the chat, without placeholders."""
    return taken_over(statement, (), f"conversation {conversation_id}", now)


def taken_over(statement: str, placeholders: Sequence[Placeholder], origin: str, now: datetime) -> SavedQuery:
    """The first version of a statement that ran here before, wherever it stands now; `origin` as it is known here."""
    return SavedQuery(statement, tuple(placeholders), now, 0, 0, origin, 1)


def reused(saved: SavedQuery) -> SavedQuery:
    """After a step that ran it and left it unchanged: same version, one more reuse."""
    return replace(saved, reused=saved.reused + 1)


def rewritten(
    saved: SavedQuery | None,
    statement: str,
    placeholders: Sequence[Placeholder],
    run_id: str,
    now: datetime,
) -> SavedQuery:
    """After a step submitted another statement: the next version, its reuses counted from zero.

    The same statement with the same placeholders is no rewriting: it comes back as it was.
    """
    if saved is None:
        return SavedQuery(statement, tuple(placeholders), now, 0, 0, f"run {run_id}", 1)
    if (saved.statement, saved.placeholders) == (statement, tuple(placeholders)):
        return saved
    return SavedQuery(statement, tuple(placeholders), now, 0, saved.rewritten + 1, f"run {run_id}", saved.version + 1)


def restored(current: SavedQuery, former: SavedQuery, now: datetime) -> SavedQuery:
    """ "Go back to this one": the former text as the next version, with the origin it had."""
    return replace(former, saved_at=now, reused=0, rewritten=current.rewritten + 1, version=current.version + 1)


def difference(former: SavedQuery, current: SavedQuery) -> str:
    """What changed between two versions, as a unified diff of the statements and the placeholders; empty if nothing."""
    lines = difflib.unified_diff(
        _lines(former), _lines(current), f"version {former.version}", f"version {current.version}", lineterm=""
    )
    return "\n".join(lines)


def _lines(saved: SavedQuery) -> list[str]:
    described = (
        f"{{{{{item.name}}}}} {item.type}: {item.description} (example: {item.example})" for item in saved.placeholders
    )
    return [*saved.statement.splitlines(), *described]
