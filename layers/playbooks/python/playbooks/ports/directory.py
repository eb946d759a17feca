"""People, their groups and what the administrator registered, read at run time."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from playbooks.domain.ids import TenantId, UserId
from playbooks.errors import Finding


@dataclass(frozen=True, slots=True)
class Person:
    """A person as the directory knows them now, not as an old token did."""

    id: UserId
    name: str
    groups: frozenset[str]
    active: bool = True
    zone: str = "UTC"
    language: str = "en"


@dataclass(frozen=True, slots=True)
class RegisteredDatabase:
    """A database the administrator registered. `roles` says which group reads it as which database role.

    `secret` names the secret with user and password; it is never shown.
    """

    name: str
    host: str
    port: int
    database: str
    secret: str
    roles: tuple[tuple[str, str], ...]
    tls: str = "verify"
    functions: tuple[str, ...] = ()
    description: str = ""

    def role_for(self, person: Person) -> str | None:
        """The database role of the first group, in the administrator's order, that the person is in now."""
        for group, role in self.roles:
            if group in person.groups:
                return role
        return None


@dataclass(frozen=True, slots=True)
class RoleCheck:
    """What a database role was found to be allowed beyond reading; `risks` is empty when nothing was.

    `role` is the grant's, empty where people read as the login.
    """

    role: str
    checked_at: datetime
    risks: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class RegisteredExecutors:
    """Query tools of chats that the administrator added to the known ones: a call of one runs the SQL it carries.

    `names` are compared by their last part in any case (`Acme:ask_sales` is `ask_sales`); the keys name the arguments
    that hold the SQL, values that travel apart from it, and the database. `check_executors` bounds each list.
    """

    names: tuple[str, ...] = ()
    statement_keys: tuple[str, ...] = ()
    bind_keys: tuple[str, ...] = ()
    database_keys: tuple[str, ...] = ()


class Directory(Protocol):
    """Who a person is now."""

    def people(self, tenant: TenantId, users: Collection[UserId]) -> Mapping[UserId, Person]:
        """Those of the people whom the directory knows."""
        ...


class Workspace(Protocol):
    """What the administrator registered."""

    def databases(self, tenant: TenantId) -> Sequence[RegisteredDatabase]:
        """All registered databases."""
        ...

    def database(self, tenant: TenantId, name: str) -> RegisteredDatabase | None:
        """One by its name."""
        ...

    def executors(self, tenant: TenantId) -> RegisteredExecutors:
        """The query tools that were added; none by default."""
        ...

    def role_check(self, tenant: TenantId, database: RegisteredDatabase, role: str) -> RoleCheck | None:
        """The last check of a role where the database is registered now; None when there was none there."""
        ...

    def save_role_check(self, tenant: TenantId, database: RegisteredDatabase, check: RoleCheck) -> None:
        """Write a check, of the database as it is registered, over the one before."""
        ...


class Secrets(Protocol):
    """Secrets by name."""

    def get(self, name: str) -> dict[str, str]:
        """The secret's JSON object; raises NotFound with what to do."""
        ...
