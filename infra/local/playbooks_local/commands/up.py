"""`playbooks up`: the local stack, until Ctrl-C."""

import argparse
import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from playbooks_local.paths import STATE
from playbooks_local.people import PEOPLE
from playbooks_local.stack import LocalStack, StackSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names no public type


def add_to(subparsers: "Subparsers") -> None:
    """Register the subcommand."""
    parser = subparsers.add_parser("up", help="start the local stack and keep it until Ctrl-C")
    parser.add_argument("--state", type=Path, default=STATE, help="folder the stack owns while it runs")
    parser.add_argument("--port", type=int, help="port of the emulated AWS; a free one by default")
    parser.add_argument("--postgres-port", type=int, help="port of PostgreSQL; a free one by default")
    parser.set_defaults(run=run)


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
