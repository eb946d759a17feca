"""The store of owed notices."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from playbooks.domain.ids import PlaybookId, RunId, TenantId
from playbooks.domain.notice import Notice


@dataclass(frozen=True, slots=True)
class NoticeRef:
    """A notice by its place: below a run or, for "turned off", below a playbook."""

    tenant: TenantId
    run: RunId | None
    playbook: PlaybookId | None
    id: str


class NoticeStore(Protocol):
    """Owed notices."""

    def notice(self, ref: NoticeRef) -> Notice | None:
        """The notice, or None."""
        ...

    def claim(self, ref: NoticeRef, now: datetime) -> Notice | None:
        """Claim it for a minute if it is owed and nobody holds it; None otherwise."""
        ...

    def settle(self, claimed: Notice, after: Notice) -> bool:
        """Write what became of a claimed notice (sent, given up, due again later) if the claim still stands."""
        ...
