"""The stores: what is kept, and the conditions under which it may change.

Every method takes the tenant (inside the value or the key) first. A write either happens wholly or not at all.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from playbooks.domain.ids import ConversationId, PlaybookId, RunId, StepId, TenantId, UserId
from playbooks.domain.notice import Notice
from playbooks.domain.playbook import Definition, Playbook
from playbooks.domain.run import Lease, Run
from playbooks.domain.schedule import Schedule
from playbooks.errors import PlaybooksError
from playbooks.ports.push import Device

if TYPE_CHECKING:
    # Not at run time: the scheduler reads schedules and runs, and must not load the SQL rooms for it.
    from playbooks.domain.sql.saved_query import SavedQuery

SHARDS = 16


class LeaseLost(PlaybooksError):
    """Raised when a commit carried an old fence: another worker owns the run, or it is over. Stop, say nothing."""

    code = "lease_lost"


class StoreBusy(PlaybooksError):
    """Raised when the store throttles or a transaction conflicts after all retries; the wake index comes back."""

    code = "store_busy"
    retryable = True
    loggable = True


class CorruptItem(PlaybooksError):
    """Raised when a stored item cannot be read back; it is named, and the others go on."""

    code = "corrupt_item"
    loggable = True


# --- the schedules and the tick -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScheduleRef:
    """A schedule as the wake index names it: a hint that may be stale."""

    tenant: TenantId
    playbook: PlaybookId


@dataclass(frozen=True, slots=True)
class DueSchedule:
    """What the claim decision needs, read in a batch. A part that is missing or unreadable says so in `problem`."""

    ref: ScheduleRef
    schedule: Schedule | None = None
    playbook: Playbook | None = None
    definition: Definition | None = None
    last_run: Run | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ZoneProgress:
    """How far the recomputation under a version of the zone data has come.

    `after` is the place in the shard, as the store understands it; `shard` is SHARDS when all are done.
    """

    version: str = ""
    shard: int = 0
    after: str = ""

    @property
    def over(self) -> bool:
        """Every schedule that was on has been looked at."""
        return self.shard >= SHARDS


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a shard of the wake index; `after` is where the next one starts, None at the end."""

    schedules: tuple[ScheduleRef, ...] = ()
    runs: tuple[tuple[TenantId, RunId], ...] = ()
    notices: tuple["NoticeRef", ...] = ()
    after: object = None


@dataclass(frozen=True, slots=True)
class ScheduleMove:
    """One decision to commit: the schedule moves on from what was seen, and a run is created with it.

    A claim's run is queued; a skip's or block's is born over and has a notice. `off_reason` switches the playbook off
    (then there is no run).
    """

    ref: ScheduleRef
    seen: Schedule
    after: Schedule
    run: Run | None = None
    notice: Notice | None = None
    playbook: Playbook | None = None
    off_reason: str = ""

    @property
    def items(self) -> int:
        """How many items of a transaction the move takes (100 is DynamoDB's limit)."""
        return 1 + (self.run is not None) + (self.notice is not None) + (self.playbook is not None)


class MoveRefusal(StrEnum):
    """Why a move of a refused group did not hold. HELD ones were fine themselves and may go again."""

    HELD = "held"
    SCHEDULE_MOVED = "schedule_moved"
    RUN_EXISTS = "run_exists"
    OTHER = "other"


class GroupFault(StrEnum):
    """Why a whole group was refused. After UNANSWERED nobody knows whether it was written: asking again tells."""

    CONDITION = "condition"
    CONFLICT = "conflict"
    THROTTLED = "throttled"
    UNANSWERED = "unanswered"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class GroupRefusal:
    """A refused group: nothing of it was written (unless UNANSWERED). `moves` has one entry a move, in order."""

    fault: GroupFault
    moves: tuple[MoveRefusal, ...]
    detail: str = ""


class ScheduleStore(Protocol):
    """Schedules, sharded by the time they are due."""

    def due(self, shard: int, until: datetime, after: object = None) -> Page:
        """One page of schedules due at `until` or before, earliest first."""
        ...

    def load_due(self, refs: Sequence[ScheduleRef]) -> Sequence[DueSchedule]:
        """The schedules with their playbooks and last runs, consistently read, in the order asked."""
        ...

    def commit(self, moves: Sequence[ScheduleMove]) -> GroupRefusal | None:
        """All moves in one transaction, or none and why. At most 100 items, no item twice."""
        ...

    def scheduled(self, shard: int, after: str) -> tuple[Sequence[DueSchedule], str]:
        """One page of the shard's schedules that are on, whenever due, without playbook and run; and where to go on.

        An empty place starts at the beginning; an empty place comes back at the end.
        """
        ...

    def zones(self) -> ZoneProgress:
        """How far the recomputation is; of no version when there was none yet."""
        ...

    def save_zones(self, seen: ZoneProgress, after: ZoneProgress) -> bool:
        """Write the progress if it is as seen; False when another tick was faster."""
        ...


# --- playbooks ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewPlaybook:
    """A playbook with everything it is born with."""

    playbook: Playbook
    definition: Definition
    saved: Mapping[StepId, "SavedQuery"]
    schedule: Schedule | None = None


class PlaybookStore(Protocol):
    """Playbooks with their definitions, schedules and saved queries."""

    def playbook(self, tenant: TenantId, playbook: PlaybookId) -> Playbook | None:
        """The playbook, also when it is deleted (`deleted_at`); None when there never was one."""
        ...

    def definition(self, tenant: TenantId, playbook: PlaybookId, version: int) -> Definition | None:
        """The steps as they were at a version."""
        ...

    def schedule(self, tenant: TenantId, playbook: PlaybookId) -> Schedule | None:
        """The schedule, or None when there is none."""
        ...

    def saved_queries(self, tenant: TenantId, playbook: PlaybookId) -> Mapping[StepId, "SavedQuery"]:
        """The saved query of each query step that has one."""
        ...

    def former_queries(self, tenant: TenantId, playbook: PlaybookId, step: StepId) -> Sequence["SavedQuery"]:
        """The saved queries that stood there before the present one, newest first; the last 50 are kept."""
        ...

    def of_user(self, tenant: TenantId, user: UserId) -> Sequence[Playbook]:
        """The user's playbooks, newest first, without deleted ones."""
        ...

    def create(self, new: NewPlaybook) -> bool:
        """Write everything the playbook is born with; False, and nothing is written, when its id exists already."""
        ...

    def save(
        self,
        playbook: Playbook,
        *,
        seen_rev: int,
        definition: Definition | None = None,
        schedule: Schedule | None = None,
        seen_schedule: Schedule | None = None,
        forget: Sequence[StepId] = (),
        saved_query: "SavedQueryChange | None" = None,
    ) -> None:
        """Save what changed if the playbook is still at `seen_rev`; raises Conflict when it is not.

        `schedule` is written only over the one that was seen (None: there was none), `saved_query` over the version
        that was. `forget` names the steps whose saved query goes, with its history.
        """
        ...


# --- runs -----------------------------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class SavedQueryChange:
    """The saved query for next time, written only over the version that was read (None: there was none).

    `former` is what was read when the version moves on: it goes into the history in the same transaction.
    """

    step_id: StepId
    seen_version: int | None
    query: "SavedQuery"
    former: "SavedQuery | None" = None


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
        """The playbook's runs, newest first, and a cursor for more."""
        ...

    def due_work(self, shard: int, until: datetime, after: object = None) -> Page:
        """One page of runs and notices that must be looked at, earliest first."""
        ...


@dataclass(frozen=True, slots=True)
class NoticeRef:
    """A notice by its place: below a run or, for "turned off", below a playbook."""

    tenant: TenantId
    run: RunId | None
    playbook: PlaybookId | None
    id: str


class NoticeStore(Protocol):
    """Owed notices."""

    def notice(self, ref: NoticeRef) -> Notice | None:
        """The notice, or None."""
        ...

    def claim(self, ref: NoticeRef, now: datetime) -> Notice | None:
        """Claim it for a minute if it is owed and nobody holds it; None otherwise."""
        ...

    def settle(self, claimed: Notice, after: Notice) -> bool:
        """Write what became of a claimed notice (sent, given up, due again later) if the claim still stands."""
        ...


# --- people's things ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """An imported record; its bytes lie in object storage under `key`."""

    tenant: TenantId
    user: UserId
    id: ConversationId
    title: str
    format: str
    key: str
    size: int
    imported_at: datetime
    kept: int
    can_convert: bool
    pick: str = ""


class ConversationStore(Protocol):
    """Imported conversations of a user."""

    def save(self, record: ConversationRecord, confirmed: Collection[str]) -> None:
        """Save it (again: the id is derived from what was sent, so the same record is the same item).

        The statements it confirmed are known from then on: record and statements are written together.
        """
        ...

    def conversation(self, tenant: TenantId, user: UserId, conversation: ConversationId) -> ConversationRecord | None:
        """The user's record, or None."""
        ...


class StatementStore(Protocol):
    """The statements known here of a user: confirmed in an imported conversation, or submitted by a run.

    A statement from outside (a chat's call, a file) is taken only when it is one of them, to the letter. Each is one
    item that holds where the text ran and, as its key, the SHA-256 of the text, not the text: nothing to leak. Items
    are written in the transaction of what makes the statement known (the import, the conversion's playbook, the step
    that submitted it) and never change or go, so there is nothing to race for, and a look-up reads as many items as
    it was asked about.
    """

    def known(self, tenant: TenantId, user: UserId, statements: Collection[str]) -> Mapping[str, str]:
        """Those of the statements that are known, each with where it ran: `conversation <id>` or `run <id>`."""
        ...


class DeviceStore(Protocol):
    """Phones; a token has one owner."""

    def register(self, device: Device) -> None:
        """Make the user the token's one owner; a former owner's device goes in the same transaction."""
        ...

    def of_user(self, tenant: TenantId, user: UserId) -> Sequence[Device]:
        """The user's devices."""
        ...

    def deactivate(self, device: Device) -> None:
        """Set the device inactive if it still has that endpoint."""
        ...
