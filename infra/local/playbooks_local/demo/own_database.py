"""A person's own database: tried before anything is built on it, its faults told in the words of its URL."""

import dataclasses
import os

from playbooks.bootstrap.administration import read_only_databases
from playbooks.errors import Finding, PlaybooksError
from playbooks.ports.databases import (
    Caps,
    DatabaseTarget,
    DatabaseUnreachable,
    QueryFailed,
    ResultTooLarge,
    WrongPassword,
)
from playbooks_local.demo.database_url import DatabaseUrl, parse_database_url

PASSWORD_VARIABLE = "PGPASSWORD"  # noqa: S105 - its name, as PostgreSQL's own programs call it
_SECONDS = 30
_NO_SUCH_DATABASE = "3D000"


class OwnDatabaseFault(PlaybooksError):
    """Raised when the database cannot be asked as its URL says; the message names the part that is wrong."""

    code = "own_database_fault"


def read_own_database(text: str) -> DatabaseUrl:
    """The URL's parts, the password from PGPASSWORD when the URL has none; raises Refused for what is no URL."""
    url = parse_database_url(text)
    return dataclasses.replace(url, password=url.password or os.environ.get(PASSWORD_VARIABLE, ""))


def risks_of(url: DatabaseUrl, *, role: str | None = None) -> tuple[Finding, ...]:
    """Connect once; what the user (or the role it takes on) may do beyond reading, empty when nothing.

    Raises OwnDatabaseFault for what the URL says wrongly, TlsRefused, RoleRefused.
    """
    target = DatabaseTarget(
        name=url.database,
        host=url.host,
        port=url.port,
        database=url.database,
        user=url.user,
        password=url.password,
        role=role,
        tls="off" if url.loopback else "verify",
    )
    try:
        with read_only_databases().session(target, Caps(seconds=_SECONDS)) as session:
            return session.risks()
    except WrongPassword as error:
        raise OwnDatabaseFault(
            f"{_place(url)} refuses the user {url.user} for the database {url.database}: check user and password in "
            f"the URL (or {PASSWORD_VARIABLE}), and that the server's pg_hba.conf lets them in from here."
        ) from error
    except QueryFailed as error:
        if error.sqlstate != _NO_SUCH_DATABASE:
            raise
        raise OwnDatabaseFault(
            f"{_place(url)} has no database {url.database}: check the name at the end of the URL."
        ) from error
    except DatabaseUnreachable as error:
        raise _unreachable(url, error) from error


def _unreachable(url: DatabaseUrl, error: DatabaseUnreachable) -> PlaybooksError:
    match error.__cause__:
        case ResultTooLarge():
            return OwnDatabaseFault(f"What answers at {_place(url)} is no PostgreSQL: check the port in the URL.")
        case OSError() | UnicodeError() as cause:
            return OwnDatabaseFault(
                f"The database does not answer at {_place(url)} ({cause}): check host and port in the URL, and that it "
                "runs."
            )
        case _:
            return error


def _place(url: DatabaseUrl) -> str:
    return f"{url.host}:{url.port}"
