"""Records too large for a request: a form for the file first, then the import by the upload's id."""

import json
from pathlib import Path

import pytest

from playbooks.domain.conversation.json_record import MAX_BYTES
from playbooks.ports.artifacts import UploadForm
from tests.unit.api.client import Client
from tests.world import World

CASES = Path(__file__).resolve().parents[2] / "cases/conversations/scenario"
CHAT = (CASES / "anthropic_messages.json").read_bytes()


@pytest.fixture
def world() -> World:
    return World().people()


@pytest.fixture
def client(world) -> Client:
    return Client(world)


def sent(client, world, file=CHAT, **claims):
    status, upload = client.call("POST", "/v1/uploads", **claims)
    assert status == 201
    assert world.artifacts.post(UploadForm(upload["url"], upload["fields"]), file)
    return upload


def test_an_uploaded_record_is_the_conversation_that_the_same_bytes_are_in_a_request(client, world):
    upload = sent(client, world)
    status, shown = client.call("POST", "/v1/conversations", query={"upload": upload["id"]})
    assert (status, shown["format"], len(shown["kept"])) == (201, "anthropic_messages", 2)
    assert client.call("POST", "/v1/conversations", CHAT.decode())[1]["id"] == shown["id"]
    assert client.call("POST", f"/v1/conversations/{shown['id']}/playbook", {}, key="k")[0] == 202


def test_a_form_says_whose_file_it_takes_how_large_and_how_long(client):
    upload = client.call("POST", "/v1/uploads")[1]
    assert upload["fields"]["key"] == f"uploads/acme/mina/{upload['id']}"
    assert (upload["largest"], upload["fields"]["largest"]) == (MAX_BYTES, str(MAX_BYTES))
    assert upload["expires_at"] == "2026-11-30T08:05:00Z"
    assert upload["then"].endswith(f"POST /v1/conversations?upload={upload['id']}")
    assert client.call("POST", "/v1/uploads")[1]["id"] != upload["id"]


@pytest.mark.parametrize("claims", [{"sub": "jun"}, {"tenant": "globex"}], ids=["a colleague", "another tenant"])
def test_for_a_stranger_the_upload_is_not_there(client, world, claims):
    upload = sent(client, world)
    before = world.table.items()
    status, problem = client.call("POST", "/v1/conversations", query={"upload": upload["id"]}, **claims)
    assert (status, problem["code"]) == (404, "not_found")
    assert world.table.items() == before


def test_a_form_that_was_never_used_says_what_to_do(client):
    upload = client.call("POST", "/v1/uploads")[1]
    status, problem = client.call("POST", "/v1/conversations", query={"upload": upload["id"]})
    assert (status, problem["code"]) == (404, "not_found")
    assert "send the file" in problem["detail"]


@pytest.mark.parametrize("id_", ["../mina/u1", "a/b", "#", " "])
def test_an_id_that_is_none_leads_to_no_key(client, id_):
    assert client.call("POST", "/v1/conversations", query={"upload": id_})[1]["code"] == "invalid_id"


def test_an_object_over_the_limit_is_not_read_whatever_the_form_let_through(client, world):
    upload = sent(client, world)
    world.artifacts.files[upload["fields"]["key"]] = b" " * (MAX_BYTES + 1)
    status, problem = client.call("POST", "/v1/conversations", query={"upload": upload["id"]})
    assert (status, problem["code"]) == (422, "too_large")


def test_an_uploaded_archive_is_listed_and_then_picked_from_without_sending_it_again(client, world):
    export = json.loads((CASES / "claude_ai_export.json").read_text())
    first = export[0] if isinstance(export, list) else export
    archive = json.dumps([first, {**first, "uuid": "other-one"}]).encode()
    upload = sent(client, world, archive)
    status, listed = client.call("POST", "/v1/conversations", query={"upload": upload["id"]})
    assert (status, len(listed["conversations"])) == (200, 2)
    status, shown = client.call("POST", "/v1/conversations", query={"upload": upload["id"], "pick": "other-one"})
    assert (status, len(shown["kept"])) == (201, 2)


def test_statements_that_were_not_kept_are_shown_as_far_as_an_answer_may_weigh(client):
    statement = f"DELETE FROM t WHERE a IN ({', '.join(['1'] * 20_000)})"
    use = {"type": "tool_use", "id": "t1", "name": "execute_sql", "input": {"sql": statement}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "[]"}
    chat = {"messages": [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]}
    (dropped,) = client.call("POST", "/v1/conversations", chat)[1]["dropped"]
    assert dropped["statement"].startswith("DELETE FROM t WHERE")
    assert len(dropped["statement"]) < 5_000
    assert dropped["statement"].endswith("characters left out)")
