"""The real client and adapter against a server that fails as a script says."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from playbooks.adapters.model.anthropic import anthropic_model
from playbooks.errors import PlaybooksError
from playbooks.ports.model import ModelBusy, ModelRejected, ModelRequest, Text, UserTurn
from tests.contract.model.scripted import Scripted, message

CASES = json.loads(Path(__file__).with_name("failures.json").read_text())
HELLO = message({"type": "text", "text": "Hello"})
ASK = ModelRequest("Be brief.", (UserTurn((Text("Hi"),)),), ())
KEY = "sk-test-key"

BODIES = {
    "MESSAGE": json.dumps(HELLO),
    "LARGE": json.dumps(message({"type": "text", "text": "x" * (5 * 2**20)})),
    "DEEP": json.dumps(message())[:-1] + ', "deep": ' + "[" * 10_000 + "]" * 10_000 + "}",
    "RATHER_DEEP": json.dumps(message())[:-1] + ', "deep": ' + "[" * 100 + "]" * 100 + "}",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_failing_service_is_told_in_words_that_help(case, monkeypatch):
    pauses = []
    monkeypatch.setattr("time.sleep", pauses.append)
    answers = [{**answer, "body": BODIES.get(str(answer["body"]), answer["body"])} for answer in case["answers"]]
    script = Scripted(answers)
    with script.server() as server:
        model = anthropic_model("claude-test-1", key=KEY, base_url=server.url)
        within = timedelta(seconds=case.get("within", 60))
        if "error" not in case:
            assert model.answer(ASK, within=within).turn.text == "Hello"
        else:
            with pytest.raises(PlaybooksError) as caught:
                model.answer(ASK, within=within)
            error = caught.value
            assert type(error).__name__ == case["error"]
            assert error.retryable is (case["error"] == "ModelBusy")
            for words in case["says"]:
                assert words in error.message
            assert KEY not in error.message
            if isinstance(error, ModelBusy):
                wait = error.retry_after
                assert (wait and wait.total_seconds()) == case.get("retry_after")
    assert len(script.requests) == case["requests"]
    assert len(pauses) == case["requests"] - 1


def test_a_retry_after_that_is_a_date_counts_from_now():
    script = Scripted([{"status": 429, "headers": {"retry-after": "Fri, 31 Dec 2100 23:59:59 GMT"}}])
    with script.server() as server:
        model = anthropic_model("claude-test-1", key=KEY, base_url=server.url)
        with pytest.raises(ModelBusy) as caught:
            model.answer(ASK, within=timedelta(seconds=60))
    assert caught.value.retry_after is not None
    assert caught.value.retry_after > timedelta(days=365)


@pytest.mark.parametrize("place", ["before", "within"])
def test_a_service_that_hangs_ends_with_the_time_given(place):
    script = Scripted([{"body": HELLO, "wait": place}])
    with script.server() as server:
        model = anthropic_model("claude-test-1", key=KEY, base_url=server.url)
        with pytest.raises(ModelBusy):
            model.answer(ASK, within=timedelta(seconds=0.5))
        assert not script.released.is_set()
        script.released.set()
    assert len(script.requests) == 1


def test_a_service_that_is_not_there_is_busy():
    with Scripted([{"body": HELLO}]).server() as server:
        url = server.url
    model = anthropic_model("claude-test-1", key=KEY, base_url=url)
    with pytest.raises(ModelBusy, match="cannot be reached"):
        model.answer(ASK, within=timedelta(seconds=10))


def test_no_attempt_is_made_without_time():
    script = Scripted([{"body": HELLO}])
    with script.server() as server:
        model = anthropic_model("claude-test-1", key=KEY, base_url=server.url)
        with pytest.raises(ModelBusy):
            model.answer(ASK, within=timedelta(0))
    assert script.requests == []


@pytest.mark.parametrize("key", ["", "  ", "sk-a\nb", "sk-é", "sk a"])
def test_a_key_that_cannot_be_one_is_refused_at_once(key):
    with pytest.raises(ModelRejected, match="API key"):
        anthropic_model("claude-test-1", key=key)
