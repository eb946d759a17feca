"""Through the deployed API: a playbook goes out as YAML and comes back, and a chat's call makes a draft."""

import json
import urllib.request

import pytest

from playbooks.ports.directory import RegisteredExecutors
from playbooks_local.api_client import ApiClient, ApiProblem
from playbooks_local.demo.workspace import register_executors
from playbooks_local.people import JOON, MINA
from tests.upload_form import send_form


def send(installation, method, path, body=None, key=None):
    """Status, content type and text of one call."""
    headers = {"Authorization": f"Bearer {installation.stack.token(MINA)}"}
    if key is not None:
        headers["Idempotency-Key"] = key
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(installation.stack.api_url + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.status, answer.headers["Content-Type"], answer.read().decode()


def test_a_playbook_goes_out_as_yaml_and_comes_back_switched_off_with_its_sql(installation, playbook):
    status, kind, text = send(installation, "GET", f"/v1/playbooks/{playbook}/export")
    assert (status, kind) == (200, "application/yaml")
    assert text.startswith("playbook: 1\ntitle: ")
    status, _, answer = send(installation, "POST", "/v1/playbooks/import", text, key="file-1")
    made = json.loads(answer)
    assert (status, made["state"], made["warnings"]) == (201, "off", [])
    before, after = (installation.api.get(f"/v1/playbooks/{id_}") for id_ in (playbook, made["id"]))
    assert [step["saved_query"] and step["saved_query"]["statement"] for step in after["steps"]] == [
        step["saved_query"] and step["saved_query"]["statement"] for step in before["steps"]
    ]
    assert send(installation, "GET", f"/v1/playbooks/{made['id']}/export")[2] == text


def test_a_chats_call_keeps_the_sql_that_ran_in_an_imported_chat(installation):
    shown = installation.api.post("/v1/conversations", installation.record)
    (tool,) = installation.api.get("/v1/chat-tools")["tools"]
    empty = {
        name: [] if schema["type"] == "array" else 0 if schema["type"] == "integer" else ""
        for name, schema in tool["input_schema"]["properties"].items()
    }
    step = dict.fromkeys(tool["input_schema"]["properties"]["steps"]["items"]["properties"], "")
    statement = shown["kept"][-1]["statement"]
    step |= {"kind": "query_database", "instruction": "Sales by department", "database": "shop", "sql": statement}
    call = {**empty, "title": "Sales", "steps": [step], "schedule_kind": "none", "schedule_unit": "once"}
    made = installation.api.post("/v1/playbooks", call, key="chat-1")
    assert made["state"] == "draft"
    (kept,) = installation.api.get(f"/v1/playbooks/{made['id']}")["steps"]
    assert kept["saved_query"]["statement"] == statement


def test_a_record_that_no_request_can_hold_comes_by_an_upload_and_nobody_else_has_it(installation):
    rows = json.dumps([{"n": number, "note": "x" * 80} for number in range(100_000)])
    use = {"type": "tool_use", "id": "t1", "name": "execute_sql", "input": {"sql": "SELECT n, note FROM notes"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": rows}
    turns = [("user", "hi"), ("assistant", [use]), ("user", [result]), ("assistant", "Done.")]
    chat = json.dumps({"messages": [{"role": role, "content": content} for role, content in turns]}).encode()
    assert len(chat) > 10_000_000
    upload = installation.api.post("/v1/uploads")
    assert send_form(upload["url"], upload["fields"], chat) == 204
    shown = installation.api.post(f"/v1/conversations?upload={upload['id']}")
    assert (shown["size"], [item["statement"] for item in shown["kept"]]) == (len(chat), [use["input"]["sql"]])
    assert installation.api.get(f"/v1/conversations/{shown['id']}")["kept"] == shown["kept"]
    colleague = ApiClient(installation.stack.api_url, installation.stack.token(JOON))
    with pytest.raises(ApiProblem, match="no such upload"):
        colleague.post(f"/v1/conversations?upload={upload['id']}")


def test_a_query_tool_that_the_administrator_registers_counts_at_once(installation):
    use = {"type": "tool_use", "id": "t1", "name": "ask_sales", "input": {"sql": "SELECT 1 AS one"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": '[{"one": 1}]'}
    turns = [("user", "hi"), ("assistant", [use]), ("user", [result]), ("assistant", "One.")]
    chat = {"messages": [{"role": role, "content": content} for role, content in turns]}
    before = installation.api.post("/v1/conversations", chat)
    assert [item["code"] for item in before["dropped"]] == ["not_an_executor"]
    register_executors(installation.stack, MINA.tenant, RegisteredExecutors(("ask_sales",)))
    after = installation.api.get(f"/v1/conversations/{before['id']}")
    assert [query["statement"] for query in after["kept"]] == ["SELECT 1 AS one"]
