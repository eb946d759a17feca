"""The `playbooks` command: one line for what went wrong and what helps, never a traceback for a person's mistake."""

import argparse
import importlib
import io
import os
import sys
from collections.abc import Mapping, Sequence

from playbooks.errors import PlaybooksError, Refused

COMMANDS: Mapping[str, str] = {
    "cases": "run a case file and name each case that differs",
    "conversation": "what a chat record holds, and what would be kept of it",
    "demo": "a chat becomes a playbook, runs on schedule, makes the file, pushes",
    "harden": "print, or check, what makes a database role read-only",
    "schedule": "what a schedule means and when it runs next",
    "up": "start the local stack and keep it until Ctrl-C",
    "workspace": "register a deployment's people and databases from a file",
}
"""Each subcommand and its line of help; its module is loaded when it is the one that was asked for."""

READER_GONE = 141
"""The exit code of a program whose reader left, as a shell shows it (128 + SIGPIPE)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Parse, call one subcommand, and turn known errors into a line and an exit code."""
    # Who waits for the next line of a pipe or a file is to have it when it is said.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    try:
        words = sys.argv[1:] if argv is None else list(argv)
        arguments = parser_for(words).parse_args(words)
        code: int = arguments.run(arguments)
    except PlaybooksError as error:
        _tell(error)
        return 1
    except KeyboardInterrupt:
        print("playbooks: interrupted; everything it started is stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Who read the output has left: what is not yet written has nowhere to go, at exit neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    return code


def parser_for(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser that knows every command by name, and the one that these words ask for in full."""
    parser = argparse.ArgumentParser(prog="playbooks", description="Playbooks on this machine.")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked = next((word for word in words if not word.startswith("-")), None)
    for name, line in COMMANDS.items():
        command = subparsers.add_parser(name, help=line, description=f"{line[0].upper()}{line[1:]}.")
        if name == asked:
            module = importlib.import_module(f"playbooks_local.commands.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


def _tell(error: PlaybooksError) -> None:
    print(f"playbooks: {error.message}", file=sys.stderr)
    if isinstance(error, Refused):
        for finding in error.findings:
            if finding.message != error.message:
                print(f"  {f'{finding.path}: ' if finding.path else ''}{finding.message}", file=sys.stderr)
