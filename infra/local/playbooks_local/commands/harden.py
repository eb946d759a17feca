"""`playbooks harden DATABASE`: print the script that makes a read-only role, or check what a role may do."""

import argparse
from typing import TYPE_CHECKING

from playbooks.domain.sql.hardening import Hardening, script
from playbooks_local.demo.database_url import FORM, parse_database_url
from playbooks_local.demo.own_database import PASSWORD_VARIABLE, read_own_database, risks_of

if TYPE_CHECKING:
    from collections.abc import Callable

_DEFAULT = Hardening("")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What follows the command's name."""
    parser.add_argument(
        "database", help=f"a database's name; with --check {FORM} of the login (or {PASSWORD_VARIABLE})"
    )
    parser.add_argument("--check", action="store_true", help="connect and say what the role may do beyond reading")
    parser.add_argument("--role", default=_DEFAULT.role, help="the role that reads (default: %(default)s)")
    parser.add_argument("--login", default=_DEFAULT.login, help="the role that connects (default: %(default)s)")
    parser.add_argument("--schema", action="append", help="a schema to read; may be repeated (default: public)")
    parser.add_argument("--temp-file-limit", default=_DEFAULT.temp_file_limit, help="default: %(default)s")


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
    url = read_own_database(arguments.database)
    risks = risks_of(url, role=arguments.role)
    for risk in risks:
        write(f"{risk.code}: {risk.message}")
    if risks:
        write(f"{len(risks)} to mend: playbooks harden {url.database} prints a script.")
        return 1
    write(f"{arguments.role} can only read {url.database}.")
    return 0
