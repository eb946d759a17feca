"""The stores of people's things: conversations, statements known of them, phones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from playbooks.domain.ids import ConversationId, TenantId, UserId
from playbooks.ports.push import Device


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """An imported record; its bytes lie in object storage under `key`."""

    tenant: TenantId
    user: UserId
    id: ConversationId
    title: str
    format: str
    key: str
    size: int
    imported_at: datetime
    kept: int
    can_convert: bool
    pick: str = ""


class ConversationStore(Protocol):
    """Imported conversations of a user."""

    def save(self, record: ConversationRecord, confirmed: Collection[str]) -> None:
        """Save it (again: the id is derived from what was sent, so the same record is the same item).

        The statements it confirmed are known from then on: record and statements are written together.
        """
        ...

    def conversation(self, tenant: TenantId, user: UserId, conversation: ConversationId) -> ConversationRecord | None:
        """The user's record, or None."""
        ...


class StatementStore(Protocol):
    """The statements known here of a user: confirmed in an imported conversation, or submitted by a run.

    A statement from outside (a chat's call, a file) is taken only when it is one of them, to the letter. Each is one
    item that holds where the text ran and, as its key, the SHA-256 of the text, not the text: nothing to leak. Items
    are written in the transaction of what makes the statement known (the import, the conversion's playbook, the step
    that submitted it) and never change or go, so there is nothing to race for, and a look-up reads as many items as
    it was asked about.
    """

    def known(self, tenant: TenantId, user: UserId, statements: Collection[str]) -> Mapping[str, str]:
        """Those of the statements that are known, each with where it ran: `conversation <id>` or `run <id>`."""
        ...


class DeviceStore(Protocol):
    """Phones; a token has one owner."""

    def register(self, device: Device) -> None:
        """Make the user the token's one owner; a former owner's device goes in the same transaction."""
        ...

    def of_user(self, tenant: TenantId, user: UserId) -> Sequence[Device]:
        """The user's devices."""
        ...

    def deactivate(self, device: Device) -> None:
        """Set the device inactive if it still has that endpoint."""
        ...
