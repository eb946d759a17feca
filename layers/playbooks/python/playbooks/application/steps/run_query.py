"""Run one SELECT as the person, into a dataset: the rows go to object storage, the model sees a preview."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from playbooks.application.artifact_keys import dataset_key
from playbooks.application.grants import grant_for, person_of
from playbooks.domain.dataset import PREVIEW_ROWS, Column, Row, encode
from playbooks.domain.ids import TenantId, UserId
from playbooks.domain.run import Run
from playbooks.domain.sql import guard
from playbooks.errors import PlaybooksError
from playbooks.ports.artifacts import Artifacts
from playbooks.ports.databases import Caps, Databases, DatabaseTarget
from playbooks.ports.directory import Directory, Secrets, Workspace
from playbooks.ports.stores import ExecutedQuery, StoredDataset

MAX_PREVIEW = 6_000
MAX_CELL = 200


@dataclass(frozen=True)
class QueryRunner:
    """What a query needs. Groups, grant and password are read for each statement, never remembered."""

    databases: Databases
    workspace: Workspace
    directory: Directory
    secrets: Secrets
    artifacts: Artifacts
    caps: Caps

    def target(self, tenant: TenantId, user: UserId, name: str, zone: str) -> DatabaseTarget:
        """Where to connect and as whom, by what the directory and the workspace say now; raises Blocked."""
        grant = grant_for(self.workspace, tenant, person_of(self.directory, tenant, user), name)
        database = grant.database
        secret = self.secrets.get(database.secret)
        return DatabaseTarget(
            name=database.name,
            host=database.host,
            port=database.port,
            database=database.database,
            user=secret.get("user", ""),
            password=secret.get("password", ""),
            role=grant.role or None,
            tls="off" if database.tls == "off" else "verify",
            time_zone=zone,
            ca_pem=secret.get("ca_pem") or None,
        )

    def functions(self, tenant: TenantId, name: str) -> frozenset[str]:
        """The functions the administrator allows beyond the list, for this database."""
        database = self.workspace.database(tenant, name)
        return frozenset(database.functions) if database is not None else frozenset()

    def run(
        self, run: Run, name: str, sql: str, *, dataset: str, suggested: bool
    ) -> tuple[ExecutedQuery, StoredDataset | None]:
        """Run one statement; a refusal or failure is in the log entry, with no dataset. Raises Blocked."""
        target = self.target(run.tenant, run.run_as, name, run.zone)
        verdict = guard.check(sql, extra_functions=self.functions(run.tenant, name))
        log = ExecutedQuery(
            statement=sql, database=name, role=target.role or target.user, suggested=suggested, ok=False,
            rows=0, milliseconds=0, tables=verdict.tables,
        )  # fmt: skip
        if not verdict.allowed:
            return _failed(log, f"Refused ({verdict.code}): {verdict.message}"), None
        key = dataset_key(run.tenant, run.id, dataset)
        tee = _Tee()
        try:
            with self.databases.session(target, self.caps) as session:
                result = session.query(sql)
                size = self.artifacts.put(key, encode(result.columns, tee.rows(result.rows)), "application/jsonl")
        except PlaybooksError as error:
            if error.retryable:
                raise
            return _failed(log, error.message), None
        stored = StoredDataset(
            name=dataset,
            key=key,
            rows=tee.count,
            size=size,
            columns=tuple((column.name, column.type.value) for column in result.columns),
            preview=preview_text(result.columns, tee.first),
            cut=result.cut or "",
        )
        milliseconds = round(result.elapsed * 1000)
        return (
            ExecutedQuery(
                statement=sql, database=name, role=log.role, suggested=suggested, ok=True, rows=tee.count,
                milliseconds=milliseconds, dataset=dataset, cut=stored.cut, tables=verdict.tables,
            ),
            stored,
        )  # fmt: skip

    def describe(self, run: Run, name: str, search: str) -> str:
        """Tables and columns the person may read, as text; raises Blocked."""
        target = self.target(run.tenant, run.run_as, name, run.zone)
        with self.databases.session(target, self.caps) as session:
            return session.describe(search).text()


class _Tee:
    """Counts rows and keeps the first ones while they stream through."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[Row] = []

    def rows(self, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            if self.count < PREVIEW_ROWS:
                self.first.append(row)
            self.count += 1
            yield row


def preview_text(columns: tuple[Column, ...], rows: list[Row]) -> str:
    """The first rows as JSON text of at most `MAX_PREVIEW` characters; long cells are cut and say so."""
    lines: list[str] = []
    size = 2
    for row in islice(rows, PREVIEW_ROWS):
        cells = [_cell(value) for value in row[: len(columns)]]
        line = json.dumps(cells, ensure_ascii=False)
        size += len(line) + 1
        if size > MAX_PREVIEW:
            break
        lines.append(line)
    return f"[{','.join(lines)}]"


def _cell(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}… ({len(text)} characters)"


def _failed(log: ExecutedQuery, error: str) -> ExecutedQuery:
    return ExecutedQuery(
        statement=log.statement, database=log.database, role=log.role, suggested=log.suggested, ok=False,
        rows=0, milliseconds=0, error=error, tables=log.tables,
    )  # fmt: skip
