"""Which model the demo's functions are given."""

import pytest

from playbooks_local import cli
from playbooks_local.cloudformation_yaml import load_template
from playbooks_local.commands import demo
from playbooks_local.paths import TEMPLATE
from playbooks_local.problems import NotSetUp


@pytest.fixture
def given(monkeypatch, tmp_path):
    """What the stack is given, for the words of the command line."""

    def ask(*words):
        seen = []

        def stop_here(settings, **_more):
            seen.append(settings.model)
            raise NotSetUp("enough")

        monkeypatch.setattr(demo, "LocalStack", stop_here)
        assert cli.main(["demo", "--out", str(tmp_path), *words]) == 1
        return seen[0]

    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    monkeypatch.delenv("PLAYBOOKS_MODEL_ID", raising=False)
    return ask


def test_with_a_key_it_is_the_template_s_unless_another_is_named(given, monkeypatch):
    assert given().model_id == load_template(TEMPLATE)["Parameters"]["ModelId"]["Default"]
    assert given("--model", "another").model_id == "another"
    monkeypatch.setenv("PLAYBOOKS_MODEL_ID", "a-third")
    assert given().model_id == "a-third"


def test_without_a_key_it_is_the_stand_in_on_this_machine(given, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    model = given()
    assert model.model_id == "stand-in"
    assert model.base_url.startswith("http://127.0.0.1:")
