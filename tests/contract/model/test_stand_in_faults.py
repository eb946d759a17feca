"""The stand-in fails as it is told to, and refuses what the API refuses; seen through the real client."""

import json
import urllib.error
import urllib.request
from datetime import timedelta

import pytest

from playbooks.adapters.model.anthropic import anthropic_model
from playbooks.ports.model import (
    AssistantTurn,
    ModelBusy,
    ModelRejected,
    ModelRequest,
    StopReason,
    Text,
    ToolCall,
    ToolSpec,
    UserTurn,
)
from playbooks_local.problems import PortInUse
from playbooks_local.standin_model import Fault, FaultKind, StandInModel

WITHIN = timedelta(seconds=30)
TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {"word": {"type": "string"}}})
ASK = ModelRequest("Be brief.", (UserTurn((Text("Hi"),)),), ())


@pytest.fixture
def stand_in():
    with StandInModel() as model:
        yield model


def model_of(stand_in):
    return anthropic_model("stand-in", key="none", base_url=stand_in.url)


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"x-api-key": "k"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_what_it_does_not_understand_it_says(stand_in):
    answer = model_of(stand_in).answer(ASK, within=WITHIN)
    assert "stand-in" in answer.turn.text
    assert answer.stop is StopReason.END
    assert stand_in.answered == 1


def test_two_faults_pass_by_the_client_s_own_retries(stand_in, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    stand_in.faults.add([Fault(FaultKind.OVERLOADED), Fault(FaultKind.SERVER_ERROR)])
    assert model_of(stand_in).answer(ASK, within=WITHIN).turn.text


def test_a_rate_limit_says_how_long_to_wait(stand_in):
    stand_in.faults.add([Fault(FaultKind.RATE_LIMIT, 60)])
    with pytest.raises(ModelBusy) as caught:
        model_of(stand_in).answer(ASK, within=WITHIN)
    assert caught.value.retry_after == timedelta(seconds=60)


def test_a_wrong_key_is_refused_for_good(stand_in):
    stand_in.faults.add([Fault(FaultKind.WRONG_KEY)])
    with pytest.raises(ModelRejected, match="ANTHROPIC_API_KEY"):
        model_of(stand_in).answer(ASK, within=WITHIN)


def test_a_refusal_is_a_stop_reason(stand_in):
    stand_in.faults.add([Fault(FaultKind.REFUSAL)])
    assert model_of(stand_in).answer(ASK, within=WITHIN).stop is StopReason.REFUSAL


def test_a_cut_answer_is_a_stop_reason(stand_in):
    stand_in.faults.add([Fault(FaultKind.CUT)])
    assert model_of(stand_in).answer(ASK, within=WITHIN).stop is StopReason.MAX_TOKENS


def test_a_line_that_is_hung_up_on_is_tried_again(stand_in, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    stand_in.faults.add([Fault(FaultKind.HANG_UP)])
    assert model_of(stand_in).answer(ASK, within=WITHIN).turn.text
    assert stand_in.answered == 1


def test_faults_are_ordered_over_http(stand_in):
    status, told = post(f"{stand_in.url}/stand-in/faults", [{"kind": "refusal", "count": 2}, {"kind": "overloaded"}])
    assert (status, told) == (200, {"faults": 3})
    model = model_of(stand_in)
    assert [model.answer(ASK, within=WITHIN).stop for _ in range(2)] == [StopReason.REFUSAL] * 2


@pytest.mark.parametrize("faults", [{}, [1], [{"kind": "nonsense"}], [{"kind": "cut", "count": 0}]])
def test_a_wrong_order_of_faults_is_refused_with_a_reason(stand_in, faults):
    status, told = post(f"{stand_in.url}/stand-in/faults", faults)
    assert status == 400
    assert told["error"]["message"]


@pytest.mark.parametrize(
    ("turns", "more", "reason"),
    [
        ((AssistantTurn((Text("Hi"),)),), {}, "first message"),
        ((UserTurn((Text("Hi"),)), AssistantTurn((ToolCall("t", "look", {}),))), {"then": "go on"}, "tool_result"),
        ((UserTurn((Text("Hi"),)),), {"max_tokens": 0}, "max_tokens"),
    ],
)
def test_it_refuses_what_the_api_refuses(stand_in, turns, more, reason):
    turns = (*turns, UserTurn((Text(more.pop("then")),))) if "then" in more else turns
    with pytest.raises(ModelRejected, match=reason):
        model_of(stand_in).answer(ModelRequest("", turns, (TOOL,), **more), within=WITHIN)


def test_a_strict_tool_that_is_not_closed_is_refused(stand_in):
    tool = {"name": "look", "strict": True, "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}], "tools": [tool]}
    status, told = post(f"{stand_in.url}/v1/messages", body)
    assert status == 400
    assert "strict" in told["error"]["message"]


def test_a_choice_of_a_tool_that_is_not_there_is_refused(stand_in):
    choice = {"type": "tool", "name": "nothing"}
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}], "tool_choice": choice}
    status, told = post(f"{stand_in.url}/v1/messages", body)
    assert status == 400
    assert "not found" in told["error"]["message"]


def test_a_taken_port_is_told(stand_in):
    port = int(stand_in.url.rsplit(":", 1)[1])
    with pytest.raises(PortInUse), StandInModel(port=port):
        pass
