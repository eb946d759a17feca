"""Query Spec cases: a spec, and the ids it must find in order, or every refusal it must meet.

A case is answered in memory and by a real PostgreSQL, and its Qdrant filter is compared with the expected one; the
Qdrant engines themselves are run by the tests.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy
from sqlalchemy.dialects import postgresql

from playbooks.errors import Finding
from playbooks.query_spec import (
    Access,
    Catalogue,
    Column,
    ColumnType,
    Limits,
    Nulls,
    Query,
    QuerySpecError,
    canonical_row,
    interpret,
    to_qdrant,
)
from playbooks.query_spec.memory_target import Row, answer
from playbooks.query_spec.sqlalchemy_target import SqlTarget
from playbooks_local import postgres
from playbooks_local.cases import CaseResult
from playbooks_local.cases.case_file import read_object

Scope = Mapping[str, str | bool]
Case = Mapping[str, Any]
Store = Callable[[Query, Scope], list[int]]
"""The ids of the page a store answers with, in order."""

_SQL_TYPES: Mapping[ColumnType, sqlalchemy.types.TypeEngine[Any]] = {
    ColumnType.INTEGER: sqlalchemy.BigInteger(),
    ColumnType.NUMBER: sqlalchemy.Double(),
    ColumnType.STRING: sqlalchemy.Text(),
    ColumnType.ENUM: sqlalchemy.Text(),
    ColumnType.BOOLEAN: sqlalchemy.Boolean(),
    ColumnType.DATETIME: sqlalchemy.DateTime(timezone=True),
    ColumnType.DATE: sqlalchemy.Date(),
    ColumnType.UUID: sqlalchemy.Uuid(as_uuid=False),
    ColumnType.STRINGS: postgresql.ARRAY(sqlalchemy.Text()),
}


@dataclass(frozen=True, slots=True)
class Profile:
    """A catalogue and what the caller is confined to."""

    catalogue: Catalogue
    scope: Scope


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The file's cases, and the world they are asked in; `rows` are as they arrive, not yet canonical."""

    cases: tuple[Case, ...]
    rows: tuple[Mapping[str, object], ...]
    profiles: Mapping[str, Profile]
    zone: ZoneInfo
    limits: Limits

    def read(self, case: Case) -> Query:
        """The case's query; raises QuerySpecError."""
        document = case.get("raw", case["spec"])
        profile = self.profiles[case["profile"]]
        return interpret(document, profile.catalogue, zone=self.zone, limits=self.limits)

    def canonical_rows(self) -> list[Row]:
        """The rows as every store holds them."""
        return [canonical_row(self.profiles["default"].catalogue, row) for row in self.rows]


def check(path: Path) -> Iterator[CaseResult]:
    """Run every case of the file; PostgreSQL is started for it and stopped after it."""
    file = read_case_file(path)
    rows = file.canonical_rows()
    with tempfile.TemporaryDirectory(prefix="playbooks-cases-") as folder, postgres.start(Path(folder)) as server:
        target = server.target("postgres")
        url = sqlalchemy.URL.create(
            "postgresql+pg8000", target.user, target.password, target.host, target.port, target.database
        )
        with sql_store(url, file) as ask_sql:
            stores: dict[str, Store] = {"memory": memory_store(rows), "PostgreSQL": ask_sql}
            for case in file.cases:
                yield CaseResult(case["id"], difference(file, case, stores))


def difference(file: CaseFile, case: Case, stores: Mapping[str, Store]) -> str | None:
    """What differs from the expected answer on the given stores, or None."""
    expected = [(issue["code"], issue["path"]) for issue in case.get("expected_issues", [])]
    try:
        query = file.read(case)
    except QuerySpecError as error:
        found = _issues(error.findings)
        return None if found == expected else f"expected {expected or case['expected_ids']}, refused with {found}"
    if expected:
        return f"expected the refusals {expected}, but it was accepted"
    scope = file.profiles[case["profile"]].scope
    for name, ask in stores.items():
        ids = ask(query, scope)
        if ids != case["expected_ids"]:
            return f"expected {case['expected_ids']}, {name} answers {ids}"
    return _qdrant_difference(case, query, scope)


def _qdrant_difference(case: Case, query: Query, scope: Scope) -> str | None:
    refusal = None if case["qdrant"] == "same" else (case["qdrant"]["code"], case["qdrant"]["message"])
    try:
        compiled = to_qdrant(query, scope)
    except QuerySpecError as error:
        found = [(item.code, item.message) for item in error.findings]
        return None if found == [refusal] else f"expected the Qdrant filter, refused with {found}"
    if refusal is not None:
        return f"expected Qdrant to be refused with {refusal}, got {json.dumps(compiled.filter, ensure_ascii=False)}"
    if compiled.filter != case["qdrant_filter"]:
        return f"expected {case['qdrant_filter']}, the Qdrant filter is {compiled.filter}"
    return None


def _issues(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(item.code, item.path) for item in findings]


def read_case_file(path: Path) -> CaseFile:
    """Read a file in the form of tests/cases/query_spec.json."""
    document = read_object(path, ("context", "limits", "catalogue", "rows", "cases"))
    columns = {"tenant_id": Column(type=ColumnType.STRING, access=Access.SCOPE)}
    columns |= {name: _column(name, described) for name, described in document["catalogue"].items()}
    safe = columns | {"is_deleted": Column(type=ColumnType.BOOLEAN, access=Access.SCOPE)}
    acme: Scope = {"tenant_id": "acme"}
    return CaseFile(
        cases=tuple(document["cases"]),
        rows=tuple(document["rows"]),
        profiles={
            "default": Profile(Catalogue(columns, "id"), acme),
            "distinct": Profile(Catalogue(columns, "id", Nulls.DISTINCT), acme),
            "safe": Profile(Catalogue(safe, "id"), {**acme, "is_deleted": False}),
        },
        zone=ZoneInfo(document["context"]["time_zone"]),
        limits=Limits(**document["limits"]),
    )


def _column(name: str, described: Mapping[str, Any]) -> Column:
    kind = ColumnType(described["type"])
    return Column(
        type=kind,
        operators=tuple(described["operators"]),
        choices=None if described["choices"] is None else tuple(described["choices"]),
        sortable=described["sortable"],
        fold=f"{name}_fold" if kind is ColumnType.STRING else None,
    )


def memory_store(rows: list[Row]) -> Store:
    """The reference."""

    def ask(query: Query, scope: Scope) -> list[int]:
        return [int(str(row["id"])) for row in answer(query, scope, rows)]

    return ask


def table_of(catalogue: Catalogue, name: str) -> sqlalchemy.Table:
    """A table that holds the canonical rows of a catalogue."""
    columns = [
        sqlalchemy.Column(column, _SQL_TYPES[described.type], primary_key=column == catalogue.key)
        for column, described in catalogue.columns.items()
    ]
    folds = [
        sqlalchemy.Column(described.fold, sqlalchemy.Text())
        for described in catalogue.columns.values()
        if described.fold is not None
    ]
    return sqlalchemy.Table(name, sqlalchemy.MetaData(), *columns, *folds)


@contextmanager
def sql_store(url: sqlalchemy.URL, file: CaseFile, name: str = "assets") -> Iterator[Store]:
    """The file's rows in a table of a PostgreSQL database; the table goes when the store is left."""
    engine = sqlalchemy.create_engine(url)
    table = table_of(file.profiles["default"].catalogue, name)
    targets = {id(profile.catalogue): SqlTarget(table, profile.catalogue) for profile in file.profiles.values()}
    try:
        with engine.begin() as connection:
            table.create(connection)
            connection.execute(table.insert(), file.canonical_rows())

        def ask(query: Query, scope: Scope) -> list[int]:
            with engine.connect() as connection:
                statement = targets[id(query.catalogue)].select(query, scope)
                return [int(row["id"]) for row in connection.execute(statement).mappings()]

        yield ask
        with engine.begin() as connection:
            table.drop(connection)
    finally:
        engine.dispose()
