"""The life of a saved query: each run that moves it on leaves the former version in the history."""

from itertools import count

import pytest

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.playbook_writes import FORMER_KEPT
from playbooks.application.saved_queries import SavedQueries
from playbooks.application.steps.context import StepWork
from playbooks.domain.ids import PlaybookId, StepId
from playbooks.domain.playbook import Step, StepKind
from playbooks.domain.run import Outcome
from playbooks.domain.sql import saved_query
from playbooks.errors import Conflict, NotFound
from playbooks.ports.stores.playbooks import SavedQueryChange
from tests.world import ACME, World

STEP = StepId("s1")
ASK = Step(STEP, StepKind.QUERY_DATABASE, "how many orders", {"database": "shop"})
ORGANIZE = Step(StepId("s2"), StepKind.ORGANIZE, "compare")


class Life:
    """A playbook whose only query step leaves what it is told to leave."""

    def __init__(self) -> None:
        self.world = World().people()
        self.world.execute = self._execute
        self.playbook = self.world.playbook(steps=(ASK,), on=False)
        self.use = SavedQueries(self.world.playbooks, self.world.clock)
        self._keys = count()

    def run(self, statement: str | None) -> str:
        """One run that leaves the statement, None for "unchanged"; its id."""
        self._statement = statement
        run = self.world.use_runs.run_now(self.world.mina, self.playbook, f"k{next(self._keys)}")
        self.world.deliver()
        return run.id

    def _execute(self, held, context):
        if context.step.kind is not StepKind.QUERY_DATABASE:
            return StepWork(Outcome.DONE, "done")
        saved, now = context.saved, held.clock.now()
        if self._statement is None:
            change = SavedQueryChange(STEP, saved.version, saved_query.reused(saved))
        else:
            query = saved_query.rewritten(saved, self._statement, (), held.run.id, now)
            change = SavedQueryChange(STEP, saved.version if saved else None, query, saved)
        return StepWork(Outcome.DONE, "asked", saved_query=change)

    def history(self):
        return self.use.history(self.world.mina, self.playbook, STEP)

    @property
    def rev(self) -> int:
        return self.world.playbooks.playbook(ACME, self.playbook).rev

    def stored(self) -> list[str]:
        """The sort keys of what is stored of saved queries."""
        items, _ = self.world.table.query(keys.playbook_partition(ACME, self.playbook), prefix="SQL")
        return [str(item["SK"]) for item in items]


@pytest.fixture
def life() -> Life:
    return Life()


def test_the_history_names_the_run_that_made_each_version_and_how_often_it_was_reused(life):
    first = life.run("SELECT 1")
    life.run(None)
    life.run(None)
    second = life.run("SELECT 2")
    third = life.run("SELECT 2\nFROM t")
    told = [(v.query.version, v.query.statement, v.query.origin, v.query.reused) for v in life.history()]
    assert told == [
        (3, "SELECT 2\nFROM t", f"run {third}", 0),
        (2, "SELECT 2", f"run {second}", 0),
        (1, "SELECT 1", f"run {first}", 2),
    ]


def test_each_version_comes_with_what_changed_in_it(life):
    life.run("SELECT 1")
    life.run("SELECT 1\nFROM t")
    newest, oldest = life.history()
    assert newest.diff.splitlines() == ["--- version 1", "+++ version 2", "@@ -1 +1,2 @@", " SELECT 1", "+FROM t"]
    assert oldest.diff == ""


def test_a_step_without_saved_sql_has_no_history(life):
    assert life.history() == ()


def test_a_version_that_does_not_move_on_leaves_nothing_behind(life):
    life.run("SELECT 1")
    life.run(None)
    assert life.stored() == ["SQL#s1"]


def test_the_last_fifty_former_versions_are_kept(life):
    for number in range(FORMER_KEPT + 3):
        life.run(f"SELECT {number}")
    versions = [version.query.version for version in life.history()]
    assert versions == list(range(FORMER_KEPT + 3, 2, -1))
    assert len(life.stored()) == FORMER_KEPT + 1


def test_going_back_makes_the_former_text_the_next_version_and_keeps_what_it_went_back_from(life):
    first = life.run("SELECT 1")
    life.run("SELECT 2")
    query = life.use.restore(life.world.mina, life.playbook, STEP, rev=life.rev, version=1)
    assert (query.version, query.statement, query.origin, query.reused) == (3, "SELECT 1", f"run {first}", 0)
    assert [v.query.statement for v in life.history()] == ["SELECT 1", "SELECT 2", "SELECT 1"]


def test_going_back_is_refused_while_the_playbook_is_on(life):
    life.run("SELECT 1")
    life.run("SELECT 2")
    life.world.use_playbooks.enable(life.world.mina, life.playbook)
    with pytest.raises(Conflict) as refused:
        life.use.restore(life.world.mina, life.playbook, STEP, rev=life.rev, version=1)
    assert refused.value.code == "playbook_is_on"
    assert life.history()[0].query.statement == "SELECT 2"


def test_going_back_is_refused_when_a_run_that_was_under_way_left_another_version_meanwhile(life):
    life.run("SELECT 1")
    life.run("SELECT 2")
    seen = life.world.playbooks.saved_queries(ACME, life.playbook)
    life.run("SELECT 3")
    life.use.store.saved_queries = lambda tenant, playbook: seen
    with pytest.raises(Conflict):
        life.use.restore(life.world.mina, life.playbook, STEP, rev=life.rev, version=1)
    del life.use.store.saved_queries
    assert life.history()[0].query.statement == "SELECT 3"


@pytest.mark.parametrize("version", [2, 9])
def test_only_a_former_version_can_come_back(life, version):
    life.run("SELECT 1")
    life.run("SELECT 2")
    with pytest.raises(NotFound):
        life.use.restore(life.world.mina, life.playbook, STEP, rev=life.rev, version=version)


def test_a_step_that_is_deleted_forgets_its_saved_sql_and_its_history(life):
    for number in range(3):
        life.run(f"SELECT {number}")
    life.world.use_playbooks.edit(life.world.mina, life.playbook, rev=life.rev, title="Less", steps=(ORGANIZE,))
    assert life.stored() == []
    with pytest.raises(NotFound):
        life.history()


def test_a_step_of_a_deleted_ones_name_does_not_show_what_could_not_be_deleted(life):
    for number in range(3):
        life.run(f"SELECT {number}")
    life.world.playbooks._forget_former = lambda *_: None  # a crash after the change and before the deletion
    life.world.use_playbooks.edit(life.world.mina, life.playbook, rev=life.rev, title="Less", steps=(ORGANIZE,))
    life.world.use_playbooks.edit(life.world.mina, life.playbook, rev=life.rev, title="More", steps=(ASK,))
    life.run("SELECT 'new'")
    assert [v.query.statement for v in life.history()] == ["SELECT 'new'"]
    life.run("SELECT 'newer'")
    assert [v.query.statement for v in life.history()] == ["SELECT 'newer'", "SELECT 'new'"]


def test_a_playbook_of_somebody_else_looks_as_if_it_were_not_there(life):
    life.run("SELECT 1")
    with pytest.raises(NotFound):
        life.use.history(life.world.mina, PlaybookId("p9"), STEP)
