"""No one reads or touches what is not theirs: every route of the template, for its owner, for others and for nobody.

`tests/cases/routes.json` holds a row a route, with what its owner is answered; a route that is missing there fails.
"""

import json
import re
from pathlib import Path

import pytest

from playbooks.application.steps.context import StepWork
from playbooks.domain.ids import UserId
from playbooks.domain.run import Outcome
from playbooks.ports.directory import Person
from playbooks.ports.stores.runs import StoredDocument
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.paths import TEMPLATE
from tests.unit.api.client import Client
from tests.world import ACME, World

CASES = Path(__file__).resolve().parents[2] / "cases"
CHAT = (CASES / "conversations/scenario/anthropic_messages.json").read_text()
ROUTES = json.loads((CASES / "routes.json").read_text())
OBJECTS = [route for route in ROUTES if route.get("object", True)]
STRANGERS = {"of the same tenant": {"sub": "jun"}, "of another tenant": {"tenant": "globex"}}
NOBODY = {"token_use": None}


def named(route):
    return f"{route['method']} {route['path']}"


@pytest.fixture
def stage():
    """A client, and the ids of things that are really Mina's."""
    world = World().people()
    world.workspace.register_person(ACME, Person(UserId("jun"), "Jun", frozenset({"analysts"})))
    world.execute = with_document
    client = Client(world)
    conversation = client.call("POST", "/v1/conversations", CHAT)[1]["id"]
    conversion = client.call("POST", f"/v1/conversations/{conversation}/playbook", {}, key="c")[1]["id"]
    world.doorbell.rings.clear()
    playbook = world.playbook()
    run = client.call("POST", f"/v1/playbooks/{playbook}/runs", key="r")[1]["id"]
    world.deliver()
    ids = {"conversation": conversation, "conversion": conversion, "playbook": playbook, "run": run}
    return world, client, ids


def with_document(held, context):
    key = f"runs/acme/{held.run.id}/documents/report.xlsx"
    held.artifacts.put(key, [b"PK"], "application/octet-stream")
    return StepWork(Outcome.DONE, "written", documents=(StoredDocument("report.xlsx", key, 2, "application/x"),))


def ask(stage, route, **claims):
    _, client, ids = stage
    body = CHAT if route.get("body") == "CHAT" else route.get("body")
    return client.call(route["method"], route["path"].format(**ids), body, key="another", **claims)


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_the_owner_is_answered(stage, route):
    status, answer = ask(stage, route)
    assert status in route["owner"], answer


@pytest.mark.parametrize("who", STRANGERS)
@pytest.mark.parametrize("route", OBJECTS, ids=named)
def test_for_a_stranger_it_is_not_there_and_nothing_is_written(stage, route, who):
    before = stage[0].table.items(), dict(stage[0].artifacts.files)
    status, answer = ask(stage, route, **STRANGERS[who])
    assert (status, answer["code"]) == (404, "not_found")
    assert (stage[0].table.items(), stage[0].artifacts.files) == before


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_nobody_is_refused_and_nothing_is_written(stage, route):
    before = stage[0].table.items()
    status, answer = ask(stage, route, **NOBODY)
    assert (status, answer["code"]) == (401, "unauthorized")
    assert stage[0].table.items() == before


def test_every_route_of_the_template_has_its_row():
    events = [
        event["Properties"]
        for resource in load_template(TEMPLATE)["Resources"].values()
        for event in resource.get("Properties", {}).get("Events", {}).values()
        if event["Type"] == "HttpApi"
    ]
    deployed = sorted((event["Method"], re.sub(r"\{\w+\}", "*", event["Path"])) for event in events)
    listed = sorted(
        (
            route["method"],
            re.sub(r"\{\w+\}", "*", route["path"])
            .replace("report.xlsx", "*")
            .replace("/s1/", "/*/")
            .replace("shop/orders", "*/*"),
        )
        for route in ROUTES
    )
    assert listed == deployed
