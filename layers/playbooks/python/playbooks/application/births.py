"""A playbook that comes into being, whichever way: from a conversation, a chat's call or a file."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from playbooks.domain.ids import ConversationId, PlaybookId, StepId, TenantId, UserId
from playbooks.domain.playbook import Definition, Playbook, PlaybookState, Step
from playbooks.domain.recurrence import Rule
from playbooks.domain.schedule import change_rule
from playbooks.domain.sql.saved_query import SavedQuery
from playbooks.errors import Conflict
from playbooks.ports.stores.playbooks import NewPlaybook, PlaybookStore

MAX_WARNINGS = 30


def born(
    *,
    tenant: TenantId,
    id_: PlaybookId,
    owner: UserId,
    title: str,
    steps: tuple[Step, ...],
    saved: Mapping[StepId, SavedQuery],
    rule: Rule | None,
    warnings: Sequence[str],
    language: str,
    now: datetime,
    state: PlaybookState = PlaybookState.DRAFT,
    conversation: ConversationId | None = None,
) -> NewPlaybook:
    """The playbook with its first definition, saved queries and schedule; never on: only a person switches it on."""
    definition = Definition(1, steps)
    playbook = Playbook(
        tenant=tenant,
        id=id_,
        owner=owner,
        title=title,
        state=state,
        rev=1,
        definition_version=definition.version,
        definition_hash=definition.hash,
        created_at=now,
        language=language,
        conversation=conversation,
        warnings=tuple(warnings[:MAX_WARNINGS]),
    )
    return NewPlaybook(playbook, definition, saved, None if rule is None else change_rule(None, rule, now))


def create_once(store: PlaybookStore, new: NewPlaybook) -> Playbook:
    """Write it, or answer with the one its key made before, as it is now; Conflict when that one was deleted."""
    if store.create(new):
        return new.playbook
    made = store.playbook(new.playbook.tenant, new.playbook.id)
    if made is None or made.deleted_at is not None:
        message = "This key made a playbook that was deleted since: use another key to make a new one."
        raise Conflict(message, code="key_used")
    return made
