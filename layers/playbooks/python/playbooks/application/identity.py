"""Who calls: only ever from verified claims."""

from dataclasses import dataclass

from playbooks.domain.ids import PlaybookId, TenantId, UserId
from playbooks.domain.playbook import Playbook, PlaybookState
from playbooks.errors import Conflict, NotFound
from playbooks.ports.stores.playbooks import PlaybookStore


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


def owned_off(store: PlaybookStore, caller: Caller, playbook: PlaybookId, rev: int) -> Playbook:
    """The caller's own playbook to be changed: off, and at the `rev` that was loaded; Conflict when it is not."""
    found = owned(store, caller, playbook)
    if found.state is PlaybookState.ON:
        raise Conflict(
            "The playbook is on, so it cannot be changed: switch it off, change it, and switch it on again.",
            code="playbook_is_on",
        )
    if found.rev != rev:
        raise Conflict("The playbook was changed meanwhile: load it again and repeat the change.", code="changed")
    return found
