"""The `playbooks` command: one line for what went wrong and what helps, never a traceback for a person's mistake."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from playbooks.errors import PlaybooksError, Refused

COMMANDS = ("cases", "conversation", "demo", "harden", "schedule", "up", "workspace")


def main(argv: Sequence[str] | None = None) -> int:
    """Parse, call one subcommand, and turn known errors into a line and an exit code."""
    parser = argparse.ArgumentParser(prog="playbooks", description="Playbooks on this machine.")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        importlib.import_module(f"playbooks_local.commands.{name}").add_to(subparsers)
    arguments = parser.parse_args(argv)
    try:
        code: int = arguments.run(arguments)
    except PlaybooksError as error:
        print(f"playbooks: {error.message}", file=sys.stderr)
        if isinstance(error, Refused):
            for finding in error.findings:
                if finding.message != error.message:
                    print(f"  {finding.path or '/'}: {finding.message}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("playbooks: interrupted; everything it started is stopped.", file=sys.stderr)
        return 130
    return code
