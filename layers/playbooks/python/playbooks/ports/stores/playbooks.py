"""The store of playbooks with their definitions, schedules and saved queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from playbooks.domain.ids import PlaybookId, StepId, TenantId, UserId
from playbooks.domain.playbook import Definition, Playbook
from playbooks.domain.run import Run
from playbooks.domain.schedule import Schedule
from playbooks.errors import Conflict

if TYPE_CHECKING:
    # Not at run time: the scheduler reads schedules and runs, and must not load the SQL rooms for it.
    from playbooks.domain.sql.saved_query import SavedQuery


@dataclass(frozen=True, slots=True)
class NewPlaybook:
    """A playbook with everything it is born with."""

    playbook: Playbook
    definition: Definition
    saved: Mapping[StepId, "SavedQuery"]
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class SavedQueryChange:
    """The saved query for next time, written only over the version that was read (None: there was none).

    `former` is what was read when the version moves on: it goes into the history in the same transaction.
    """

    step_id: StepId
    seen_version: int | None
    query: "SavedQuery"
    former: "SavedQuery | None" = None


class RowExists(Conflict):
    """Raised when the occurrence that a change passes over has its run already; nothing was written."""

    code = "row_exists"


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
        saved_query: SavedQueryChange | None = None,
        row: Run | None = None,
    ) -> None:
        """Save what changed if the playbook is still at `seen_rev`; raises Conflict when it is not.

        `schedule` is written only over the one that was seen (None: there was none), `saved_query` over the version
        that was. `row` accounts for occurrences that the change passes over; raises RowExists when only it was in the
        way. `forget` names the steps whose saved query goes, with its history.
        """
        ...
