"""The wake index: what must be looked at, sharded by the time it is due. A hint that may be stale."""

from dataclasses import dataclass

from playbooks.domain.ids import PlaybookId, RunId, TenantId
from playbooks.ports.stores.notices import NoticeRef

SHARDS = 16


@dataclass(frozen=True, slots=True)
class ScheduleRef:
    """A schedule as the wake index names it: a hint that may be stale."""

    tenant: TenantId
    playbook: PlaybookId


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a shard of the wake index; `after` is where the next one starts, None at the end."""

    schedules: tuple[ScheduleRef, ...] = ()
    runs: tuple[tuple[TenantId, RunId], ...] = ()
    notices: tuple[NoticeRef, ...] = ()
    after: object = None
