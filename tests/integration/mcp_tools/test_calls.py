"""Calls of a real server, and what is known when a server misbehaves."""

import gzip
import json
import logging
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from playbooks.adapters.mcp_tools import McpTools
from playbooks.errors import PlaybooksError
from playbooks.ports.tools import Answered, NotSent, OutcomeUnknown, RegisteredTool, ToolCaps, ToolServerUnreachable

ARGUMENTS = {"to": ["[email]"], "subject": "주간 매출", "body": "첨부를 보세요"}
TOOLS = McpTools(allow_loopback=True)
QUICK = ToolCaps(seconds=5)


def registered(url, **more):
    return RegisteredTool(
        **{"name": "mail", "remote_name": "send_mail", "url": url, "allowed_hosts": ("127.0.0.1",), **more}
    )


def test_a_call_is_carried_out_with_its_arguments_as_they_are(server):
    outcome = TOOLS.call(registered(server.url), ARGUMENTS, token=server.token)
    assert outcome == Answered("send_mail: done, number 1")
    (sent,) = server.sent
    assert (sent.tool, sent.arguments, sent.key) == ("send_mail", ARGUMENTS, "")


def test_the_same_key_is_carried_out_once(server):
    tool = registered(server.url, key_argument="idempotency_key")
    first = TOOLS.call(tool, ARGUMENTS, token=server.token, idempotency_key="k1")
    again = TOOLS.call(tool, ARGUMENTS, token=server.token, idempotency_key="k1")
    other = TOOLS.call(tool, ARGUMENTS, token=server.token, idempotency_key="k2")
    assert first == again == Answered("send_mail: done, number 1")
    assert other == Answered("send_mail: done, number 2")
    assert [sent.key for sent in server.sent] == ["k1", "k2"]


def test_the_caller_s_key_replaces_one_among_the_arguments(server):
    tool = registered(server.url, key_argument="idempotency_key")
    TOOLS.call(tool, {**ARGUMENTS, "idempotency_key": "chosen"}, token=server.token, idempotency_key="ours")
    assert [sent.key for sent in server.sent] == ["ours"]


def test_a_tool_without_a_key_gets_none(server):
    TOOLS.call(registered(server.url), ARGUMENTS, token=server.token, idempotency_key="k1")
    assert [sent.key for sent in server.sent] == [""]


def test_arguments_that_do_not_fit_are_the_tool_s_answer(server):
    outcome = TOOLS.call(registered(server.url), {"to": 1}, token=server.token)
    assert isinstance(outcome, (Answered, NotSent))
    assert outcome.is_error if isinstance(outcome, Answered) else True
    assert server.sent == ()


def test_a_tool_that_does_not_exist_is_no_success(server):
    outcome = TOOLS.call(registered(server.url, remote_name="drop_tables"), {}, token=server.token)
    assert isinstance(outcome, NotSent) or outcome.is_error


@pytest.mark.parametrize("token", [None, "wrong"])
def test_a_wrong_token_is_not_sent(server, token):
    outcome = TOOLS.call(registered(server.url), ARGUMENTS, token=token)
    assert isinstance(outcome, NotSent)
    assert "token" in outcome.reason
    assert not outcome.retryable
    assert server.sent == ()


def test_a_server_says_what_tools_it_has(server):
    tools = {tool.name: tool for tool in TOOLS.describe(server.url, ["127.0.0.1"], token=server.token)}
    assert set(tools) == {"add_comment", "send_mail"}
    assert tools["send_mail"].input_schema["required"] == ["to", "subject", "body"]
    assert tools["add_comment"].read_only_hint is False
    assert "comment" in tools["add_comment"].description


def test_what_was_carried_out_is_shown_to_who_has_the_token(server):
    TOOLS.call(registered(server.url), ARGUMENTS, token=server.token)
    url = server.url.replace("/mcp", "/sent")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(url)
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {server.token}"})
    (sent,) = json.loads(urllib.request.urlopen(request).read())
    assert sent["arguments"] == ARGUMENTS


def test_nobody_listens():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/mcp"
        outcome = TOOLS.call(registered(url), ARGUMENTS, caps=QUICK)
        assert isinstance(outcome, NotSent)
        assert outcome.retryable
        with pytest.raises(ToolServerUnreachable):
            TOOLS.describe(url, ["127.0.0.1"], caps=QUICK)


def text(value):
    return {"content": [{"type": "text", "text": value}]}


ENDS = {
    "an answer": (lambda h, m: h.result(m, text("ok")), Answered, ""),
    "an error of the tool": (lambda h, m: h.result(m, {**text("no such page"), "isError": True}), Answered, ""),
    "an answer without content": (lambda h, m: h.result(m, {"content": []}), Answered, ""),
    "an error of its own": (lambda h, m: h.error(m, -31_000), Answered, ""),
    "no such tool": (lambda h, m: h.error(m, -32_602), NotSent, "told so"),
    "an internal error": (lambda h, m: h.error(m, -32_603), OutcomeUnknown, "no answer came"),
    "status 500": (lambda h, m: h.status(500), OutcomeUnknown, "HTTP 500"),
    "status 502": (lambda h, m: h.status(502), OutcomeUnknown, "HTTP 502"),
    "status 408": (lambda h, m: h.status(408), OutcomeUnknown, "HTTP 408"),
    "status 400": (lambda h, m: h.status(400), NotSent, "HTTP 400"),
    "status 403": (lambda h, m: h.status(403), NotSent, "HTTP 403"),
    "status 404": (lambda h, m: h.status(404), NotSent, "HTTP 404"),
    "status 429": (lambda h, m: h.status(429), NotSent, "HTTP 429"),
    "accepted and silent": (lambda h, m: h.status(202), OutcomeUnknown, "no answer came"),
    "hung up": (lambda h, m: h.hang_up(), OutcomeUnknown, "no answer came"),
    "too slow": (lambda h, m: h.wait(3), OutcomeUnknown, "no answer came"),
    "no JSON": (lambda h, m: h.answer(200, b"<html>"), OutcomeUnknown, "no answer came"),
    "a page": (lambda h, m: h.answer(200, b"<html>", "text/html"), OutcomeUnknown, "no answer came"),
    "another answer": (lambda h, m: h.result({"id": 999}, text("ok")), OutcomeUnknown, "no answer came"),
    "a stream cut off": (lambda h, m: h.answer(200, b"event: message\n", "text/event-stream"), OutcomeUnknown, ""),
    "a flood": (lambda h, m: h.flood(64 * 1024 * 1024), OutcomeUnknown, "more than"),
    "redirected": (lambda h, m: h.status(307, Location="/mcp"), NotSent, "another address"),
    "sent away": (lambda h, m: h.status(302, Location="http://169.254.169.254/latest/"), NotSent, "another address"),
}


@pytest.mark.parametrize(("behaviour", "kind", "says"), ENDS.values(), ids=ENDS)
def test_what_is_known_after(misbehaving, behaviour, kind, says):
    misbehaving.on_call = behaviour
    outcome = TOOLS.call(registered(misbehaving.mcp), ARGUMENTS, caps=ToolCaps(seconds=2))
    assert isinstance(outcome, kind), outcome
    assert says in getattr(outcome, "reason", "")
    assert misbehaving.methods.count("tools/call") == 1


BEFORE = {
    "status 500": lambda h, m: h.status(500),
    "status 401": lambda h, m: h.status(401),
    "hung up": lambda h, m: h.hang_up(),
    "too slow": lambda h, m: h.wait(3),
    "no greeting": lambda h, m: h.result(m, {"nonsense": True}),
    "redirected": lambda h, m: h.status(307, Location="/mcp"),
    "sent away": lambda h, m: h.status(302, Location="http://169.254.169.254/latest/"),
    "packed": lambda h, m: h.status(200, Content_Encoding="gzip", Content_Type="application/json"),
    "a flood": lambda h, m: h.flood(64 * 1024 * 1024),
}


@pytest.mark.parametrize("behaviour", BEFORE.values(), ids=BEFORE)
def test_what_goes_wrong_before_the_call_means_that_nothing_was_sent(misbehaving, behaviour):
    misbehaving.on_greeting = behaviour
    outcome = TOOLS.call(registered(misbehaving.mcp), ARGUMENTS, caps=ToolCaps(seconds=2))
    assert isinstance(outcome, NotSent), outcome
    assert "tools/call" not in misbehaving.methods
    with pytest.raises(PlaybooksError):
        TOOLS.describe(misbehaving.mcp, ["127.0.0.1"], caps=ToolCaps(seconds=2))


def test_an_error_of_the_tool_is_an_answer_and_an_error(misbehaving):
    misbehaving.on_call = ENDS["an error of the tool"][0]
    assert TOOLS.call(registered(misbehaving.mcp), {}, caps=QUICK) == Answered("no such page", is_error=True)


def test_what_is_no_text_is_named(misbehaving):
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    misbehaving.on_call = lambda h, m: h.result(m, {"content": [image, {"type": "text", "text": "done"}]})
    assert TOOLS.call(registered(misbehaving.mcp), {}, caps=QUICK) == Answered(
        "(image of the kind image/png, not shown)\ndone"
    )


def test_a_result_without_text_is_its_structured_content(misbehaving):
    misbehaving.on_call = lambda h, m: h.result(m, {"content": [], "structuredContent": {"id": "회의"}})
    assert TOOLS.call(registered(misbehaving.mcp), {}, caps=QUICK) == Answered('{"id": "회의"}')


def test_a_packed_answer_is_not_unpacked(misbehaving):
    bomb = gzip.compress(b" " * 50_000_000)

    def packed(handler, _message):
        handler.send_response(200)
        for name, value in (("Content-Encoding", "gzip"), ("Content-Length", str(len(bomb)))):
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(bomb)

    misbehaving.on_call = packed
    outcome = TOOLS.call(registered(misbehaving.mcp), {}, caps=QUICK)
    assert isinstance(outcome, OutcomeUnknown)
    assert "packed" in outcome.reason


def test_a_request_that_is_too_large_is_not_sent(misbehaving):
    outcome = TOOLS.call(registered(misbehaving.mcp), {"body": "x" * 2_000_000}, caps=QUICK)
    assert isinstance(outcome, NotSent)
    assert "larger than" in outcome.reason
    assert "tools/call" not in misbehaving.methods


def test_neither_token_nor_arguments_nor_answers_are_logged(server, caplog):
    with caplog.at_level(logging.DEBUG):
        TOOLS.call(registered(server.url), {**ARGUMENTS, "body": "canary-argument"}, token=server.token)
        TOOLS.call(registered(server.url), {**ARGUMENTS, "body": "canary-argument"}, token="canary-token")
    ours = [record for record in caplog.records if record.name.startswith(("mcp.client", "httpx", "httpcore"))]
    assert [record.getMessage() for record in ours] == []


def test_the_library_is_loaded_by_the_first_call_only():
    code = (
        "import sys; from playbooks.adapters.mcp_tools import McpTools; McpTools(); "
        "assert not {'mcp', 'httpx2', 'pydantic', 'anyio'} & set(sys.modules), 'loaded'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
