"""The saved query of a step through its versions: what it was, what changed, and going back to one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from playbooks.application.identity import Caller, owned, owned_off
from playbooks.domain.ids import PlaybookId, StepId
from playbooks.domain.playbook import Playbook
from playbooks.domain.sql.saved_query import SavedQuery, difference, restored
from playbooks.errors import NotFound
from playbooks.ports.clock import Clock
from playbooks.ports.stores.playbooks import PlaybookStore, SavedQueryChange


@dataclass(frozen=True, slots=True)
class Version:
    """One version, with what changed in it against the version before as a unified diff (empty for the oldest)."""

    query: SavedQuery
    diff: str


@dataclass(frozen=True)
class SavedQueries:
    """The use cases on the saved query of one step of a person's own playbook."""

    store: PlaybookStore
    clock: Clock

    def history(self, caller: Caller, id_: PlaybookId, step: StepId) -> Sequence[Version]:
        """The present saved query and the former ones, newest first; empty when the step has none."""
        self._has(owned(self.store, caller, id_), step)
        present = self.store.saved_queries(caller.tenant, id_).get(step)
        if present is None:
            return ()
        queries = (present, *self.store.former_queries(caller.tenant, id_, step))
        changed = [Version(query, difference(before, query)) for query, before in pairwise(queries)]
        return (*changed, Version(queries[-1], ""))

    def restore(self, caller: Caller, id_: PlaybookId, step: StepId, *, rev: int, version: int) -> SavedQuery:
        """Go back to a former version, which becomes the next one; Conflict while on or when anything moved.

        What is gone back from stays in the history. The text ran or was accepted here before; like every statement it
        meets the guard again when it runs.
        """
        playbook = owned_off(self.store, caller, id_, rev)
        self._has(playbook, step)
        present = self.store.saved_queries(caller.tenant, id_).get(step)
        former = next((q for q in self.store.former_queries(caller.tenant, id_, step) if q.version == version), None)
        if present is None or former is None:
            raise NotFound(f"There is no former version {version} of this step's saved query: see its history.")
        query = restored(present, former, self.clock.now())
        change = SavedQueryChange(step, present.version, query, present)
        self.store.save(replace(playbook, rev=rev + 1), seen_rev=rev, saved_query=change)
        return query

    def _has(self, playbook: Playbook, step: StepId) -> None:
        definition = self.store.definition(playbook.tenant, playbook.id, playbook.definition_version)
        if definition is None or step not in {one.id for one in definition.steps}:
            raise NotFound("The playbook has no such step.")
