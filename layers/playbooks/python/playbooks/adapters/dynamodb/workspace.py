"""What the administrator registered, and the people of a workspace that has no other directory."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import pack, unpack
from playbooks.adapters.dynamodb.items import item
from playbooks.adapters.dynamodb.operations import Delete, Item, Key, Put, Table
from playbooks.domain.ids import TenantId, UserId
from playbooks.ports.directory import Person, RegisteredDatabase, RegisteredExecutors, RoleCheck


class DynamoWorkspace:
    """`Workspace` and `Directory` on the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def databases(self, tenant: TenantId) -> Sequence[RegisteredDatabase]:
        found, _ = self._table.query(keys.workspace_partition(tenant), prefix=keys.WORKSPACE_DATABASES)
        return [unpack(RegisteredDatabase, stored) for stored in found]

    def database(self, tenant: TenantId, name: str) -> RegisteredDatabase | None:
        if not name or "#" in name:
            return None
        stored = self._table.get(keys.workspace_database(tenant, name))
        return unpack(RegisteredDatabase, stored) if stored is not None else None

    def executors(self, tenant: TenantId) -> RegisteredExecutors:
        stored = self._table.get(keys.workspace_executors(tenant))
        return unpack(RegisteredExecutors, stored) if stored is not None else RegisteredExecutors()

    def role_check(self, tenant: TenantId, database: RegisteredDatabase, role: str) -> RoleCheck | None:
        stored = self._table.get(_role_check_key(tenant, database, role))
        return unpack(RoleCheck, stored) if stored is not None else None

    def save_role_check(self, tenant: TenantId, database: RegisteredDatabase, check: RoleCheck) -> None:
        self._table.write(Put(item(_role_check_key(tenant, database, check.role), pack(check))))

    def people(self, tenant: TenantId, users: Collection[UserId]) -> Mapping[UserId, Person]:
        found = self._table.batch_get([keys.workspace_person(tenant, user) for user in users])
        people = [_read_person(stored) for stored in found.values()]
        return {person.id: person for person in people}

    def known_people(self, tenant: TenantId) -> Sequence[Person]:
        """Everybody who was registered, inactive ones too."""
        found, _ = self._table.query(keys.workspace_partition(tenant), prefix=keys.WORKSPACE_PEOPLE)
        return [_read_person(stored) for stored in found]

    def remove_database(self, tenant: TenantId, name: str) -> None:
        """Take a database's registration away: playbooks that ask it are blocked and say so."""
        self._table.write(Delete(keys.workspace_database(tenant, name)))

    def register_database(self, tenant: TenantId, database: RegisteredDatabase) -> None:
        """Write a database's registration over an older one."""
        self._table.write(Put(item(keys.workspace_database(tenant, database.name), pack(database))))

    def register_executors(self, tenant: TenantId, executors: RegisteredExecutors) -> None:
        """Write the query tools of the tenant over those that were added before."""
        self._table.write(Put(item(keys.workspace_executors(tenant), pack(executors))))

    def register_person(self, tenant: TenantId, person: Person) -> None:
        """Write a person over what was known of them."""
        attributes = pack(person)
        attributes["groups"] = sorted(person.groups)
        stored: Item = item(keys.workspace_person(tenant, person.id), attributes)
        self._table.write(Put(stored))


def _role_check_key(tenant: TenantId, database: RegisteredDatabase, role: str) -> Key:
    """Under the name alone, the answer of another server would hold on when the name is registered anew."""
    where = (database.host, str(database.port), database.database, database.secret)
    return keys.workspace_role_check(tenant, database.name, where, role)


def _read_person(stored: Mapping[str, object]) -> Person:
    groups: Any = stored.get("groups", [])
    return unpack(Person, {**stored, "groups": frozenset(str(group) for group in groups)})
