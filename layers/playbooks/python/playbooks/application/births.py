"""A playbook that comes into being, whichever way: from a conversation, a chat's call or a file."""

import hashlib
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
    made_from: str = "",
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
        made_from=made_from,
    )
    return NewPlaybook(playbook, definition, saved, None if rule is None else change_rule(None, rule, now))


def fingerprint(*sent: object) -> str:
    """What tells two requests apart that carry the same key; the order of fields makes no difference."""
    return hashlib.sha256(repr(_in_order(sent)).encode("utf-8", "surrogatepass")).hexdigest()


def _in_order(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _in_order(item) for key, item in sorted(value.items(), key=lambda pair: str(pair[0]))}
    if isinstance(value, list | tuple):
        return [_in_order(item) for item in value]
    return value


def create_once(store: PlaybookStore, new: NewPlaybook) -> Playbook:
    """Write it, or answer with the one its key made before, as it is now.

    Conflict when that one was deleted (`key_used`) or made of something else (`idempotency_key_reused`).
    """
    if store.create(new):
        return new.playbook
    made = store.playbook(new.playbook.tenant, new.playbook.id)
    if made is None or made.deleted_at is not None:
        message = "This key made a playbook that was deleted since: use another key to make a new one."
        raise Conflict(message, code="key_used")
    if made.made_from != new.playbook.made_from:
        message = f"This key made another playbook ({made.id}): use a new key for what is new."
        raise Conflict(message, code="idempotency_key_reused")
    return made
