"""The command line itself: what is loaded, what is said of a mistake, and when it is said."""

import importlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from playbooks.errors import Finding, Refused
from playbooks_local import cases, cli

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
COMMAND_LINE = re.compile(r"(?:^(?:# )?|`)(?:\.venv/bin/)?playbooks ([^`\n]+)", re.MULTILINE)
WEEKLY = ["schedule", "every week on Mon 09:00 Europe/Berlin from 2026-03-02", "--after", "2026-03-01T00:00Z"]


@pytest.fixture
def loaded(monkeypatch):
    """The command modules that are loaded, by name."""
    names = []
    real = importlib.import_module

    def load(name, *more):
        if name.startswith("playbooks_local.commands."):
            names.append(name.rpartition(".")[2])
        return real(name, *more)

    monkeypatch.setattr(cli.importlib, "import_module", load)
    return names


def test_help_names_every_command_and_loads_none(loaded, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    modules = {path.stem for path in (Path(cli.__file__).parent / "commands").glob("[!_]*.py")}
    assert set(cli.COMMANDS) == modules
    assert [name for name, line in cli.COMMANDS.items() if f" {name} {line}" not in shown] == []
    assert loaded == []


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_a_command_loads_itself_alone_and_has_help(name, loaded, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: playbooks {name}" in capsys.readouterr().out
    assert loaded == [name]


def test_every_command_line_of_the_readme_is_understood():
    lines = [found[1].strip() for found in COMMAND_LINE.finditer(README)]
    assert {line.split()[0] for line in lines} == set(cli.COMMANDS)
    for line in lines:
        words = shlex.split(line, comments=True)
        assert cli.parser_for(words).parse_args(words).command == words[0]


def test_an_interruption_while_the_command_is_loaded_is_one_line(monkeypatch, capsys):
    def interrupted(_name):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.importlib, "import_module", interrupted)
    assert cli.main(["demo"]) == 130
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_line_is_out_as_soon_as_it_is_said_when_the_output_is_piped(monkeypatch):
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, encoding="utf-8"))
    assert cli.main(WEEKLY) == 0
    assert pipe.getvalue().decode().count("\n") == 6


def test_a_reader_who_leaves_ends_the_program_without_a_word():
    reading, writing = os.pipe()
    os.close(reading)
    program = f"import sys; from playbooks_local import cli; sys.exit(cli.main({WEEKLY!r}))"
    done = subprocess.run([sys.executable, "-c", program], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (cli.READER_GONE, b"")


def test_an_output_that_is_no_file_is_written_to_as_it_is(monkeypatch):
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdout", output)
    assert cli.main(WEEKLY) == 0
    assert output.getvalue().count("\n") == 6


@pytest.mark.parametrize("option", ["--port", "--postgres-port"])
@pytest.mark.parametrize("port", ["99999", "0", "-1", "65536", "8080x", "٣", "9" * 30])
def test_a_port_that_does_not_exist_is_refused_before_anything_starts(option, port, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["up", f"{option}={port}"])
    assert ended.value.code == 2
    assert "choose a number from 1 to 65535" in capsys.readouterr().err.splitlines()[-1]


def test_a_finding_without_a_place_has_no_prefix(monkeypatch, capsys):
    findings = [Finding("a", "", "Say when."), Finding("b", "/zone", "Say where.")]

    def refuse(_words):
        raise Refused("Not like this.", findings, code="x")

    monkeypatch.setattr(cli, "parser_for", refuse)
    assert cli.main(["schedule"]) == 1
    assert capsys.readouterr().err.splitlines() == ["playbooks: Not like this.", "  Say when.", "  /zone: Say where."]


@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("content", ["a text\n", "[1]", '{"a": 1}', "", b"\xff\xfe", "[" * 99_999, None])
def test_what_is_no_case_file_is_told_in_one_line(kind, content, tmp_path, capsys):
    folder = kind == "conversations"
    path = tmp_path / ("expected.json" if folder else "cases.json")
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    code = cli.main(["cases", kind, str(tmp_path if folder else path)])
    out, error = capsys.readouterr()
    assert code == 1
    told = [*error.splitlines(), *out.splitlines()]
    assert "Traceback" not in error
    assert len(told) <= 2
    assert told[0].startswith("playbooks: ") or (told[-1].startswith("0 of "))


def test_a_folder_without_expectations_says_which_file_is_missing(tmp_path, capsys):
    (tmp_path / "chat.json").write_text(json.dumps({"messages": []}))
    assert cli.main(["cases", "conversations", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error == f"playbooks: {tmp_path}/expected.json cannot be read: No such file or directory.\n"
