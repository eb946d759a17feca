"""Playbooks that come by the API: from a chat's call and from a YAML file; and the archive a person picks from."""

import copy
import json
import re
from pathlib import Path

import pytest
import yaml

from playbooks.domain.ids import PlaybookId, StepId
from tests.unit.api.client import Client
from tests.world import ACME, World

CASES = Path(__file__).resolve().parents[2] / "cases"
CHAT = (CASES / "conversations/scenario/anthropic_messages.json").read_text()
EXPORT = json.loads((CASES / "conversations/scenario/claude_ai_export.json").read_text())
FINAL = json.loads((CASES / "conversations/scenario/expected.json").read_text())["statements"]["Q4"]
CALL = {
    "title": "Weekly sales by department",
    "steps": [
        {
            "kind": "query_database",
            "instruction": "Sales by department last week, highest first",
            "database": "shop",
            "sql": FINAL,
            "format": "",
            "source": "",
            "tool": "",
            "approver": "",
        },
        {
            "kind": "create_document",
            "instruction": "An Excel workbook of the top 10",
            "database": "",
            "sql": "",
            "format": "xlsx",
            "source": "",
            "tool": "",
            "approver": "",
        },
    ],
    "schedule_kind": "recurring",
    "schedule_unit": "weeks",
    "schedule_interval": 1,
    "schedule_time": "09:00",
    "schedule_weekdays": ["mon"],
    "schedule_day": "",
    "schedule_zone": "",
}


@pytest.fixture
def world() -> World:
    return World().people()


@pytest.fixture
def client(world) -> Client:
    return Client(world)


def test_a_chats_call_makes_a_draft_once_a_key_with_the_sql_that_ran_here(client, world):
    client.call("POST", "/v1/conversations", CHAT)
    status, made = client.call("POST", "/v1/playbooks", CALL, key="k1")
    assert (status, made["state"]) == (201, "draft")
    assert client.call("POST", "/v1/playbooks", CALL, key="k1")[1]["id"] == made["id"]
    assert client.call("POST", "/v1/playbooks", CALL, key="k2")[1]["id"] != made["id"]
    shown = client.call("GET", f"/v1/playbooks/{made['id']}")[1]
    assert shown["steps"][0]["saved_query"]["statement"] == FINAL
    assert shown["steps"][0]["saved_query"]["origin"].startswith("conversation v")
    assert shown["schedule"]["rule"] == {
        "start": "2026-12-07T09:00",
        "zone": "Asia/Seoul",
        "unit": "weeks",
        "interval": 1,
        "weekdays": ["mon"],
    }
    assert shown["schedule"]["next_at"] is None
    assert shown["findings"] == []
    assert any("10" in warning and "no record" in warning for warning in made["warnings"])


def test_a_key_whose_playbook_was_deleted_makes_no_other(client):
    made = client.call("POST", "/v1/playbooks", CALL, key="k1")[1]
    assert client.call("DELETE", f"/v1/playbooks/{made['id']}")[0] == 204
    status, problem = client.call("POST", "/v1/playbooks", CALL, key="k1")
    assert (status, problem["code"]) == (409, "key_used")


@pytest.mark.parametrize(
    ("change", "query"),
    [({"title": "Another"}, None), ({}, {"zone": "Europe/Berlin"}), ({}, {"language": "ko"})],
    ids=["another title", "another zone", "another language"],
)
def test_a_key_is_not_good_for_another_call(client, change, query):
    made = client.call("POST", "/v1/playbooks", CALL, key="k1")[1]
    status, problem = client.call("POST", "/v1/playbooks", CALL | change, key="k1", query=query)
    assert (status, problem["code"]) == (409, "idempotency_key_reused")
    assert made["id"] in problem["detail"]
    assert len(client.call("GET", "/v1/playbooks")[1]["playbooks"]) == 1


def test_a_call_sent_again_is_answered_though_its_playbook_was_edited_and_its_fields_change_places(client):
    client.call("POST", "/v1/conversations", CHAT)
    made = client.call("POST", "/v1/playbooks", CALL, key="k1")[1]
    steps = [{"id": "s1", "kind": "organize", "instruction": "x"}]
    edited = {"rev": made["rev"], "title": "Edited", "steps": steps}
    assert client.call("PUT", f"/v1/playbooks/{made['id']}", edited)[0] == 200
    again = client.call("POST", "/v1/playbooks", dict(reversed(CALL.items())), key="k1")
    assert (again[0], again[1]["id"], again[1]["title"]) == (201, made["id"], "Edited")


def test_a_key_is_not_good_for_another_file(client):
    text = exported(client, client.call("POST", "/v1/playbooks", CALL, key="k1")[1]["id"])
    made = client.call("POST", "/v1/playbooks/import", text, key="k2")[1]
    same = client.call("POST", "/v1/playbooks/import", f"# a remark\n{text}", key="k2")
    assert (same[0], same[1]["id"]) == (201, made["id"])
    other = text.replace("Weekly sales", "Monthly sales")
    assert other != text
    status, problem = client.call("POST", "/v1/playbooks/import", other, key="k2")
    assert (status, problem["code"]) == (409, "idempotency_key_reused")


def test_warnings_are_told_in_the_language_of_the_person(client):
    made = client.call("POST", "/v1/playbooks", CALL, key="k1", query={"language": "ko"})[1]
    assert made["warnings"]
    assert all(re.search("[가-힣]", warning) for warning in made["warnings"])


def test_a_draft_that_import_would_refuse_says_so_in_its_export(client, world):
    made = client.call("POST", "/v1/playbooks", CALL, key="k1")[1]
    steps = [
        {"id": "s1", "kind": "organize", "instruction": ""},
        {"id": "s2", "kind": "query_database", "instruction": "SELECT 1\nFROM a"},
    ]
    loose = {"rev": made["rev"], "title": "Half done", "steps": steps}
    assert client.call("PUT", f"/v1/playbooks/{made['id']}", loose)[0] == 200
    text = exported(client, made["id"])
    remarks = [line for line in text.splitlines() if line.startswith("#")]
    assert remarks[0] == "# A draft: import takes it when this is mended."
    paths = [remark.removeprefix("# ").split(":")[0] for remark in remarks[1:]]
    assert paths == ["/steps/0/instruction", "/steps/1/instruction"]
    status, problem = client.call("POST", "/v1/playbooks/import", text, key="k2")
    assert status == 422
    assert [finding["path"] for finding in problem["findings"]] == paths
    mended = text.replace("instruction: ''", "instruction: the top ten")
    mended = mended.replace("SELECT 1", "How many").replace("FROM a", "are there")
    assert client.call("POST", "/v1/playbooks/import", mended, key="k3")[0] == 201


ANSWERS = json.loads((CASES / "conversion/answers.json").read_text())
MEANT_FOR_A_LIST = ("not on the list",)


def chat_call(save):
    """A case's answer as a chat's model would give it: SQL where the conversion has a number."""
    if "raw" in save:
        return save["raw"]
    arguments = {**copy.deepcopy(ANSWERS["good"]), **save["change"]}
    if "step" in save:
        arguments["steps"][save["step"]] |= save["step_change"]
    if "instruction_length" in save:
        arguments["steps"][save["step"]]["instruction"] = "x" * save["instruction_length"]
    if "steps" in save:
        arguments["steps"] = arguments["steps"][-1:] * save["steps"]
    steps = arguments["steps"] if isinstance(arguments["steps"], list) else []
    for step in steps:
        if isinstance(step, dict):
            step["sql"] = FINAL if step.pop("statement", 0) else ""
    return arguments


@pytest.mark.parametrize(
    "case",
    [case for case in ANSWERS["cases"] if "save" in case["answers"][0] and not case["answers"][0].get("stop")],
    ids=lambda case: case["id"],
)
def test_the_chats_call_is_answered_as_a_conversions_is(client, case):
    client.call("POST", "/v1/conversations", CHAT)
    expect, answer = case["expect"], case["answers"][0]
    status, made = client.call("POST", "/v1/playbooks", chat_call(answer["save"]), key="k1")
    if expect.get("sent_back"):
        assert status == 422
        assert set(expect["sent_back"]) <= {finding["code"] for finding in made["findings"]}
        return
    if expect["status"] == "failed":
        assert status == 422
        return
    assert status == 201
    for words in expect.get("warned", []):
        assert words in MEANT_FOR_A_LIST or any(words in warning for warning in made["warnings"]), made["warnings"]
    shown = client.call("GET", f"/v1/playbooks/{made['id']}")[1]
    assert [step["kind"] for step in shown["steps"]] == expect["kinds"]
    if "schedule" in expect:
        assert (shown["schedule"] and shown["schedule"]["rule"]) == expect["schedule"]


def test_sql_that_never_ran_here_is_dropped_and_the_step_stays(client):
    status, made = client.call("POST", "/v1/playbooks", CALL, key="k1")
    assert status == 201
    assert any("The SQL was left out" in warning for warning in made["warnings"])
    step = client.call("GET", f"/v1/playbooks/{made['id']}")[1]["steps"][0]
    assert (step["saved_query"], step["instruction"]) == (None, CALL["steps"][0]["instruction"])


def test_a_letter_more_makes_it_another_statement(client):
    client.call("POST", "/v1/conversations", CHAT)
    call = copy.deepcopy(CALL)
    call["steps"][0]["sql"] += " "
    made = client.call("POST", "/v1/playbooks", call, key="k1")[1]
    assert client.call("GET", f"/v1/playbooks/{made['id']}")[1]["steps"][0]["saved_query"] is None


def test_what_somebody_else_confirmed_is_no_way_in(client, world):
    client.call("POST", "/v1/conversations", CHAT, sub="jun")
    made = client.call("POST", "/v1/playbooks", CALL, key="k1")[1]
    assert client.call("GET", f"/v1/playbooks/{made['id']}")[1]["steps"][0]["saved_query"] is None


def test_a_call_with_faults_comes_back_with_all_of_them_and_saves_nothing(client, world):
    call = {**copy.deepcopy(CALL), "title": "", "schedule_time": "25:99", "may_end_run": True}
    call["steps"][0] |= {"database": "warehouse", "instruction": FINAL, "may_end_run": True}
    before = world.table.items()
    status, problem = client.call("POST", "/v1/playbooks", call, key="k1")
    assert (status, problem["code"]) == (422, "invalid_plan")
    assert {(finding["code"], finding["path"]) for finding in problem["findings"]} == {
        ("invalid_title", "/title"),
        ("unknown_field", "/may_end_run"),
        ("unknown_field", "/steps/0/may_end_run"),
        ("sql_instead_of_question", "/steps/0/instruction"),
        ("unknown_database", "/steps/0/database"),
        ("invalid_time", "/schedule_time"),
    }
    assert world.table.items() == before


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "invalid_json"),
        ("[1]", "invalid_json"),
        ('{"title": ', "invalid_json"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "invalid_json"),
        ('{"title": "\\ud800"}', "invalid_json"),
        ("{}", "invalid_plan"),
        ('{"steps": {"0": 1}, "title": 5}', "invalid_plan"),
    ],
)
def test_a_body_that_is_no_call_is_refused(client, body, code):
    status, problem = client.call("POST", "/v1/playbooks", body, key="k1")
    assert (status, problem["code"]) == (422, code)


def test_a_call_needs_a_key_and_a_zone_that_exists(client):
    assert client.call("POST", "/v1/playbooks", CALL)[1]["code"] == "missing_idempotency_key"
    status, problem = client.call("POST", "/v1/playbooks", CALL, key="k", query={"zone": "Asia/Seol"})
    assert (status, problem["findings"][0]["allowed"][0]) == (422, "Asia/Seoul")
    made = client.call("POST", "/v1/playbooks", CALL, key="k", query={"zone": "Europe/Berlin", "language": "ko"})[1]
    assert client.call("GET", f"/v1/playbooks/{made['id']}")[1]["schedule"]["rule"]["zone"] == "Europe/Berlin"


def test_the_tool_is_exported_for_chat_backends_and_has_no_place_for_enabling(client):
    status, answer = client.call("GET", "/v1/chat-tools")
    (tool,) = answer["tools"]
    assert (status, tool["name"]) == (200, "create_playbook")
    step = tool["input_schema"]["properties"]["steps"]["items"]
    assert set(step["required"]) == set(step["properties"]) == set(CALL["steps"][0])
    assert set(tool["input_schema"]["required"]) == set(CALL)
    text = json.dumps(tool)
    assert not any(word in text for word in ("may_end_run", "enable", "maxItems", "anyOf", "oneOf", "allOf", "$ref"))


def exported(client, id_):
    status, text = client.call("GET", f"/v1/playbooks/{id_}/export")
    assert status == 200
    assert isinstance(text, str)
    return text


def test_a_playbook_goes_out_as_yaml_and_comes_back_switched_off(client, world):
    client.call("POST", "/v1/conversations", CHAT)
    made = client.call("POST", "/v1/playbooks", CALL, key="k1")[1]
    text = exported(client, made["id"])
    assert "\n    statement: |-\n" in text
    status, back = client.call("POST", "/v1/playbooks/import", text, key="k2")
    assert (status, back["state"], back["warnings"]) == (201, "off", [])
    assert client.call("POST", "/v1/playbooks/import", text, key="k2")[1]["id"] == back["id"]
    assert exported(client, back["id"]) == text
    shown = client.call("GET", f"/v1/playbooks/{back['id']}")[1]
    assert shown["steps"][0]["saved_query"]["statement"] == FINAL
    assert shown["schedule"]["next_at"] is None
    assert client.call("POST", f"/v1/playbooks/{back['id']}/enable")[1]["state"] == "on"


def test_a_file_may_not_bring_sql_that_ran_nowhere(client):
    text = exported(client, client.call("POST", "/v1/playbooks", CALL, key="k1")[1]["id"])
    raw = yaml.safe_load(text)
    raw["steps"][0]["sql"] = {"statement": FINAL}
    back = client.call("POST", "/v1/playbooks/import", yaml.safe_dump(raw), key="k2")[1]
    assert any("The SQL was left out" in warning for warning in back["warnings"])
    assert client.call("GET", f"/v1/playbooks/{back['id']}")[1]["steps"][0]["saved_query"] is None


def test_a_file_that_names_what_is_not_here_is_refused_or_noted(client, world):
    raw = {
        "playbook": 1,
        "title": "x",
        "state": "on",
        "steps": [
            {"do": "query_database", "instruction": "how many", "inputs": {"database": "warehouse"}},
            {"do": "call_service", "instruction": "send it", "inputs": {"tool": "mailer"}},
            {"do": "create_document", "instruction": "a file"},
        ],
    }
    status, problem = client.call("POST", "/v1/playbooks/import", yaml.safe_dump(raw), key="k")
    assert status == 422
    assert [(finding["code"], finding["path"]) for finding in problem["findings"]] == [
        ("unknown_field", "/state"),
        ("unknown_database", "/steps/0/inputs/database"),
    ]
    del raw["state"]
    raw["steps"][0]["inputs"]["database"] = "shop"
    made = client.call("POST", "/v1/playbooks/import", yaml.safe_dump(raw), key="k")[1]
    assert any("mailer" in warning for warning in made["warnings"])
    assert any("format" in warning for warning in made["warnings"])
    steps = world.playbooks.definition(ACME, PlaybookId(made["id"]), 1).steps
    assert [step.id for step in steps] == [StepId("s1"), StepId("s2"), StepId("s3")]


def test_an_archive_lists_what_a_person_can_pick_and_a_pick_imports_one(client, world):
    other = copy.deepcopy(EXPORT[0] if isinstance(EXPORT, list) else EXPORT)
    other |= {"uuid": "other-one", "name": "Another chat"}
    first = copy.deepcopy(EXPORT[0] if isinstance(EXPORT, list) else EXPORT)
    archive = json.dumps([first, other])
    before = world.table.items()
    status, listed = client.call("POST", "/v1/conversations", archive)
    assert status == 200
    assert {item["id"] for item in listed["conversations"]} == {first["uuid"], "other-one"}
    assert {item["title"] for item in listed["conversations"]} >= {"Another chat"}
    assert all(item["queries"] == 2 and item["updated_at"] for item in listed["conversations"])
    assert client.call("POST", "/v1/conversations", archive, query={"pick": ""}) == (200, listed)
    assert world.table.items() == before
    status, shown = client.call("POST", "/v1/conversations", archive, query={"pick": "other-one"})
    assert (status, shown["title"]) == (201, "Another chat")
    status, problem = client.call("POST", "/v1/conversations", archive, query={"pick": "no-one"})
    assert (status, problem["code"]) == (422, "unknown_conversation")
