"""`playbooks up`: the local stack, until Ctrl-C."""

import argparse
import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from playbooks_local.loopback_ports import LAST_PORT
from playbooks_local.paths import STATE
from playbooks_local.people import PEOPLE
from playbooks_local.stack import LocalStack, StackSettings

if TYPE_CHECKING:
    from collections.abc import Callable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What follows the command's name."""
    parser.add_argument("--state", type=Path, default=STATE, help="folder the stack owns while it runs")
    parser.add_argument("--port", type=_port, metavar="PORT", help="port of the emulated AWS; a free one by default")
    parser.add_argument("--postgres-port", type=_port, metavar="PORT", help="port of PostgreSQL; a free one by default")


def run(arguments: argparse.Namespace, write: "Callable[[str], object]" = print) -> int:
    """Start, say where everything is, wait; Ctrl-C ends it with exit code 0."""
    settings = StackSettings(state=arguments.state, emulator_port=arguments.port, postgres_port=arguments.postgres_port)
    with LocalStack(settings, report=write) as stack:
        for line in describe(stack):
            write(line)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()
    write("ended; nothing is left running.")
    return 0


def describe(stack: LocalStack) -> list[str]:
    """Where a person finds each part, and how to call the API."""
    login = f"""curl -s -H 'content-type: application/json' -d '{{"person": "mina"}}' {stack.issuer.url}/dev/login"""
    lines = [
        "",
        f"API       {stack.api_url}/v1/…",
        f"AWS       {stack.emulator.url} (emulated; the log is {stack.emulator.log})",
        f"Issuer    {stack.issuer.url} (people: {', '.join(PEOPLE)})",
        f"SNS       {stack.recorder.url} (keeps what would be pushed)",
    ]
    if stack.postgres is not None:
        password_file = stack.settings.state / "postgres" / "superuser.txt"
        lines.append(f"Postgres  127.0.0.1:{stack.postgres.port}, user postgres, password in {password_file}")
    return [*lines, "", f"A token:  {login}", "Ctrl-C ends everything."]


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= LAST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a port: choose a number from 1 to {LAST_PORT}")
