"""What a playbook's creation and the statements known here promise, whatever table they lie on."""

from datetime import UTC, datetime

import pytest

from playbooks.adapters.dynamodb.operations import Table
from playbooks.domain.ids import ConversationId, PlaybookId, StepId
from playbooks.domain.playbook import MAX_STEPS, Definition, Playbook, PlaybookState, Step, StepKind
from playbooks.domain.sql.saved_query import from_conversation
from playbooks.ports.directory import RegisteredExecutors
from playbooks.ports.stores.people import ConversationRecord
from playbooks.ports.stores.playbooks import NewPlaybook
from tests.contract.stores.racing import race
from tests.world import ACME, MINA, World

NINE = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def world(table: Table) -> World:
    return World(table=table).people()


def new(title: str) -> NewPlaybook:
    """As large as one may be: every step a query step with SQL of its own."""
    steps = tuple(Step(StepId(f"s{n}"), StepKind.QUERY_DATABASE, f"question {n}") for n in range(MAX_STEPS))
    definition = Definition(1, steps)
    playbook = Playbook(ACME, PlaybookId("p1"), MINA, title, PlaybookState.DRAFT, 1, 1, definition.hash, NINE)
    saved = {step.id: from_conversation(f"SELECT '{title}', '{step.id}'", "v1", NINE) for step in steps}
    return NewPlaybook(playbook, definition, saved)


def test_of_eight_that_create_one_playbook_one_wins_and_its_is_whole(world):
    created = race(lambda number: world.playbooks.create(new(f"t{number}")))
    won = [number for number, wrote in enumerate(created) if wrote]
    assert len(won) == 1
    shown = world.use_playbooks.show(world.mina, PlaybookId("p1"))
    assert shown.playbook.title == f"t{won[0]}"
    assert {query.statement.split("'")[1] for query in shown.saved.values()} == {f"t{won[0]}"}
    assert len(shown.saved) == MAX_STEPS
    assert [playbook.id for playbook in world.playbooks.of_user(ACME, MINA)] == ["p1"]


def test_statements_are_known_with_the_record_that_confirmed_them_and_asked_about_in_one_look(world):
    def record(name: str) -> ConversationRecord:
        return ConversationRecord(ACME, MINA, ConversationId(name), "t", "f", "k", 1, NINE, 1, can_convert=True)

    statements = [f"SELECT {n}" for n in range(20)]
    store = world.use_conversations.store
    race(lambda number: store.save(record(f"v{number}"), statements), racers=4)
    asked = [f"SELECT {n}" for n in range(150)]
    known = world.statements.known(ACME, MINA, asked)
    assert set(known) == set(statements)
    assert set(known.values()) <= {f"conversation v{n}" for n in range(4)}
    assert all(store.conversation(ACME, MINA, ConversationId(f"v{n}")) for n in range(4))


def test_the_query_tools_come_back_as_they_were_registered(world):
    assert world.workspace.executors(ACME) == RegisteredExecutors()
    added = RegisteredExecutors(("ask_sales",), ("frage",), (), ("quelle",))
    world.workspace.register_executors(ACME, added)
    assert world.workspace.executors(ACME) == added
