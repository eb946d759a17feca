"""What is written of a playbook beside its own changes: its birth, saved queries, the last ends of its runs.

Writing a saved query needs no SQL rooms, so the scheduler can load this and stay light; reading one back does.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import pack
from playbooks.adapters.dynamodb.items import definition_item, item, playbook_item, read_playbook, schedule_item
from playbooks.adapters.dynamodb.operations import (
    NEW,
    THERE,
    AllOf,
    Condition,
    Delete,
    Equals,
    Item,
    Missing,
    Put,
    Update,
    Write,
)
from playbooks.domain.ids import PlaybookId, StepId, TenantId
from playbooks.domain.playbook import RecentEnd
from playbooks.ports.stores.playbooks import NewPlaybook, SavedQueryChange

if TYPE_CHECKING:
    from playbooks.domain.sql.saved_query import SavedQuery

RECENT = 10
FORMER_KEPT = 50
"""Former versions of a saved query that a step keeps."""


def creation_writes(new: NewPlaybook) -> list[Write]:
    """Everything a playbook is born with; refused as a whole when its id exists."""
    tenant, id_, owner = new.playbook.tenant, new.playbook.id, new.playbook.owner
    writes: list[Write] = [
        Put(playbook_item(new.playbook), NEW),
        Put(item(keys.user_playbook(tenant, owner, id_), {})),
        Put(definition_item(tenant, id_, new.definition)),
    ]
    writes += [Put(saved_query_item(tenant, id_, step, query)) for step, query in new.saved.items()]
    if new.schedule is not None:
        writes.append(Put(schedule_item(tenant, id_, new.schedule)))
    return writes


def saved_query_item(tenant: TenantId, playbook: PlaybookId, step: StepId, query: "SavedQuery") -> Item:
    """A saved query as its item. Placeholders travel as JSON text: an example may be any number."""
    attributes = pack(query)
    attributes["placeholders"] = json.dumps(
        [
            {"name": p.name, "type": p.type.value, "description": p.description, "example": p.example}
            for p in query.placeholders
        ],
        ensure_ascii=False,
    )
    return item(keys.saved_query(tenant, playbook, step), attributes)


def saved_query_writes(tenant: TenantId, playbook: PlaybookId, change: SavedQueryChange) -> list[Write]:
    """The saved query for next time over the version that was read; one that moves on leaves the former behind.

    Only the first write is conditional, so it alone decides. The versions a step keeps are bounded: each new one
    drops the one that is `FORMER_KEPT` older.
    """
    step, former = change.step_id, change.former
    as_read: Condition = NEW if change.seen_version is None else Equals("version", change.seen_version)
    writes: list[Write] = [Put(saved_query_item(tenant, playbook, step, change.query), as_read)]
    if former is not None:
        key = keys.saved_query_version(tenant, playbook, step, former.version)
        writes.append(Put(saved_query_item(tenant, playbook, step, former) | {"PK": key[0], "SK": key[1]}))
        if former.version > FORMER_KEPT:
            oldest = former.version - FORMER_KEPT
            writes.append(Delete(keys.saved_query_version(tenant, playbook, step, oldest)))
    return writes


def read_recent(stored: Mapping[str, Any]) -> tuple[RecentEnd, ...]:
    """The last ends on a stored playbook."""
    return read_playbook(stored).recent


def recent_write(tenant: TenantId, playbook: PlaybookId, stored: Item, recent: Sequence[RecentEnd]) -> Write:
    """Set the last ten ends if nobody else did since they were read."""
    seen = stored.get("recent_count", 0)
    condition = AllOf((THERE, Equals("recent_count", seen) if seen else Missing("recent_count")))
    ends = [pack(end) for end in recent[-RECENT:]]
    return Update(keys.playbook(tenant, playbook), {"recent": ends}, add={"recent_count": 1}, condition=condition)
