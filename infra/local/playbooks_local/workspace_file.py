"""The workspace as a file: a tenant's people with their groups, and its databases with who reads them as which role.

For an issuer that is not Cognito the file is the directory: what stands in it is all there is. A person who is taken
out of it is inactive from then on, and a database that is taken out is not registered any more.
"""

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from playbooks.domain.ids import TenantId, UserId, parse_id
from playbooks.errors import Finding, Refused
from playbooks.ports.directory import Person, RegisteredDatabase

MAX_TEXT = 500
MAX_PORT = 65_535
LANGUAGES = ("en", "ko")
TLS = ("verify", "off")


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """What a file says; None for a part that it leaves out, which stays as it is."""

    tenant: TenantId
    people: tuple[Person, ...] | None
    databases: tuple[RegisteredDatabase, ...] | None


def parse_workspace(data: object) -> WorkspaceFile:
    """The file's data `{tenant, people?, databases?}`; raises Refused with every finding.

    A person is `{id, name, groups, active?, zone?, language?}`, where `id` is the `sub` of their tokens; a database is
    `{name, host, port?, database, secret, roles: [{group, role}], tls?, functions?, description?}`.
    """
    fields = _Fields([])
    top = fields.mapping(data, "", ("tenant",), ("people", "databases"))
    tenant = fields.id(top, "tenant", "")
    people = databases = None
    if "people" in top:
        people = tuple(_person(fields, one, path) for one, path in fields.items(top, "people", ""))
        fields.once([person.id for person in people], "/people", "person")
    if "databases" in top:
        databases = tuple(_database(fields, one, path) for one, path in fields.items(top, "databases", ""))
        fields.once([database.name for database in databases], "/databases", "database")
    if fields.found:
        raise Refused("The workspace file cannot be used as it is.", fields.found, code="invalid_workspace")
    return WorkspaceFile(TenantId(tenant), people, databases)


def _person(fields: "_Fields", data: object, path: str) -> Person:
    one = fields.mapping(data, path, ("id", "name", "groups"), ("active", "zone", "language"))
    active = one.get("active", True)
    if not isinstance(active, bool):
        fields.add("invalid", f"{path}/active", "true or false is expected.")
    zone = fields.text(one, "zone", path, "UTC")
    try:
        ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        fields.add("unknown_zone", f"{path}/zone", "An IANA zone such as Asia/Seoul is expected.")
    return Person(
        UserId(fields.id(one, "id", path)),
        fields.text(one, "name", path),
        frozenset(fields.texts(one, "groups", path)),
        active is True,
        zone,
        fields.choice(one, "language", path, LANGUAGES),
    )


def _database(fields: "_Fields", data: object, path: str) -> RegisteredDatabase:
    required = ("name", "host", "database", "secret", "roles")
    one = fields.mapping(data, path, required, ("port", "tls", "functions", "description"))
    port = one.get("port", 5432)
    if type(port) is not int or not 1 <= port <= MAX_PORT:
        fields.add("invalid", f"{path}/port", f"A whole number from 1 to {MAX_PORT} is expected.")
        port = 0
    roles = []
    for role, where in fields.items(one, "roles", path):
        pair = fields.mapping(role, where, ("group", "role"), ())
        roles.append((fields.text(pair, "group", where), fields.text(pair, "role", where)))
    host, tls = fields.text(one, "host", path), fields.choice(one, "tls", path, TLS)
    if tls == "off" and not _loopback(host):
        fields.add("invalid", f"{path}/tls", "TLS may be off for a database on this machine only.")
    return RegisteredDatabase(
        name=fields.id(one, "name", path),
        host=host,
        port=port,
        database=fields.text(one, "database", path),
        secret=fields.text(one, "secret", path),
        roles=tuple(roles),
        tls=tls,
        functions=tuple(fields.texts(one, "functions", path)),
        description=fields.text(one, "description", path, "", empty=True),
    )


def _loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class _Fields:
    """Reads fields and collects what is wrong with them, going on with a stand-in."""

    found: list[Finding]

    def add(self, code: str, path: str, message: str, allowed: Sequence[str] = ()) -> None:
        self.found.append(Finding(code, path, message, tuple(allowed)))

    def mapping(self, data: object, path: str, required: Sequence[str], optional: Sequence[str]) -> Mapping[str, Any]:
        if not isinstance(data, Mapping):
            self.add("invalid", path, f"Fields are expected: {', '.join(required)}.")
            return {}
        names = (*required, *optional)
        for name in data:
            if name not in names:
                self.add("unknown_field", f"{path}/{name}", "There is no such field here.", names)
        for name in required:
            if name not in data:
                self.add("missing", f"{path}/{name}", f"{name} is missing.")
        return data

    def items(self, data: Mapping[str, Any], name: str, path: str) -> list[tuple[object, str]]:
        listed = data.get(name, [])
        if not isinstance(listed, list):
            self.add("invalid", f"{path}/{name}", "A list is expected.")
            return []
        return [(one, f"{path}/{name}/{number}") for number, one in enumerate(listed)]

    def text(self, data: Mapping[str, Any], name: str, path: str, default: str = "", *, empty: bool = False) -> str:
        return self._text(data.get(name, default), f"{path}/{name}", empty=empty or name not in data)

    def texts(self, data: Mapping[str, Any], name: str, path: str) -> list[str]:
        return [self._text(one, where) for one, where in self.items(data, name, path)]

    def _text(self, value: object, path: str, *, empty: bool = False) -> str:
        if not isinstance(value, str) or not (value.strip() or empty) or len(value) > MAX_TEXT:
            self.add("invalid", path, f"A text of 1 to {MAX_TEXT} characters is expected.")
            return ""
        return value

    def id(self, data: Mapping[str, Any], name: str, path: str) -> str:
        if name not in data:
            return ""
        try:
            return parse_id(data[name], f"{path}/{name}")
        except Refused as refused:
            self.found.extend(refused.findings)
            return ""

    def choice(self, data: Mapping[str, Any], name: str, path: str, choices: Sequence[str]) -> str:
        value = data.get(name, choices[0])
        if value not in choices:
            self.add("unknown_choice", f"{path}/{name}", f"One of {', '.join(choices)} is expected.", choices)
            return choices[0]
        return str(value)

    def once(self, names: Sequence[str], path: str, what: str) -> None:
        for name in sorted({name for name in names if name and names.count(name) > 1}):
            self.add("duplicate", path, f"The {what} {name} stands there more than once.")


def changes(file: WorkspaceFile, people: Sequence[Person], databases: Sequence[RegisteredDatabase]) -> "Changes":
    """What makes the workspace, as it is now, into what the file says."""
    wanted = {person.id: person for person in file.people or ()}
    gone = [
        Person(known.id, known.name, frozenset(), active=False, zone=known.zone, language=known.language)
        for known in people
        if file.people is not None and known.id not in wanted and (known.active or known.groups)
    ]
    names = {database.name for database in file.databases or ()}
    return Changes(
        tuple(person for person in wanted.values() if person not in people) + tuple(gone),
        tuple(database for database in file.databases or () if database not in databases),
        tuple(known.name for known in databases if file.databases is not None and known.name not in names),
    )


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be written, and the names of databases that are to go."""

    people: tuple[Person, ...]
    databases: tuple[RegisteredDatabase, ...]
    removed: tuple[str, ...]

    def told(self, write: Callable[[str], object]) -> None:
        """A line for each."""
        for person in self.people:
            groups = ", ".join(sorted(person.groups)) or "no group"
            write(f"person {person.id} ({person.name}): {groups}" if person.active else f"person {person.id}: inactive")
        for database in self.databases:
            roles = ", ".join(f"{group} as {role}" for group, role in database.roles) or "nobody"
            write(f"database {database.name}: read by {roles}")
        for name in self.removed:
            write(f"database {name}: not registered any more")
        if not (self.people or self.databases or self.removed):
            write("Nothing changes.")
