"""A person's own database from its URL."""

import ipaddress
import urllib.parse
from dataclasses import dataclass, field

from playbooks.errors import Finding, Refused

FORM = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """Where a database is and who signs in."""

    host: str
    port: int
    database: str
    user: str
    password: str = field(repr=False)

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine; anywhere else TLS is verified."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_database_url(text: str) -> DatabaseUrl:
    """The parts of a URL, or Refused with what is missing. The password is never repeated in a message."""
    try:
        parts = urllib.parse.urlsplit(text)
        port = parts.port or 5432
    except ValueError:
        raise _refused("The port is no number.") from None
    if parts.scheme not in {"postgresql", "postgres"}:
        raise _refused("It does not begin with postgresql://.")
    database = urllib.parse.unquote(parts.path.lstrip("/"))
    missing = [
        name
        for name, value in (("user", parts.username), ("host", parts.hostname), ("database", database))
        if not value
    ]
    if missing:
        raise _refused(f"It has no {' and no '.join(missing)}.")
    return DatabaseUrl(
        host=str(parts.hostname),
        port=port,
        database=database,
        user=urllib.parse.unquote(parts.username or ""),
        password=urllib.parse.unquote(parts.password or ""),
    )


def _refused(problem: str) -> Refused:
    message = f"That is not a database URL: {problem} Expected: {FORM}."
    return Refused(message, [Finding("invalid_database_url", "/database", message)], code="invalid_database_url")
