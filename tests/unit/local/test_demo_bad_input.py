"""What a newcomer may get wrong: one clear line with what helps, exit code 1, and nothing was started."""

import json

import pytest

from playbooks.errors import Finding
from playbooks_local import cli
from playbooks_local.commands import demo
from playbooks_local.problems import NotSetUp

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]
ASKED = [
    {"role": "user", "content": "how many"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "execute_sql", "input": {"sql": "SELECT 1 AS n"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": '[{"n": 1}]'}]},
]


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch):
    def refuse(*_arguments, **_settings):
        raise AssertionError("something was started")

    monkeypatch.setattr(demo, "LocalStack", refuse)
    monkeypatch.setattr(demo, "StandInModel", refuse)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "chat.json").write_text(json.dumps({"messages": CHAT}))
    (tmp_path / "asked.json").write_text(json.dumps({"messages": ASKED}))
    (tmp_path / "sales.json").write_text('{"sales": [1, 2, 3]}')
    (tmp_path / "noise.bin").write_bytes(b"\xff\x00\x13" * 99)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--chat", "{files}/none.json"], "none.json cannot be read: No such file"),
        (["--chat", "{files}"], "cannot be read: Is a directory"),
        (["--chat", "{files}/sales.json"], "chat"),
        (["--chat", "{files}/noise.bin"], "chat"),
        (["--chat", "{files}/chat.json"], "No tool was used in this conversation"),
        (["--out", "{files}/sales.json/below"], "cannot write to {files}/sales.json/below (Not a directory)"),
        (["--out", "{files}/sales.json"], "make it writable, or choose another folder"),
        (["--zone", "Mars/Base"], "There is no time zone 'Mars/Base'"),
        (["--zone", "Asia/Seol"], "Asia/Seoul"),
        (["--database", "postgresql://u:p@h/d"], "--database needs --chat"),
        (["--chat", "{files}/asked.json", "--database", "mysql://u:p@h/d"], "does not begin with postgresql://"),
        (["--chat", "{files}/asked.json", "--database", "postgresql://127.0.0.1"], "It has no user and no database"),
        (["--chat", "{files}/asked.json", "--database", "postgresql://u:p@127.0.0.1:port/d"], "The port is no number"),
        (["--chat", "{files}/asked.json", "--database", "postgresql://u:hunter2@127.0.0.1:1/d"], "does not answer"),
    ],
)
def test_a_mistake_is_told_in_one_line(arguments, said, files, capsys):
    code = cli.main(["demo", "--out", str(files / "out"), *(argument.format(files=files) for argument in arguments)])
    out, error = capsys.readouterr()
    assert (code, out) == (1, "")
    assert said.format(files=files) in error
    assert "register" not in error
    assert "Traceback" not in error
    assert "hunter2" not in error
    assert len(error.splitlines()) == 1


def test_a_user_who_may_do_more_than_read_is_warned_of(files, monkeypatch, capsys):
    def stop_here(*_arguments, **_settings):
        raise NotSetUp("enough")

    monkeypatch.setattr(demo, "risks_of", lambda _own: (Finding("role_superuser", "", "The role is a superuser."),))
    monkeypatch.setattr(demo, "StandInModel", stop_here)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    own = ["--chat", str(files / "asked.json"), "--database", "postgresql://u:p@127.0.0.1/d"]
    assert cli.main(["demo", "--out", str(files / "out"), *own]) == 1
    out = capsys.readouterr().out
    assert "Warning: The role is a superuser." in out
    assert "playbooks harden d" in " ".join(out.split())
