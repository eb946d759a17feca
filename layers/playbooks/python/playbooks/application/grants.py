"""Who may ask which database, as whom: looked up now, at enabling and again at each step."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from playbooks.domain.ids import TenantId, UserId
from playbooks.domain.playbook import Definition, StepKind
from playbooks.domain.schedule import Reason
from playbooks.errors import PlaybooksError
from playbooks.ports.directory import Directory, Person, RegisteredDatabase, Workspace


class Blocked(PlaybooksError):
    """Raised when a right is missing at run time; the message says which, and who can give it."""

    code = "blocked"


@dataclass(frozen=True, slots=True)
class Grant:
    """A person's way into a database: its registration and the role their group has there."""

    database: RegisteredDatabase
    role: str


def person_of(directory: Directory, tenant: TenantId, user: UserId) -> Person:
    """The person, active, or Blocked."""
    person = directory.people(tenant, [user]).get(user)
    problem = person_problem(person)
    if problem is not None:
        raise Blocked(problem.text, code=problem.code)
    assert person is not None
    return person


def person_problem(person: Person | None) -> Reason | None:
    """Why nothing may run for this person, or None."""
    if person is None:
        return Reason("person_unknown", "The directory does not know the person this playbook runs for.")
    if not person.active:
        return Reason(
            "person_inactive", f"{person.name} is not active any more: transfer the playbook to somebody else."
        )
    return None


def grant_for(workspace: Workspace, tenant: TenantId, person: Person, name: str) -> Grant:
    """The person's grant on the database of that name, or Blocked."""
    database = workspace.database(tenant, name)
    if database is None:
        raise Blocked(
            f"The database {name!r} is not registered any more: the administrator can register it again.",
            code="database_gone",
        )
    role = database.role_for(person)
    if role is None:
        raise Blocked(
            f"{person.name} may not read the database {name!r}: the administrator grants it to a group.",
            code="grant_gone",
        )
    return Grant(database, role)


def usable_databases(databases: Collection[RegisteredDatabase], person: Person) -> dict[str, RegisteredDatabase]:
    """The databases the person may read, by name."""
    return {database.name: database for database in databases if database.role_for(person) is not None}


def grant_problem(definition: Definition, person: Person, databases: Mapping[str, RegisteredDatabase]) -> Reason | None:
    """The first query step of a definition that the person may not run, as a reason, or None."""
    for number, step in enumerate(definition.steps, 1):
        if step.kind is not StepKind.QUERY_DATABASE:
            continue
        name = step.inputs.get("database", "")
        database = databases.get(name)
        if database is None:
            return Reason(
                "database_gone", f"Step {number} asks the database {name!r}, which is not registered any more."
            )
        if database.role_for(person) is None:
            return Reason("grant_gone", f"{person.name} may not read the database {name!r} any more (step {number}).")
    return None
