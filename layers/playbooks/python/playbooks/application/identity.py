"""Who calls: only ever from verified claims."""

from dataclasses import dataclass

from playbooks.domain.ids import PlaybookId, TenantId, UserId
from playbooks.domain.playbook import Playbook
from playbooks.errors import NotFound
from playbooks.ports.stores import PlaybookStore


@dataclass(frozen=True, slots=True)
class Caller:
    """The person behind a request."""

    tenant: TenantId
    user: UserId


def owned(store: PlaybookStore, caller: Caller, playbook: PlaybookId) -> Playbook:
    """The caller's own playbook; one that is not theirs looks like one that is not there."""
    found = store.playbook(caller.tenant, playbook)
    if found is None or found.deleted_at is not None or found.owner != caller.user:
        raise NotFound("There is no such playbook, or it is not yours.")
    return found
