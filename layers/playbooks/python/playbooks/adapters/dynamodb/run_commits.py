"""The transactions that change a run: what goes into them, what may refuse them, and knowing one's own write again."""

import uuid
from typing import Any

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import instant, pack
from playbooks.adapters.dynamodb.items import FREE, item, notice_item, run_item, text_or_missing
from playbooks.adapters.dynamodb.operations import (
    NEW,
    AllOf,
    Condition,
    Equals,
    OneOf,
    Put,
    Table,
    Update,
    Write,
)
from playbooks.adapters.dynamodb.playbook_writes import creation_writes, read_recent, recent_write, saved_query_writes
from playbooks.adapters.dynamodb.statements import statement_writes
from playbooks.adapters.dynamodb.table_readers import reader_writes
from playbooks.adapters.dynamodb.writing import CONDITION, Pause, transact
from playbooks.domain.notice import Notice
from playbooks.domain.playbook import RecentEnd
from playbooks.domain.run import Run, RunStatus
from playbooks.errors import Unavailable
from playbooks.ports.stores.faults import CorruptItem
from playbooks.ports.stores.runs import CallState, LeaseLost, OutsideCall, RunCommit

CHECKPOINTS_KEPT_DAYS = 30
MAX_TRIES = 5
OPEN = OneOf("status", tuple(status.value for status in RunStatus if not status.over))
Part = tuple[str, Write]
_DROPPABLE = frozenset({"saved_query", "recent"})
"""Parts on the playbook's items: a playbook that is gone, or changed at every try, must not undo a step."""


class RunTransactions:
    """Commits under a lease, and ends from outside (deadline, cancel)."""

    def __init__(self, table: Table, pause: Pause) -> None:
        self._table = table
        self._pause = pause

    def commit(self, commit: RunCommit) -> None:
        """All of it if the lease still owns the run; raises LeaseLost, StoreBusy or Unavailable."""
        held = commit.held
        # Every save moves `lease_until`, so a commit also names the one before it: after an answer that never came,
        # what this worker believes may be older than what is stored, and must not be written over it.
        until = instant(held.until) if held.until is not None else FREE
        mine = AllOf((OPEN, Equals("fence", held.fence), Equals("lease_id", held.id), Equals("lease_until", until)))
        parts = _parts(commit)
        if commit.step is not None:
            parts += [("reads", write) for write in reader_writes(self._table, commit.run, commit.step)]
        if not self._carry(commit.run, mine, parts):
            raise LeaseLost("Another worker owns the run now, or it is over.")

    def end(self, seen: Run, ended: Run, notice: Notice | None) -> bool:
        """End a run that nobody may have moved since it was seen; every save moves its `wake_at`."""
        as_seen = AllOf((OPEN, text_or_missing("wake_at", seen.wake_at), Equals("fence", seen.lease.fence)))
        return self._carry(ended, as_seen, [("notice", Put(notice_item(notice)))] if notice is not None else [])

    def _carry(self, run: Run, condition: Condition, more: list[Part]) -> bool:
        """Write; False when the run's own condition refused it and the stored run is not this very write."""
        write_id = uuid.uuid4().hex
        parts: list[Part] = [("run", Put(run_item(run, write_id=write_id), condition)), *more]
        if run.status.over:
            parts += [("usage", _usage_write(run)), *self._recent(run)]
        tries = 0
        while True:
            tries += 1
            try:
                reasons = transact(self._table, [write for _, write in parts], self._pause)
            except Unavailable:
                # The answer is lost, not the write: only what is stored tells.
                if self._is_stored(run, write_id):
                    return True
                raise
            if reasons is None:
                return True
            refused = {name for (name, _), reason in zip(parts, reasons, strict=True) if reason == CONDITION}
            if refused - _DROPPABLE:
                return self._is_stored(run, write_id)
            if tries >= MAX_TRIES:
                refused = set(_DROPPABLE)
            parts = [part for part in parts if part[0] not in refused]
            if "recent" in refused and tries < MAX_TRIES:
                parts += self._recent(run)

    def _is_stored(self, run: Run, write_id: str) -> bool:
        stored = self._table.get(keys.run(run.tenant, run.id))
        return stored is not None and stored.get("write_id") == write_id

    def _recent(self, run: Run) -> list[Part]:
        """The playbook's strip of last ends; left out when the playbook is gone or cannot be read."""
        if run.playbook is None or run.ended_at is None:
            return []
        stored = self._table.get(keys.playbook(run.tenant, run.playbook))
        if stored is None:
            return []
        try:
            recent = (*read_recent(stored), RecentEnd(run.id, run.status.value, run.ended_at))
        except CorruptItem:
            return []
        return [("recent", recent_write(run.tenant, run.playbook, stored, recent))]


def _parts(commit: RunCommit) -> list[Part]:
    run = commit.run
    parts: list[Part] = []
    if (checkpoint := commit.checkpoint) is not None:
        key = keys.checkpoint(run.tenant, run.id, checkpoint.step, checkpoint.number)
        expires = int(run.created_at.timestamp()) + CHECKPOINTS_KEPT_DAYS * 86_400
        parts.append(("checkpoint", Put(item(key, {**pack(checkpoint), "expires_at": expires}))))
    if commit.call is not None:
        parts.append(("call", _call_write(run, commit.call)))
    if (step := commit.step) is not None:
        parts.append(("step", Put(item(keys.step(run.tenant, run.id, step.step), pack(step)))))
    if commit.saved_query is not None and run.playbook is not None:
        query = commit.saved_query.query
        writes = saved_query_writes(run.tenant, run.playbook, commit.saved_query)
        parts += [("saved_query", write) for write in writes]
        if query.version != commit.saved_query.seen_version:  # a reused one is known already
            known = statement_writes(run.tenant, run.run_as, [(query.statement, query.origin)])
            parts += [("saved_query", write) for write in known]
    if commit.notice is not None:
        parts.append(("notice", Put(notice_item(commit.notice))))
    if commit.created is not None:
        parts += [("created", write) for write in creation_writes(commit.created)]
        origins = [(query.statement, query.origin) for query in commit.created.saved.values()]
        parts += [("created", write) for write in statement_writes(run.tenant, run.run_as, origins)]
    return parts


def _call_write(run: Run, call: OutsideCall) -> Write:
    condition: Condition = NEW if call.state is CallState.STARTED else Equals("state", CallState.STARTED.value)
    return Put(item(keys.call(run.tenant, run.id, call.step, call.id), pack(call)), condition)


def _usage_write(run: Run) -> Write:
    assert run.ended_at is not None
    added: dict[str, Any] = {
        "runs": 1,
        "input_tokens": run.usage.input_tokens,
        "output_tokens": run.usage.output_tokens,
    }
    return Update(keys.usage(run.tenant, run.run_as, f"{run.ended_at:%Y-%m}"), {"v": 1}, add=added)
