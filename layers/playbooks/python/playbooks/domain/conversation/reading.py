"""Bytes to one conversation, or to the list of those an archive holds."""

from dataclasses import replace

from playbooks.domain.conversation.confirmed import collect
from playbooks.domain.conversation.detect import UNDERSTOOD, detect
from playbooks.domain.conversation.executors import ExecutorTools
from playbooks.domain.conversation.json_record import open_record
from playbooks.domain.conversation.model import Conversation, ConversationListing
from playbooks.errors import Finding, Refused

MAX_LISTED = 2_000
SEVERAL = "several_conversations"
"""The code of a record with several conversations when none was picked."""


def read_conversation(data: bytes, *, pick: str | None = None) -> Conversation:
    """The conversation a record holds, its format detected from the content.

    `pick` is the id of one conversation of an archive. Raises Refused: `not_a_conversation`, `several_conversations`
    (the findings allow the ids), `unknown_conversation` for a `pick` that is not there, `too_large`.
    """
    record = open_record(data)
    reader = detect(record)
    ids: list[str] = []
    first: Conversation | None = None
    for conversation in reader.read(record):
        if pick is not None and conversation.id == pick:
            return _checked(conversation)
        first = first or conversation
        ids.append(conversation.id or "")
        if pick is None and len(ids) > MAX_LISTED:
            break
    if first is None:
        raise Refused(f"The record holds no conversation. {UNDERSTOOD}", code="not_a_conversation")
    known = tuple(identifier for identifier in ids if identifier)[:MAX_LISTED]
    if len(ids) > 1 and pick is None:
        message = f"The archive holds {len(ids)} conversations: pick one by its id."
        raise Refused(message, [Finding(SEVERAL, "", message, known)], code=SEVERAL)
    if pick is not None and not (len(ids) == 1 and first.id is None):
        message = f"The record holds no conversation with the id {pick[:100]!r}: list the archive to see its ids."
        raise Refused(message, [Finding("unknown_conversation", "", message, known)], code="unknown_conversation")
    return _checked(first)


def _checked(conversation: Conversation) -> Conversation:
    if conversation.turns:
        return conversation
    problems = conversation.problems
    raise Refused(
        "The record holds no message that could be read."
        + (f" First of {len(problems)} problems: {problems[0].message}" if problems else ""),
        problems,
        code="not_a_conversation",
    )


def list_conversations(data: bytes, tools: ExecutorTools | None = None) -> tuple[ConversationListing, ...]:
    """Every conversation of a record, newest first where times are known; the id is "" where the format has none.

    Raises Refused as `read_conversation` does, apart from `several_conversations`.
    """
    record = open_record(data)
    listings: list[ConversationListing] = []
    reader = detect(record)
    for conversation in reader.read(record):
        if len(listings) >= MAX_LISTED:
            break
        times = [turn.at for turn in conversation.turns if turn.at is not None]
        listings.append(
            ConversationListing(
                conversation.format,
                conversation.id or "",
                conversation.title,
                min(times, default=None),
                max(times, default=None),
                len(collect(replace(conversation, left_out=()), tools).kept),
            )
        )
    return tuple(
        sorted(listings, key=lambda item: item.updated_at.timestamp() if item.updated_at else 0.0, reverse=True)
    )
