"""Import a chat record and show what would be kept of it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from playbooks.application.artifact_keys import conversation_key
from playbooks.application.executors import executor_tools
from playbooks.application.identity import Caller
from playbooks.domain.conversation import (
    SEVERAL,
    Collected,
    Conversation,
    ConversationListing,
    collect,
    list_conversations,
    read_conversation,
)
from playbooks.domain.ids import ConversationId, derive
from playbooks.errors import NotFound, Refused
from playbooks.ports.artifacts import Artifacts
from playbooks.ports.clock import Clock
from playbooks.ports.directory import Workspace
from playbooks.ports.stores.people import ConversationRecord, ConversationStore

MAX_TITLE = 120


@dataclass(frozen=True)
class Conversations:
    """Records of one installation."""

    store: ConversationStore
    artifacts: Artifacts
    clock: Clock
    workspace: Workspace

    def receive(self, caller: Caller, data: bytes, *, pick: str | None = None) -> "Shown | Archive":
        """Import a record, or list what is in it when it holds several conversations and none was picked."""
        try:
            return self.save(caller, data, pick=pick)
        except Refused as refused:
            if refused.code != SEVERAL:
                raise
        return Archive(list_conversations(data, executor_tools(self.workspace, caller.tenant)))

    def save(self, caller: Caller, data: bytes, *, pick: str | None = None) -> "Shown":
        """Import a record. The same bytes are the same conversation, however often they come.

        What it confirms is known from then on, so that a chat's call or a file may carry it. Refused
        (`several_conversations`, `unknown_conversation`, `not_a_conversation`, `too_large`) with what helps.
        """
        conversation = read_conversation(data, pick=pick)
        collected = collect(conversation, executor_tools(self.workspace, caller.tenant))
        content = hashlib.sha256(data).hexdigest()
        id_ = ConversationId(derive("v", caller.tenant, caller.user, pick or "", content))
        key = conversation_key(caller.tenant, caller.user, id_)
        size = self.artifacts.put(key, [data], "application/json")
        record = ConversationRecord(
            tenant=caller.tenant,
            user=caller.user,
            id=id_,
            title=_title(conversation),
            format=conversation.format,
            key=key,
            size=size,
            imported_at=self.clock.now(),
            kept=len(collected.kept),
            can_convert=collected.used_tools,
            pick=pick or "",
        )
        self.store.save(record, [query.statement for query in collected.kept])
        return Shown(record, conversation, collected)

    def show(self, caller: Caller, conversation: ConversationId) -> "Shown":
        """An imported record with what would be kept and dropped; NotFound when it is not the caller's."""
        record = self.store.conversation(caller.tenant, caller.user, conversation)
        if record is None:
            raise NotFound("There is no such conversation, or it is not yours.")
        return self.read(record)

    def read(self, record: ConversationRecord) -> "Shown":
        """A stored record, read again."""
        data = b"".join(self.artifacts.get(record.key))
        conversation = read_conversation(data, pick=record.pick or None)
        return Shown(record, conversation, collect(conversation, executor_tools(self.workspace, record.tenant)))


@dataclass(frozen=True, slots=True)
class Archive:
    """Several conversations in one record, newest first: nothing was imported, one of them is to be picked."""

    conversations: tuple[ConversationListing, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A record with what is in it."""

    record: ConversationRecord
    conversation: Conversation
    collected: Collected

    @property
    def why_not(self) -> str:
        """Why it cannot be converted, or empty."""
        return "" if self.collected.used_tools else NOTHING

    def require_convertible(self) -> None:
        """Refused with `nothing_to_convert` when no tool was used in it."""
        if self.why_not:
            raise Refused(self.why_not, code="nothing_to_convert")


NOTHING = (
    "No tool was used in this conversation, so there is nothing to repeat: ask a database in the chat first, then "
    "convert it."
)


def _title(conversation: Conversation) -> str:
    texts: Sequence[str] = [turn.text for turn in conversation.turns if turn.text.strip()]
    title = conversation.title or (texts[0] if texts else "Conversation")
    return " ".join(title.split())[:MAX_TITLE]
