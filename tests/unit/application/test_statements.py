"""Statements are known here once they were confirmed in a person's own conversation, and for nobody else."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from playbooks.adapters.dynamodb.statements import DynamoStatements
from playbooks.application.convert import new_playbook
from playbooks.application.executors import check_executors
from playbooks.application.identity import Caller
from playbooks.application.steps.context import StepWork
from playbooks.domain.conversion import Plan
from playbooks.domain.ids import PlaybookId, StepId, TenantId, UserId
from playbooks.domain.playbook import Definition, Playbook, PlaybookState, Step, StepKind
from playbooks.domain.recurrence import parse_rule
from playbooks.domain.run import Outcome
from playbooks.domain.schedule import change_rule
from playbooks.domain.sql.saved_query import from_conversation, rewritten
from playbooks.errors import Refused
from playbooks.ports.directory import RegisteredExecutors
from playbooks.ports.stores.playbooks import NewPlaybook, SavedQueryChange
from tests.world import ACME, MINA, World

RECORD = (Path(__file__).parents[2] / "cases/conversations/scenario/anthropic_messages.json").read_bytes()
QUESTION = "SELECT count(*) FROM orders"
OWN_TOOL = json.dumps(
    {
        "messages": [
            {"role": "user", "content": "how many?"},
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "t1",
                        "name": "AskSales",
                        "input": {"frage": "SELECT count(*) FROM orders"},
                    }
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": '[{"count": 3}]'}]},
            {"role": "assistant", "content": "Three."},
        ]
    }
).encode()


@pytest.fixture
def world() -> World:
    return World().people()


def test_an_import_makes_exactly_what_it_confirmed_known_to_the_letter(world):
    shown = world.use_conversations.save(world.mina, RECORD)
    kept = [query.statement for query in shown.collected.kept]
    dropped = [item.statement for item in shown.collected.dropped]
    asked = [*kept, *dropped, *(f"{statement} " for statement in kept), "SELECT 1", "\ud800"]
    known = DynamoStatements(world.table).known(ACME, MINA, asked)
    assert kept
    assert known == dict.fromkeys(kept, f"conversation {shown.record.id}")


@pytest.mark.parametrize("other", [(ACME, UserId("jun")), (TenantId("globex"), MINA)])
def test_what_is_known_of_one_person_is_known_of_nobody_else(world, other):
    shown = world.use_conversations.save(world.mina, RECORD)
    asked = [query.statement for query in shown.collected.kept]
    assert DynamoStatements(world.table).known(*other, asked) == {}


def test_no_item_of_a_known_statement_holds_its_text(world):
    world.use_conversations.save(world.mina, RECORD)
    items = [item for item in world.table.items() if "STMT#" in str(item)]
    assert items
    assert "SELECT" not in str(items)


def test_asking_about_nothing_reads_nothing(world):
    assert DynamoStatements(world.table).known(ACME, MINA, []) == {}


def test_a_tool_the_administrator_adds_counts_from_then_on_and_only_in_that_tenant(world):
    before = world.use_conversations.save(world.mina, OWN_TOOL)
    assert (before.collected.kept, len(before.collected.dropped)) == ((), 0)
    world.workspace.register_executors(ACME, RegisteredExecutors(("ask_sales",), ("Frage",)))
    after = world.use_conversations.show(world.mina, before.record.id)
    assert [query.statement for query in after.collected.kept] == [QUESTION]
    elsewhere = world.use_conversations.save(Caller(TenantId("globex"), MINA), OWN_TOOL)
    assert elsewhere.collected.kept == ()


SUBMITTED = "SELECT count(*) FROM orders WHERE ordered_at >= {{start}}"


def submits(held, context):
    """A step that leaves SQL for next time, over whatever is there."""
    seen = context.saved.version if context.saved is not None else None
    query = rewritten(context.saved, SUBMITTED, (), held.run.id, held.clock.now())
    change = SavedQueryChange(context.step.id, seen, query)
    return StepWork(Outcome.DONE, "done", saved_query=change)


def test_what_a_run_submits_is_known_with_the_commit_that_saves_it(world):
    playbook = world.playbook()
    world.execute = submits
    assert DynamoStatements(world.table).known(ACME, MINA, [SUBMITTED]) == {}
    run = world.use_runs.run_now(world.mina, playbook, "k1")
    world.deliver()
    assert world.playbooks.saved_queries(ACME, playbook)[StepId("s1")].statement == SUBMITTED
    assert DynamoStatements(world.table).known(ACME, MINA, [SUBMITTED]) == {SUBMITTED: f"run {run.id}"}


def test_what_a_conversion_saves_is_known_even_when_the_import_did_not_confirm_it(world):
    shown = world.use_conversations.save(world.mina, OWN_TOOL)
    world.workspace.register_executors(ACME, RegisteredExecutors(("ask_sales",), ("Frage",)))

    def convert(held):
        steps = (Step(StepId("s1"), StepKind.QUERY_DATABASE, "how many", {"database": "shop"}),)
        plan = Plan("x", steps, {"s1": QUESTION})
        return new_playbook(held.run, plan, world.use_conversations.show(world.mina, shown.record.id).collected, held)

    world.worker = replace(world.worker, convert=convert)
    world.use_conversions.request(world.mina, shown.record.id, "k", zone=None, language=None)
    world.deliver()
    known = DynamoStatements(world.table).known(ACME, MINA, [QUESTION])
    assert known == {QUESTION: f"conversation {shown.record.id}"}


def test_a_registration_of_query_tools_that_cannot_be_taken_names_every_fault():
    with pytest.raises(Refused) as refused:
        check_executors(RegisteredExecutors(("", "x" * 101), tuple(f"k{n}" for n in range(101)), ("a\nb",)))
    assert [finding.path for finding in refused.value.findings] == [
        "/names/0",
        "/names/1",
        "/statement_keys",
        "/bind_keys/0",
    ]


def test_a_playbook_is_created_once_with_everything_or_not_at_all(world):
    steps = (Step(StepId("s1"), StepKind.QUERY_DATABASE, "how many", {"database": "shop"}),)
    definition = Definition(1, steps)
    now = world.clock.now()
    rule = parse_rule({"start": "2026-12-07T09:00", "zone": "Asia/Seoul"})

    def new(title):
        playbook = Playbook(ACME, PlaybookId("p1"), MINA, title, PlaybookState.DRAFT, 1, 1, definition.hash, now)
        saved = {StepId("s1"): from_conversation(f"SELECT '{title}'", "v1", now)}
        return NewPlaybook(playbook, definition, saved, change_rule(None, rule, now))

    assert world.playbooks.create(new("first")) is True
    before = world.table.items()
    assert world.playbooks.create(new("second")) is False
    assert world.table.items() == before
    shown = world.use_playbooks.show(world.mina, PlaybookId("p1"))
    assert (shown.playbook.title, shown.saved[StepId("s1")].statement) == ("first", "SELECT 'first'")
    assert shown.schedule is not None
    assert shown.schedule.next is None
