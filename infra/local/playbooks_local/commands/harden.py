"""`playbooks harden DATABASE`: print the script that makes a read-only role, or check what a role may do."""

import argparse
import os
from typing import TYPE_CHECKING

from playbooks.adapters.postgres import PostgresDatabases
from playbooks.domain.sql.hardening import Hardening, script
from playbooks.ports.databases import Caps, DatabaseTarget
from playbooks_local.demo.database_url import FORM, parse_database_url

if TYPE_CHECKING:
    from collections.abc import Callable

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names no public type

_DEFAULT = Hardening("")


def add_to(subparsers: "Subparsers") -> None:
    """Register the subcommand."""
    parser = subparsers.add_parser("harden", help="print, or check, what makes a database role read-only")
    parser.add_argument("database", help=f"a database's name; with --check {FORM} of the login (or PGPASSWORD)")
    parser.add_argument("--check", action="store_true", help="connect and say what the role may do beyond reading")
    parser.add_argument("--role", default=_DEFAULT.role, help="the role that reads (default: %(default)s)")
    parser.add_argument("--login", default=_DEFAULT.login, help="the role that connects (default: %(default)s)")
    parser.add_argument("--schema", action="append", help="a schema to read; may be repeated (default: public)")
    parser.add_argument("--temp-file-limit", default=_DEFAULT.temp_file_limit, help="default: %(default)s")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, write: "Callable[[str], object]" = print) -> int:
    """0 when the script was printed or the role only reads; 1 when the check found something."""
    if arguments.check:
        return _check(arguments, write)
    name = arguments.database
    plan = Hardening(
        database=parse_database_url(name).database if "://" in name else name,
        role=arguments.role,
        login=arguments.login,
        schemas=tuple(arguments.schema or _DEFAULT.schemas),
        temp_file_limit=arguments.temp_file_limit,
    )
    write(script(plan).rstrip("\n"))
    return 0


def _check(arguments: argparse.Namespace, write: "Callable[[str], object]") -> int:
    url = parse_database_url(arguments.database)
    target = DatabaseTarget(
        name=url.database,
        host=url.host,
        port=url.port,
        database=url.database,
        user=url.user,
        password=url.password or os.environ.get("PGPASSWORD", ""),
        role=arguments.role,
        tls="off" if url.loopback else "verify",
    )
    with PostgresDatabases().session(target, Caps(seconds=30)) as session:
        risks = session.risks()
    for risk in risks:
        write(f"{risk.code}: {risk.message}")
    if risks:
        write(f"{len(risks)} to mend: playbooks harden {url.database} prints a script.")
        return 1
    write(f"{arguments.role} can only read {url.database}.")
    return 0
