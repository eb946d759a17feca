"""What an administrator's program needs: the workspace's registrations, and databases asked read-only."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from playbooks.adapters.dynamodb.table import DynamoTable
from playbooks.adapters.dynamodb.workspace import DynamoWorkspace
from playbooks.domain.ids import TenantId
from playbooks.ports.databases import Databases
from playbooks.ports.directory import Person, RegisteredDatabase, RegisteredExecutors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class Registrations(Protocol):
    """What the administrator of a workspace sees and writes; each write is over what stood there."""

    def known_people(self, tenant: TenantId) -> Sequence[Person]:
        """Everyone who was registered, active or not."""
        ...

    def databases(self, tenant: TenantId) -> Sequence[RegisteredDatabase]:
        """All registered databases."""
        ...

    def register_person(self, tenant: TenantId, person: Person) -> None:
        """A person with their groups."""
        ...

    def register_database(self, tenant: TenantId, database: RegisteredDatabase) -> None:
        """A database with who reads it as which role."""
        ...

    def remove_database(self, tenant: TenantId, name: str) -> None:
        """Register it no more."""
        ...

    def register_executors(self, tenant: TenantId, executors: RegisteredExecutors) -> None:
        """The query tools of the tenant's chats, beside the known ones."""
        ...


def registrations(client: "DynamoDBClient", table: str) -> Registrations:
    """The workspaces in the table of that name."""
    return DynamoWorkspace(DynamoTable(client, table))


def read_only_databases() -> Databases:
    """PostgreSQL, asked as a step asks it."""
    from playbooks.adapters.postgres import PostgresDatabases

    return PostgresDatabases()
