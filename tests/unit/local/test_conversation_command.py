"""`playbooks conversation FILE` shows what would be kept and dropped, and lists an archive."""

import json
from pathlib import Path

import pytest

from playbooks.domain.conversation.detect import READERS
from playbooks_local.cli import main
from playbooks_local.format_words import format_words

SCENARIO = Path(__file__).parents[2] / "cases" / "conversations" / "scenario"
RECORDS = sorted(path for path in SCENARIO.iterdir() if path.name != "expected.json")
STATEMENTS = json.loads((SCENARIO / "expected.json").read_text(encoding="utf-8"))["statements"]


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_every_format_is_shown_without_being_named(record, capsys):
    assert main(["conversation", str(record)]) == 0
    shown = capsys.readouterr().out
    kept = shown.split("dropped (", 1)[0]
    assert [line for line in STATEMENTS["Q4"].splitlines() if line not in kept] == []
    assert "dropped (result_error): Its result was an error" in shown


def test_a_format_is_named_in_words_a_newcomer_knows(capsys):
    main(["conversation", str(SCENARIO / "anthropic_messages.json")])
    assert "(Anthropic Messages, " in capsys.readouterr().out.splitlines()[0]
    assert [reader.name for reader in READERS if format_words(reader.name) == reader.name] == []


def archive(tmp_path):
    record = json.loads((SCENARIO / "claude_ai_export.json").read_text(encoding="utf-8"))
    record = record[0] if isinstance(record, list) else record
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{**record, "uuid": "one"}, {**record, "uuid": "two", "name": "Second \x1b[31mchat"}]))
    return str(file)


def test_an_archive_is_listed_and_one_is_shown_when_it_is_picked(tmp_path, capsys):
    file = archive(tmp_path)
    assert main(["conversation", file]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed[0] == "2 conversations; see one with --pick ID:"
    assert {line.split()[0] for line in listed[1:]} == {"one", "two"}
    assert all("2 queries" in line and "20" in line for line in listed[1:])
    assert main(["conversation", file, "--pick", "two"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Second ")
    assert "\x1b" not in shown
    assert "kept 2" in shown


def test_a_pick_that_is_not_there_says_which_are(tmp_path, capsys):
    assert main(["conversation", archive(tmp_path), "--pick", "three"]) == 1
    assert "no conversation with the id 'three'" in capsys.readouterr().err


def test_a_tool_of_ones_own_can_be_named(tmp_path, capsys):
    call = {"type": "tool_use", "id": "t1", "name": "ask_sales", "input": {"sql": "SELECT 1"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": '[{"n": 1}]'}
    file = tmp_path / "chat.json"
    turns = [("user", "hi"), ("assistant", [call]), ("user", [answer]), ("assistant", "One.")]
    file.write_text(json.dumps({"messages": [{"role": role, "content": content} for role, content in turns]}))
    main(["conversation", str(file)])
    assert "dropped (not_an_executor)" in capsys.readouterr().out
    main(["conversation", str(file), "--tool", "ask_sales"])
    assert "kept 1 (ran in ask_sales)\n    SELECT 1\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"messages": [{"role": "user", "content": "hi"}]}', "No tool was used"),
        ('{"sales": [1]}', "not a chat record"),
        ("", "The record is empty."),
        (None, "cannot be read: No such file or directory."),
    ],
)
def test_what_holds_nothing_is_told_in_a_line(tmp_path, capsys, content, said):
    file = tmp_path / "x.json"
    if content is not None:
        file.write_text(content)
    main(["conversation", str(file)])
    told = capsys.readouterr()
    assert said in told.out + told.err
    assert "Traceback" not in told.err
