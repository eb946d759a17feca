"""The Bedrock client of the same package against a scripted server: signed, and the same messages."""

from datetime import timedelta

import pytest

from playbooks.adapters.model.bedrock import bedrock_model
from playbooks.ports.model import ModelRejected, ModelRequest, Text, UserTurn
from tests.contract.model.scripted import Scripted, message

ASK = ModelRequest("Be brief.", (UserTurn((Text("Hi"),)),), ())
WITHIN = timedelta(seconds=30)


@pytest.fixture(autouse=True)
def credentials(monkeypatch, tmp_path):
    for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def ask(script):
    with script.server() as server:
        model = bedrock_model("anthropic.claude-test-1", region="eu-west-1", base_url=server.url)
        return model.answer(ASK, within=WITHIN)


def test_a_request_is_signed_and_names_the_model_in_its_path(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    script = Scripted([{"body": message({"type": "text", "text": "Hello"})}])
    assert ask(script).turn.text == "Hello"
    (request,) = script.requests
    assert request["path"] == "/model/anthropic.claude-test-1/invoke"
    assert "Credential=AKIATEST/" in request["headers"]["Authorization"]
    assert request["body"]["anthropic_version"]
    assert request["body"]["system"][0]["cache_control"] == {"type": "ephemeral"}


def test_a_model_without_access_says_what_to_allow(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    script = Scripted([{"status": 403, "body": {"message": "no access"}}])
    with pytest.raises(ModelRejected, match="bedrock:InvokeModel"):
        ask(script)


def test_missing_credentials_are_told(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelRejected, match="no AWS credentials"):
        ask(Scripted([{"body": message()}]))


@pytest.fixture(autouse=True)
def _forget_sessions():
    from anthropic.lib.aws._auth import _get_session

    _get_session.cache_clear()
    yield
    _get_session.cache_clear()


def test_a_missing_region_is_told(monkeypatch):
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelRejected, match="AWS_REGION"):
        bedrock_model("anthropic.claude-test-1")
