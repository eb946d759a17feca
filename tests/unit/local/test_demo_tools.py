"""A person's own query tools are known before their chat is read."""

import contextlib
import types

import pytest

from playbooks_local import cli
from playbooks_local.commands import demo


class Told(Exception):
    """Ends the demo where the chat would be brought."""


@pytest.mark.parametrize(
    ("arguments", "registered"),
    [([], []), (["--tool", "ask_sales", "--tool", "run_report"], [("shop", ("ask_sales", "run_report"))])],
    ids=["none named", "two named"],
)
def test_named_tools_are_registered_before_the_chat_is_brought(monkeypatch, tmp_path, arguments, registered):
    seen = []

    def bring(*_story):
        raise Told

    stack = types.SimpleNamespace(api_url="http://127.0.0.1:9", token=lambda _person: "token")
    monkeypatch.setattr(demo, "LocalStack", lambda *_given, **_named: contextlib.nullcontext(stack))
    monkeypatch.setattr(demo, "_model", lambda *_given: None)
    monkeypatch.setattr(demo, "StackSettings", lambda **_named: None)
    monkeypatch.setattr(demo, "_set_up", lambda *_given: b"")
    monkeypatch.setattr(demo, "ApiClient", lambda *_given: types.SimpleNamespace(post=lambda *_sent: None))
    monkeypatch.setattr(demo, "register_executors", lambda _stack, tenant, tools: seen.append((tenant, tools.names)))
    monkeypatch.setattr(demo, "_tell", bring)
    with pytest.raises(Told):
        cli.main(["demo", "--out", str(tmp_path), *arguments])
    assert seen == registered


@pytest.mark.parametrize("name", [" ", "a\x1bb"], ids=["nothing", "a control character"])
def test_a_name_that_is_none_is_refused_before_anything_starts(monkeypatch, capsys, name):
    monkeypatch.setattr(demo, "LocalStack", None)
    assert cli.main(["demo", "--tool", "ask_sales", "--tool", name]) == 1
    assert "/names/1: A name has 1 to 100 printable characters." in capsys.readouterr().err
