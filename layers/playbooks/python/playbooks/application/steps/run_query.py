"""Run one SELECT as the person, into a dataset: the rows go to object storage, the model sees a summary."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from playbooks.application.artifact_keys import dataset_key
from playbooks.application.grants import Blocked, grant_for, person_of
from playbooks.application.steps.dataset_text import preview_text, summary_text
from playbooks.domain.dataset import encode
from playbooks.domain.dataset_summary import DatasetSummarizer
from playbooks.domain.ids import TenantId, UserId
from playbooks.domain.run import Run
from playbooks.domain.sql import guard
from playbooks.errors import PlaybooksError
from playbooks.ports.artifacts import Artifacts
from playbooks.ports.databases import (
    Caps,
    Databases,
    DatabaseTarget,
    QueryFailed,
    QueryTimedOut,
    ReadOnlySession,
    ResultUnreadable,
    RoleRefused,
    TlsRefused,
    WrongPassword,
)
from playbooks.ports.directory import Directory, RoleCheck, Secrets, Workspace
from playbooks.ports.stores.runs import ExecutedQuery, StoredDataset

ROLE_CHECKED_EVERY = timedelta(days=1)
MAX_COLUMNS = 200
"""Columns of a dataset that are named in the log and to the model; its file has all of them."""
MAX_ERROR = 2_000
"""Characters of a failure that are kept and shown; a server quotes values in it, whatever their length."""


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
        """Run one statement; a refusal or failure that another statement may mend is in the log entry, no dataset.

        Raises Blocked when a right is gone, WrongPassword or TlsRefused when the registration is wrong, and what may
        pass by itself (retryable).
        """
        target = self.target(run.tenant, run.run_as, name, run.zone)
        verdict = guard.check(sql, extra_functions=self.functions(run.tenant, name))
        log = ExecutedQuery(
            statement=sql, database=name, role=target.role or target.user, suggested=suggested, ok=False,
            rows=0, milliseconds=0, tables=verdict.tables,
        )  # fmt: skip
        if not verdict.allowed:
            return _failed(log, f"Refused ({verdict.code}): {verdict.message}"), None
        key = dataset_key(run.tenant, run.id, dataset)
        try:
            with self._session(target) as session:
                result = session.query(sql)
                summarizer = DatasetSummarizer(result.columns)
                rows = summarizer.watch(result.rows)
                size = self.artifacts.put(key, encode(result.columns, rows), "application/jsonl")
        except (Blocked, WrongPassword, TlsRefused):
            raise
        except PlaybooksError as error:
            if error.retryable:
                raise
            return _failed(log, error.message), None
        summary = summarizer.summary(dataset, size, result.cut)
        stored = StoredDataset(
            name=dataset,
            key=key,
            rows=summary.row_count,
            size=size,
            columns=tuple((column.name, column.type.value) for column in result.columns[:MAX_COLUMNS]),
            columns_left_off=max(len(result.columns) - MAX_COLUMNS, 0),
            preview=preview_text(summary),
            summary=summary_text(summary),
            cut=result.cut or "",
        )
        milliseconds = round(result.elapsed * 1000)
        ran = replace(
            log, ok=True, rows=stored.rows, milliseconds=milliseconds, dataset=dataset, cut=stored.cut
        )  # fmt: skip
        return ran, stored

    def check_role(self, run: Run, name: str, now: datetime) -> None:
        """Find out once a day what the person's role may do beyond reading, for the warning at enabling.

        It stands here and not with the API because only the step runner has a driver and a way to the database. A
        check that fails is left for the next step: the step's own statements will tell what is wrong.
        """
        grant = grant_for(self.workspace, run.tenant, person_of(self.directory, run.tenant, run.run_as), name)
        last = self.workspace.role_check(run.tenant, grant.database, grant.role)
        if last is not None and now - last.checked_at < ROLE_CHECKED_EVERY:
            return
        with suppress(QueryFailed, QueryTimedOut, ResultUnreadable):
            with self._session(self.target(run.tenant, run.run_as, name, run.zone)) as session:
                risks = session.risks()
            self.workspace.save_role_check(run.tenant, grant.database, RoleCheck(grant.role, now, risks))

    def describe(self, run: Run, name: str, search: str) -> str:
        """Tables and columns the person may read, as text; raises Blocked."""
        target = self.target(run.tenant, run.run_as, name, run.zone)
        with self._session(target) as session:
            return session.describe(search).text()

    @contextmanager
    def _session(self, target: DatabaseTarget) -> Iterator[ReadOnlySession]:
        """A session as the person; a role that the login may not become is a right that is gone."""
        try:
            with self.databases.session(target, self.caps) as session:
                yield session
        except RoleRefused as refused:
            raise Blocked(refused.message, code=refused.code) from refused


def _failed(log: ExecutedQuery, error: str) -> ExecutedQuery:
    return replace(log, error=error if len(error) <= MAX_ERROR else f"{error[:MAX_ERROR]}… (cut)")
