"""The routes over a world in memory."""

import json
from pathlib import Path

import pytest

from tests.unit.api.client import Client
from tests.world import World

CHAT = (Path(__file__).resolve().parents[2] / "cases/conversations/scenario/anthropic_messages.json").read_text()
NO_TOOLS = json.dumps({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]})
RULE = {"start": "2026-12-07T09:00", "zone": "Asia/Seoul", "unit": "weeks", "interval": 1, "weekdays": ["mon"]}


@pytest.fixture
def world() -> World:
    return World().people()


@pytest.fixture
def client(world) -> Client:
    return Client(world)


def test_an_imported_record_shows_what_would_be_kept_and_why_the_rest_is_not(client):
    status, shown = client.call("POST", "/v1/conversations", CHAT)
    assert status == 201
    assert shown["can_convert"] is True
    assert [query["number"] for query in shown["kept"]] == [1, 2]
    assert all(item["reason"] for item in shown["dropped"])
    again = client.call("POST", "/v1/conversations", CHAT)[1]
    assert again["id"] == shown["id"]
    assert client.call("GET", f"/v1/conversations/{shown['id']}")[1]["kept"] == shown["kept"]


def test_a_conversation_without_tools_cannot_be_converted(client):
    shown = client.call("POST", "/v1/conversations", NO_TOOLS)[1]
    assert (shown["can_convert"], "No tool was used" in shown["why_not"]) == (False, True)
    status, problem = client.call("POST", f"/v1/conversations/{shown['id']}/playbook", {}, key="k1")
    assert (status, problem["code"]) == (422, "nothing_to_convert")


def test_a_file_that_is_no_chat_is_refused_with_what_helps(client):
    status, problem = client.call("POST", "/v1/conversations", '{"sales": [1, 2, 3]}')
    assert (status, problem["code"]) == (422, "not_a_conversation")
    assert problem["detail"]


def test_a_conversion_is_accepted_once_a_key(client, world):
    shown = client.call("POST", "/v1/conversations", CHAT)[1]
    path = f"/v1/conversations/{shown['id']}/playbook"
    status, first = client.call("POST", path, {}, key="k1")
    assert (status, first["status"]) == (202, "queued")
    assert client.call("POST", path, {}, key="k1")[1]["id"] == first["id"]
    assert client.call("POST", path, {}, key="k2")[1]["id"] != first["id"]
    assert len(world.doorbell.rings) == 2
    assert client.call("GET", f"/v1/conversions/{first['id']}")[0] == 200
    status, problem = client.call("POST", path, {"zone": "Asia/Seol"}, key="k3")
    assert (status, problem["findings"][0]["allowed"][0]) == (422, "Asia/Seoul")
    assert client.call("POST", path, {})[1]["code"] == "missing_idempotency_key"


def test_a_playbook_is_edited_scheduled_and_switched_on(client, world):
    playbook = world.playbook(on=False)
    path = f"/v1/playbooks/{playbook}"
    step = {"id": "s1", "kind": "organize", "instruction": "compare"}
    assert client.call("PUT", path, {"rev": 1, "title": "Monday", "steps": [step]})[0] == 200
    assert client.call("PUT", path, {"rev": 1, "title": "Monday", "steps": [step]})[1]["code"] == "changed"
    status, schedule = client.call("PUT", f"{path}/schedule", {"rev": 2, "rule": RULE})
    assert status == 200
    assert schedule["upcoming"][0] == {"local": "2026-12-07T09:00+09:00", "at": "2026-12-07T00:00:00Z", "moved": None}
    assert client.call("POST", f"{path}/enable")[1]["state"] == "on"
    status, problem = client.call("PUT", path, {"rev": 4, "title": "x", "steps": []})
    assert (status, problem["code"]) == (409, "playbook_is_on")
    assert client.call("POST", f"{path}/disable")[1]["state"] == "off"
    assert client.call("DELETE", path) == (204, None)
    assert client.call("GET", path)[0] == 404


def test_an_empty_playbook_cannot_be_switched_on_and_all_findings_come_at_once(client, world):
    playbook = world.playbook(on=False)
    steps = [
        {"id": "a", "kind": "query_database"},
        {"id": "b", "kind": "create_document", "instruction": "x", "inputs": {"format": "pptx"}},
    ]
    client.call("PUT", f"/v1/playbooks/{playbook}", {"rev": 1, "title": "x", "steps": steps})
    status, problem = client.call("POST", f"/v1/playbooks/{playbook}/enable")
    assert status == 422
    assert [finding["code"] for finding in problem["findings"]] == [
        "missing_instruction",
        "missing_input",
        "unknown_format",
    ]
    status, checks = client.call("GET", f"/v1/playbooks/{playbook}/checks")
    assert checks["findings"] == problem["findings"]


def test_run_now_runs_once_a_key_and_is_shown_with_its_steps(client, world):
    playbook = world.playbook()
    path = f"/v1/playbooks/{playbook}/runs"
    status, run = client.call("POST", path, key="now")
    assert (status, client.call("POST", path, key="now")[1]["id"]) == (202, run["id"])
    world.deliver()
    shown = client.call("GET", f"/v1/runs/{run['id']}")[1]
    assert (shown["status"], [step["summary"] for step in shown["steps"]]) == (
        "completed",
        ["part 1 done", "part 2 done"],
    )
    assert [row["id"] for row in client.call("GET", path)[1]["runs"]] == [run["id"]]
    assert client.call("POST", f"/v1/runs/{run['id']}/cancel")[1]["code"] == "run_over"
    assert client.call("GET", f"/v1/runs/{run['id']}/documents/none.xlsx")[0] == 404


def test_a_cancelled_run_tells_nobody_and_is_worked_on_no_more(client, world):
    playbook = world.playbook()
    run = client.call("POST", f"/v1/playbooks/{playbook}/runs", key="now")[1]
    assert client.call("POST", f"/v1/runs/{run['id']}/cancel")[1]["status"] == "cancelled"
    world.deliver()
    assert client.call("GET", f"/v1/runs/{run['id']}")[1]["steps"] == []
    assert world.push.published == []


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"token_use": "access"}, "unauthorized"),
        ({"token_use": None}, "unauthorized"),
        ({"exp": None}, "unauthorized"),
        ({"exp": "1"}, "unauthorized"),
        ({"tenant": None}, "unauthorized"),
        ({"tenant": "acme#PB"}, "unauthorized"),
        ({"sub": ""}, "unauthorized"),
    ],
)
def test_a_token_that_names_nobody_is_refused(client, claims, code):
    status, problem = client.call("GET", "/v1/playbooks", **claims)
    assert (status, problem["code"]) == (401, code)


def test_a_body_of_another_shape_is_answered_with_where(client, world):
    playbook = world.playbook(on=False)
    status, problem = client.call("PUT", f"/v1/playbooks/{playbook}", {"rev": "1", "title": 5})
    assert (status, problem["code"]) == (422, "invalid_request")
    assert {finding["path"] for finding in problem["findings"]} == {"/body/rev", "/body/title", "/body/steps"}
    status, problem = client.call("POST", "/v1/schedules/preview", {"start": "2026-02-30T09:00", "zone": "EST"})
    assert status == 422
    assert len(problem["findings"]) == 2


@pytest.mark.parametrize("path", ["/v1/schedules/preview", "/v1/devices", "/v1/playbooks", "/v1/playbooks/import"])
@pytest.mark.parametrize("body", ['{"a":' * 50_000, "[" * 100_000, "{", "", "null", "[]", "\ud800"])
def test_no_body_is_a_fault_of_ours(client, path, body):
    status, problem = client.call("POST", path, body, key="k")
    assert status == 422
    assert problem["detail"]
