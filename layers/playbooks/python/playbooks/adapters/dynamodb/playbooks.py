"""The playbooks with their definitions, saved queries and schedules."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import fault_name, instant, unpack
from playbooks.adapters.dynamodb.items import (
    definition_item,
    read_definition,
    read_playbook,
    read_schedule,
    run_item,
    schedule_as_seen,
    schedule_item,
)
from playbooks.adapters.dynamodb.operations import (
    MAX_TRANSACTION,
    NEW,
    Delete,
    Equals,
    Item,
    Put,
    Table,
    Update,
    Write,
)
from playbooks.adapters.dynamodb.playbook_writes import creation_writes, saved_query_writes
from playbooks.adapters.dynamodb.writing import CONDITION, Pause, transact
from playbooks.domain.ids import PlaybookId, StepId, TenantId, UserId
from playbooks.domain.playbook import Definition, Playbook
from playbooks.domain.run import Run
from playbooks.domain.schedule import Schedule
from playbooks.domain.sql.placeholder import parse_placeholders
from playbooks.domain.sql.saved_query import SavedQuery
from playbooks.errors import Conflict, Refused, Unavailable
from playbooks.ports.stores.faults import CorruptItem, StoreBusy
from playbooks.ports.stores.playbooks import NewPlaybook, RowExists, SavedQueryChange


class DynamoPlaybooks:
    """`PlaybookStore` on the table."""

    def __init__(self, table: Table, pause: Pause) -> None:
        self._table = table
        self._pause = pause

    def playbook(self, tenant: TenantId, playbook: PlaybookId) -> Playbook | None:
        stored = self._table.get(keys.playbook(tenant, playbook))
        return read_playbook(stored) if stored is not None else None

    def definition(self, tenant: TenantId, playbook: PlaybookId, version: int) -> Definition | None:
        stored = self._table.get(keys.definition(tenant, playbook, version))
        return read_definition(stored) if stored is not None else None

    def schedule(self, tenant: TenantId, playbook: PlaybookId) -> Schedule | None:
        stored = self._table.get(keys.schedule(tenant, playbook))
        return read_schedule(stored) if stored is not None else None

    def saved_queries(self, tenant: TenantId, playbook: PlaybookId) -> Mapping[StepId, SavedQuery]:
        found, _ = self._table.query(keys.playbook_partition(tenant, playbook), prefix=keys.SAVED_QUERIES)
        return {
            StepId(str(stored["SK"]).removeprefix(keys.SAVED_QUERIES)): read_saved_query(stored) for stored in found
        }

    def former_queries(self, tenant: TenantId, playbook: PlaybookId, step: StepId) -> Sequence[SavedQuery]:
        live = self._table.get(keys.saved_query(tenant, playbook, step))
        if live is None:
            return []
        found = self._former(tenant, playbook, step)
        # What was forgotten may not be deleted yet; a step of the same name counts its versions from one again.
        former = [read_saved_query(stored) for stored in found]
        now = read_saved_query(live).version
        return [query for query in reversed(former) if query.version < now]

    def _former(self, tenant: TenantId, playbook: PlaybookId, step: StepId) -> list[Item]:
        prefix = keys.saved_query_versions(step)
        return self._table.query(keys.playbook_partition(tenant, playbook), prefix=prefix)[0]

    def of_user(self, tenant: TenantId, user: UserId) -> Sequence[Playbook]:
        pointers, _ = self._table.query(keys.user_partition(tenant, user), prefix=keys.USER_PLAYBOOKS)
        wanted = [
            keys.playbook(tenant, PlaybookId(str(pointer["SK"]).removeprefix(keys.USER_PLAYBOOKS)))
            for pointer in pointers
        ]
        found = self._table.batch_get(wanted) if wanted else {}
        playbooks = [read_playbook(found[key]) for key in wanted if key in found]
        alive = [playbook for playbook in playbooks if playbook.deleted_at is None]
        return sorted(alive, key=lambda playbook: playbook.created_at, reverse=True)

    def create(self, new: NewPlaybook) -> bool:
        return transact(self._table, creation_writes(new), self._pause) is None

    def save(
        self,
        playbook: Playbook,
        *,
        seen_rev: int,
        definition: Definition | None = None,
        schedule: Schedule | None = None,
        seen_schedule: Schedule | None = None,
        forget: Sequence[StepId] = (),
        saved_query: SavedQueryChange | None = None,
        row: Run | None = None,
    ) -> None:
        tenant, id_ = playbook.tenant, playbook.id
        writes: list[Write] = [_change_write(playbook, seen_rev)]
        if definition is not None:
            writes.append(Put(definition_item(tenant, id_, definition)))
        if schedule is not None:
            as_seen = NEW if seen_schedule is None else schedule_as_seen(seen_schedule)
            writes.append(Put(schedule_item(tenant, id_, schedule), as_seen))
        writes += [Delete(keys.saved_query(tenant, id_, step)) for step in forget]
        if saved_query is not None:
            writes += saved_query_writes(tenant, id_, saved_query)
        if playbook.deleted_at is not None:
            writes.append(Delete(keys.user_playbook(tenant, playbook.owner, id_)))
        if row is not None:
            writes.append(Put(run_item(row), NEW))
        reasons = transact(self._table, writes, self._pause)
        if reasons is not None:
            if row is not None and CONDITION not in reasons[:-1]:
                raise RowExists("The occurrence has its run already.")
            raise Conflict("The playbook was changed meanwhile: load it again and repeat the change.", code="changed")
        self._forget_former(tenant, id_, forget)

    def _forget_former(self, tenant: TenantId, playbook: PlaybookId, steps: Sequence[StepId]) -> None:
        """Delete the history of steps whose saved query is gone; more than one transaction can hold.

        What cannot be deleted now is never shown again, so the change that is made already does not fail for it.
        """
        partition = keys.playbook_partition(tenant, playbook)
        for step in steps:
            gone: list[Write] = [Delete((partition, str(it["SK"]))) for it in self._former(tenant, playbook, step)]
            with contextlib.suppress(StoreBusy, Unavailable):
                for start in range(0, len(gone), MAX_TRANSACTION):
                    transact(self._table, gone[start : start + MAX_TRANSACTION], self._pause)


def read_saved_query(stored: Mapping[str, Any]) -> SavedQuery:
    """The inverse of `saved_query_item`."""
    try:
        placeholders = parse_placeholders(json.loads(stored.get("placeholders", "[]")))
    except (Refused, ValueError) as error:
        raise CorruptItem(
            f"The placeholders of {stored.get('PK')} {stored.get('SK')} cannot be read ({fault_name(error)})."
        ) from error
    rest = {name: value for name, value in stored.items() if name != "placeholders"}
    query = unpack(SavedQuery, {**rest, "placeholders": []})
    return SavedQuery(
        statement=query.statement,
        placeholders=placeholders,
        saved_at=query.saved_at,
        reused=query.reused,
        rewritten=query.rewritten,
        origin=query.origin,
        version=query.version,
    )


def _change_write(playbook: Playbook, seen_rev: int) -> Write:
    change: dict[str, object] = {
        "title": playbook.title,
        "owner": playbook.owner,
        "state": playbook.state.value,
        "rev": playbook.rev,
        "definition_version": playbook.definition_version,
        "definition_hash": playbook.definition_hash,
        "language": playbook.language,
        "off_reason": playbook.off_reason,
        "off_at": instant(playbook.off_at) if playbook.off_at else None,
        "deleted_at": instant(playbook.deleted_at) if playbook.deleted_at else None,
        "warnings": list(playbook.warnings),
    }
    return Update(keys.playbook(playbook.tenant, playbook.id), change, condition=Equals("rev", seen_rev))
