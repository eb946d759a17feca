"""Doorbells as SQS delivers them."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from playbooks.domain.run import RunStatus
from playbooks.errors import Refused
from playbooks.interfaces.doorbell import TimeTooShort, answer_doorbells, read_doorbells
from tests.world import World

EVENT = json.loads((Path(__file__).resolve().parents[2] / "events/sqs_doorbell.json").read_text())
SHAPES = [
    "",
    "[]",
    "null",
    '"wake"',
    '{"wake": null}',
    '{"wake": {"tenant": "acme"}}',
    '{"wake": {"tenant": "a#b", "run": "r1"}}',
    '{"wake": {"tenant": 1, "run": ["r1"]}}',
    '{"a":' * 50_000,
    "[" * 200_000,
]


def event(body):
    return {"Records": [{**EVENT["Records"][0], "body": body}]}


def test_a_doorbell_names_its_run():
    assert list(read_doorbells(EVENT)) == [("acme", "r1")]


@pytest.mark.parametrize("body", SHAPES)
def test_a_message_of_another_shape_is_named_dropped_and_the_others_go_on(body):
    (refused, named) = read_doorbells({"Records": event(body)["Records"] + EVENT["Records"]})
    assert isinstance(refused, Refused)
    assert named == ("acme", "r1")


def test_a_doorbell_works_on_its_run():
    world = World().people()
    run = world.use_runs.run_now(world.mina, world.playbook(), "key")
    body = json.dumps({"wake": {"tenant": run.tenant, "run": run.id}})
    answer_doorbells(event(body), world.worker, world.telemetry, now=world.clock.now(), left=timedelta(seconds=900))
    assert (world.run(run.id).cursor, world.run(run.id).status) == (1, RunStatus.RUNNING)


def test_a_worker_without_time_for_one_call_says_so_instead_of_handing_on_for_ever():
    world = World().people()
    run = world.use_runs.run_now(world.mina, world.playbook(), "key")
    with pytest.raises(TimeTooShort, match="raise RunnerTimeout"):
        answer_doorbells(EVENT, world.worker, world.telemetry, now=world.clock.now(), left=timedelta(seconds=299))
    assert world.run(run.id).status is RunStatus.QUEUED
