"""Who may ask which database, as whom: looked up now, at enabling and again at each step."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from playbooks.domain.ids import TenantId, UserId
from playbooks.domain.playbook import Definition, StepKind
from playbooks.domain.schedule import Reason
from playbooks.errors import Finding, PlaybooksError
from playbooks.language.reasons import reason_text
from playbooks.ports.directory import Directory, Person, RegisteredDatabase, Workspace


class Blocked(PlaybooksError):
    """Raised when a right is missing at run time; the message says which, and who can give it."""

    code = "blocked"


def blocked(code: str, **values: object) -> Blocked:
    """The error of a reason that `language.reasons` has a sentence for."""
    return Blocked(reason_text(code, "en", **values), code=code, values=values)


def reason(code: str, language: str, **values: object) -> Reason:
    """A reason in the language of the person who reads it."""
    return Reason(code, reason_text(code, language, **values))


@dataclass(frozen=True, slots=True)
class Grant:
    """A person's way into a database: its registration and the role their group has there."""

    database: RegisteredDatabase
    role: str


def person_of(directory: Directory, tenant: TenantId, user: UserId) -> Person:
    """The person, active, or Blocked."""
    person = directory.people(tenant, [user]).get(user)
    if person is None:
        raise blocked("person_unknown")
    if not person.active:
        raise blocked("person_inactive", person=person.name)
    return person


def person_problem(person: Person | None, language: str) -> Reason | None:
    """Why nothing may run for this person, or None."""
    if person is None:
        return reason("person_unknown", language)
    if not person.active:
        return reason("person_inactive", language, person=person.name)
    return None


def grant_for(workspace: Workspace, tenant: TenantId, person: Person, name: str) -> Grant:
    """The person's grant on the database of that name, or Blocked."""
    database = workspace.database(tenant, name)
    if database is None:
        raise blocked("database_gone", database=name)
    role = database.role_for(person)
    if role is None:
        raise blocked("grant_gone", person=person.name, database=name)
    return Grant(database, role)


def usable_databases(databases: Collection[RegisteredDatabase], person: Person) -> dict[str, RegisteredDatabase]:
    """The databases the person may read, by name."""
    return {database.name: database for database in databases if database.role_for(person) is not None}


def grant_problem(
    definition: Definition, person: Person, databases: Mapping[str, RegisteredDatabase], language: str
) -> Reason | None:
    """The first query step of a definition that the person may not run, as a reason, or None."""
    for step in definition.steps:
        if step.kind is not StepKind.QUERY_DATABASE:
            continue
        name = step.inputs.get("database", "")
        database = databases.get(name)
        if database is None:
            return reason("database_gone", language, database=name)
        if database.role_for(person) is None:
            return reason("grant_gone", language, person=person.name, database=name)
    return None


def incomplete(findings: Sequence[Finding], language: str) -> Reason:
    """Why a definition with these findings cannot run, in one sentence; its page has them all."""
    numbers = sorted(
        {int(parts[2]) + 1 for f in findings if len(parts := f.path.split("/")) > 2 and parts[2].isdigit()}
    )
    if not numbers:
        return reason("no_steps", language)
    return reason("definition_incomplete", language, steps=", ".join(map(str, numbers)))
