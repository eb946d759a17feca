"""What an administrator registers before anybody can ask: the people and the database with its secret."""

import json

from playbooks.application.executors import check_executors
from playbooks.bootstrap.administration import Registrations, registrations
from playbooks.domain.ids import TenantId, UserId
from playbooks.ports.directory import Person, RegisteredDatabase, RegisteredExecutors
from playbooks_local.demo.database_url import DatabaseUrl
from playbooks_local.people import PEOPLE
from playbooks_local.stack import LocalStack

GROUP = "analysts"


def register_people(stack: LocalStack, *, zone: str, language: str) -> None:
    """The sample people of every tenant, as the directory is to know them."""
    workspace = _workspace(stack)
    for person in PEOPLE.values():
        known = Person(
            UserId(person.sub), person.name.capitalize(), frozenset(person.groups), zone=zone, language=language
        )
        workspace.register_person(TenantId(person.tenant), known)


def register_database(
    stack: LocalStack, tenant: str, name: str, database: DatabaseUrl, *, role: str, description: str
) -> None:
    """A database that the group may read as a role (empty: as the user that signs in), its password as a secret."""
    secret = {"user": database.user, "password": database.password}
    arn = stack.put_secret(f"{tenant}/{name}", json.dumps(secret))
    registered = RegisteredDatabase(
        name=name,
        host=database.host,
        port=database.port,
        database=database.database,
        secret=arn,
        roles=((GROUP, role),),
        tls="off" if database.loopback else "verify",
        description=description,
    )
    _workspace(stack).register_database(TenantId(tenant), registered)


def register_executors(stack: LocalStack, tenant: str, executors: RegisteredExecutors) -> None:
    """Tools of the tenant's chats that run the SQL they are given, beside the known ones.

    Raises Refused with every finding when the registration cannot be taken.
    """
    check_executors(executors)
    _workspace(stack).register_executors(TenantId(tenant), executors)


def _workspace(stack: LocalStack) -> Registrations:
    return registrations(stack.client("dynamodb"), stack.outputs["TableName"])
