"""A notice: a push that is owed to one person, written by the same commit as what it tells."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from playbooks.domain.ids import PlaybookId, RunId, TenantId, UserId

MAX_TRIES = 10
CLAIM_FOR = timedelta(seconds=60)


class NoticeKind(StrEnum):
    """Skipped, blocked and turned off are told as failed, with their own text: "did not run …"."""

    COMPLETED = "completed"
    STOPPED = "stopped"
    FAILED = "failed"
    NEEDS_APPROVAL = "needs_approval"


@dataclass(frozen=True, slots=True)
class Notice:
    """One owed push. `id` is unique under its owner item; the collapse key makes a second sending replace the first.

    `due` is when it is to be sent (or tried again), None once it is over; `claimed_until` keeps a second worker off.
    One given up after ten tries is neither due nor sent.
    """

    tenant: TenantId
    to: UserId
    kind: NoticeKind
    title: str
    body: str
    playbook: PlaybookId | None
    run: RunId | None
    id: str
    due: datetime | None
    claimed_until: datetime | None = None
    sent_at: datetime | None = None
    tries: int = 0

    @property
    def collapse_key(self) -> str:
        """At most 64 bytes (APNs' limit for a collapse id)."""
        return f"{self.run or self.playbook}:{self.id}"[:64]


def retry_at(notice: Notice, now: datetime) -> datetime | None:
    """When to try a throttled notice again: doubling minutes, None after ten tries."""
    if notice.tries >= MAX_TRIES:
        return None
    return now + timedelta(minutes=min(2**notice.tries, 60))
