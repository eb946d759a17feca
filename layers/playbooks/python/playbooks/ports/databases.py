"""The databases people ask: read-only sessions on PostgreSQL, opened as the person who runs a step."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from playbooks.domain.dataset import Column, Row
from playbooks.domain.sql.schema import SchemaDescription
from playbooks.errors import Finding, PlaybooksError, Unavailable


class QueryFailed(PlaybooksError):
    """Raised when the server refused or broke off a statement; carries its message and SQLSTATE (5 characters)."""

    code = "query_failed"

    def __init__(self, message: str, *, sqlstate: str = "", position: int | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
        self.position = position
        """0-based offset into the statement where the server points, or None."""


class QueryTimedOut(PlaybooksError):
    """Raised when the statement did not finish within the session's deadline: ask for less, or narrow a condition."""

    code = "query_timed_out"


class ResultTooLarge(PlaybooksError):
    """Raised when one row or value is larger than a message may be; it was refused before it was read."""

    code = "result_too_large"


class ResultUnreadable(PlaybooksError):
    """Raised when the answer could not be understood: the session is over, and no row of it counts."""

    code = "result_unreadable"


class DatabaseUnreachable(Unavailable):
    """Raised when the server does not answer, is starting or full, or the connection broke."""

    code = "database_unreachable"


class WrongPassword(PlaybooksError):
    """Raised when the server refuses the registered user or password: the administrator registers them again."""

    code = "wrong_password"


class RoleRefused(PlaybooksError):
    """Raised when the login may not become the person's role (SET ROLE refused): no statement ran."""

    code = "role_refused"


class TlsRefused(PlaybooksError):
    """Raised when the server offers no TLS, or its certificate cannot be trusted: nothing was sent to it."""

    code = "tls_refused"


@dataclass(frozen=True, slots=True)
class DatabaseTarget:
    """Where to connect and as whom. `role` is what SET ROLE becomes; None stays with the login user.

    `tls="off"` is accepted for a loopback host only. `time_zone` (IANA) is what CURRENT_DATE and timestamptz texts
    go by: the zone of the person who runs. `ca_pem` adds a certificate authority beside the system's.
    """

    name: str
    host: str
    port: int
    database: str
    user: str
    password: str = field(repr=False)
    role: str | None = None
    tls: Literal["verify", "off"] = "verify"
    time_zone: str = "UTC"
    ca_pem: str | None = None


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits of one session. Rows and bytes beyond theirs are cut, and the cut is said; the others refuse."""

    rows: int = 100_000
    bytes: int = 256 * 1024 * 1024
    """Bytes of all rows of one query, as they come over the wire."""
    message_bytes: int = 16 * 1024 * 1024
    """Bytes of one row."""
    seconds: float = 120.0
    """One deadline for the whole session, connecting included; counted by the monotonic clock."""


@dataclass(slots=True)
class QueryResult:
    """Rows as they stream. `cut` and `elapsed` (seconds) are final once `rows` is exhausted.

    A failure in mid-stream is raised from `rows`: rows already read then do not count as an answer.
    """

    columns: tuple[Column, ...]
    rows: Iterator[Row]
    cut: str | None = None
    elapsed: float = 0.0


class ReadOnlySession(Protocol):
    """One connection in one READ ONLY transaction; statements run one after the other."""

    def query(self, sql: str) -> QueryResult:
        """Run one SELECT and stream its rows; the statement's text is sent as it is.

        Raises QueryFailed, QueryTimedOut, ResultTooLarge, ResultUnreadable, DatabaseUnreachable. After QueryFailed
        the session can be used again; a result still open is closed by the next query.
        """
        ...

    def describe(self, search: str = "", limit: int = 50) -> SchemaDescription:
        """Tables and views the person may read whose name, comment or columns contain every word of `search`."""
        ...

    def risks(self) -> tuple[Finding, ...]:
        """What the role may do beyond reading (superuser, create, owner of tables …): warnings, empty when nothing."""
        ...


class Databases(Protocol):
    """Opens sessions; every session has a connection of its own, closed when the context ends."""

    def session(self, target: DatabaseTarget, caps: Caps) -> AbstractContextManager[ReadOnlySession]:
        """Connect, pin READ ONLY, set limits and role.

        Raises DatabaseUnreachable, WrongPassword, TlsRefused, RoleRefused.
        """
        ...
