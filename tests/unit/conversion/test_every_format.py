"""The same chat, recorded by twelve clients, becomes the same playbook: read, asked for, checked, saved."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from playbooks.adapters.dynamodb.people import DynamoConversations
from playbooks.adapters.model.anthropic import anthropic_model
from playbooks.application.convert import Converter
from playbooks.domain.run import RunStatus
from playbooks_local.standin_model.server import StandInModel
from tests.world import ACME, FORMATS, World, no_pause

SCENARIO = Path(__file__).parents[2] / "cases" / "conversations" / "scenario"
RECORDS = sorted(path for path in SCENARIO.iterdir() if path.name != "expected.json")
FINAL = json.loads((SCENARIO / "expected.json").read_text(encoding="utf-8"))["statements"]["Q4"]


def converted(record):
    world = World().people()
    with StandInModel() as model:
        converter = Converter(
            anthropic_model("claude-test-1", key="sk-test", base_url=model.url),
            DynamoConversations(world.table, no_pause),
            world.artifacts,
            world.workspace,
            world.workspace,
            FORMATS,
        )
        world.worker = replace(world.worker, convert=converter)
        shown = world.use_conversations.save(world.mina, record)
        run = world.use_conversions.request(world.mina, shown.record.id, "key-1", zone=None, language=None)
        world.deliver()
    assert world.run(run.id).status is RunStatus.COMPLETED
    (playbook,) = world.playbooks.of_user(ACME, world.mina.user)
    return world, playbook


@pytest.mark.parametrize("path", RECORDS, ids=[path.name for path in RECORDS])
def test_a_record_becomes_the_playbook_of_the_users_final_wish(path):
    world, playbook = converted(path.read_bytes())
    steps = world.playbooks.definition(ACME, playbook.id, 1).steps
    saved = world.playbooks.saved_queries(ACME, playbook.id)
    said_in_it = [] if path.name == "mcp_jsonrpc.jsonl" else ["create_document"]  # a protocol log holds no wish
    assert [step.kind.value for step in steps] == ["query_database", *said_in_it]
    assert [(step, query.statement) for step, query in saved.items()] == [(steps[0].id, FINAL)]
    assert world.playbooks.schedule(ACME, playbook.id) is None
    assert any("2026-08-17" in warning for warning in playbook.warnings)


def test_a_schedule_in_the_chat_is_proposed_in_the_persons_zone():
    record = (SCENARIO / "anthropic_messages.json").read_text(encoding="utf-8")
    wish = record.replace("No, group it by department", "No, group it by department. Do this every Monday at 9.")
    world, playbook = converted(wish.encode())
    rule = world.playbooks.schedule(ACME, playbook.id).rule
    assert (rule.start.isoformat(), rule.zone, sorted(rule.weekdays)) == ("2026-12-07T09:00:00", "Asia/Seoul", [0])
