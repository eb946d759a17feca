"""The store of runs with their steps, checkpoints and outside calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from playbooks.domain.ids import PlaybookId, RunId, StepId, TenantId
from playbooks.domain.notice import Notice
from playbooks.domain.run import Lease, Run
from playbooks.errors import PlaybooksError
from playbooks.ports.stores.playbooks import NewPlaybook, SavedQueryChange
from playbooks.ports.stores.wake_index import Page


class LeaseLost(PlaybooksError):
    """Raised when a commit carried an old fence: another worker owns the run, or it is over. Stop, say nothing."""

    code = "lease_lost"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One model answer, or the results of its tool calls, of a step; `number` counts from 0 and alternates."""

    step: int
    number: int
    body: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ExecutedQuery:
    """A statement as it ran, for the run log: by whom stands on the run."""

    statement: str
    database: str
    role: str
    suggested: bool
    ok: bool
    rows: int
    milliseconds: int
    dataset: str = ""
    cut: str = ""
    error: str = ""
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredDataset:
    """Where a dataset lies; `columns` are name and type, `preview` its first rows as JSON text.

    A result may have 1,664 columns and a step's log is one item: `columns` are the first ones, `columns_left_off` says
    how many more the dataset's file has.

    `summary` is each column at a glance, as JSON text: nulls, distinct values, least, greatest, total, most frequent.
    """

    name: str
    key: str
    rows: int
    size: int
    columns: tuple[tuple[str, str], ...]
    preview: str = ""
    cut: str = ""
    summary: str = ""
    columns_left_off: int = 0


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """Where a document lies and what it is called."""

    name: str
    key: str
    size: int
    content_type: str


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step left behind."""

    step: int
    step_id: StepId
    kind: str
    outcome: str
    summary: str
    ended_at: datetime
    text: str = ""
    queries: tuple[ExecutedQuery, ...] = ()
    datasets: tuple[StoredDataset, ...] = ()
    documents: tuple[StoredDocument, ...] = ()
    saved_query: str = ""
    notes: tuple[str, ...] = ()


class CallState(StrEnum):
    """Where a call of an outside tool stands. Started and never done: nobody knows whether it happened."""

    STARTED = "started"
    DONE = "done"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OutsideCall:
    """One call that changes something outside, in the ledger of its run.

    `id` is the tool use's of the saved answer; `key` goes to the tool when it takes an idempotency key.
    """

    step: int
    id: str
    tool: str
    arguments_hash: str
    key: str
    state: CallState
    started_at: datetime
    ended_at: datetime | None = None
    result: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class RunCommit:
    """One transaction of a run: the run as it is to be, if the lease in hand still owns it, and what goes with it.

    A `call` that starts must be new to the ledger; one that ends must be there as started.
    """

    run: Run
    held: Lease
    checkpoint: Checkpoint | None = None
    call: OutsideCall | None = None
    step: StepResult | None = None
    saved_query: SavedQueryChange | None = None
    notice: Notice | None = None
    created: NewPlaybook | None = None


class RunStore(Protocol):
    """Runs with their steps and checkpoints."""

    def run(self, tenant: TenantId, run: RunId) -> Run | None:
        """The run, consistently read."""
        ...

    def load(self, refs: Sequence[tuple[TenantId, RunId]]) -> Mapping[RunId, Run]:
        """The runs that are there, read in batches; one that cannot be read back is left out and named in the log."""
        ...

    def create(self, run: Run) -> bool:
        """Create the run if its id is new; False when it exists already."""
        ...

    def lease(self, seen: Run, leased: Run, now: datetime) -> bool:
        """Take the lease if the run is free and at the fence that was seen; one's own lost answer counts as won."""
        ...

    def commit(self, commit: RunCommit) -> None:
        """All of it in one transaction; raises LeaseLost or StoreBusy. Only the fence refuses it:

        parts on the playbook's items are left out when the playbook is gone, a saved query when its version moved.
        """
        ...

    def cancel(self, run: Run) -> bool:
        """Write the cancelled run (fence + 1) if it is not over yet and nobody leased it meanwhile."""
        ...

    def ring(self, seen: Run, rung: Run) -> bool:
        """Move `wake_at` and the ring count if they are as seen and the run is not over."""
        ...

    def expire(self, seen: Run, ended: Run, notice: Notice | None) -> bool:
        """End a run past its deadline if fence and `wake_at` are as seen; False when it moved or is over."""
        ...

    def steps(self, tenant: TenantId, run: RunId) -> Sequence[StepResult]:
        """The results of the steps that are over, in order."""
        ...

    def checkpoints(self, tenant: TenantId, run: RunId, step: int) -> Sequence[Checkpoint]:
        """The checkpoints of one step, in order."""
        ...

    def call(self, tenant: TenantId, run: RunId, step: int, call_id: str) -> OutsideCall | None:
        """What the ledger says of a call, or None when it was never begun."""
        ...

    def of_playbook(
        self, tenant: TenantId, playbook: PlaybookId, limit: int, after: str | None = None
    ) -> tuple[Sequence[Run], str | None]:
        """The playbook's runs, newest first, and a cursor for more; one that cannot be read back is left out."""
        ...

    def due_work(self, shard: int, until: datetime, after: object = None) -> Page:
        """One page of runs and notices that must be looked at, earliest first."""
        ...
