"""Each layer under the guard holds alone: every refused statement is really sent, and a witness sees no change.

The connection layer is tried with a role that owns rights to write; the role is tried over a plain connection, without
READ ONLY, where one message may carry several statements.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pg8000.native
import pytest

from playbooks.adapters.postgres import PostgresDatabases
from playbooks.domain.sql.guard import check
from playbooks.domain.sql.hardening import Hardening, script
from playbooks.errors import PlaybooksError
from playbooks.ports.databases import Caps
from playbooks_local.postgres import PostgresServer
from tests.integration.conftest import shop_script

CASES = json.loads((Path(__file__).parents[2] / "cases" / "sql_guard.json").read_text(encoding="utf-8"))
REFUSED = [pytest.param(case["sql"], id=case["id"]) for case in CASES if case["verdict"] == "refuse"]
ALLOWED = [pytest.param(case["sql"], id=case["id"]) for case in CASES if case["verdict"] == "allow"]
BEYOND_RIGHTS = {"cmd_notify"}
"""NOTIFY needs no right that could be taken away; it reaches sessions that listen, and no data."""
WITHOUT_XML = {"xmlserialize"}
"""This build of PostgreSQL has no XML."""

_CHANNELS = ("chan", "op", "cast", "dom", "agg", "view", "col", "shadow")
_STATE = """
SELECT (SELECT string_agg(v::text, ' ' ORDER BY id) FROM victim v),
       (SELECT count(*) FROM audit_log),
       (SELECT last_value || is_called::text FROM s1),
       (SELECT string_agg(md5(data) || loid::text, ' ' ORDER BY loid, pageno) FROM pg_largeobject),
       (SELECT string_agg(relname || relkind::text || relowner::text, ' ' ORDER BY oid) FROM pg_class
         WHERE relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'pg\\_t%')),
       (SELECT string_agg(proname, ' ' ORDER BY oid) FROM pg_proc WHERE oid > 16384),
       (SELECT string_agg(rolname || coalesce(rolconfig::text, ''), ' ' ORDER BY rolname) FROM pg_roles),
       (SELECT count(*) FROM pg_replication_slots), (SELECT count(*) FROM pg_replication_origin),
       (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT count(*) FROM pg_prepared_xacts),
       (SELECT count(*) FROM pg_ls_dir('.')), (SELECT count(*) FROM pg_ls_dir('pg_snapshots')),
       (SELECT count(*) FROM pg_description)
"""


@dataclass
class Witness:
    """Looks at everything a statement could have changed, as the superuser."""

    connection: Any

    def look(self) -> tuple[object, ...]:
        """The state of tables, sequences, large objects, catalogues, slots, locks, files and signals."""
        for _ in range(500):
            ((others,),) = self.connection.run(
                "SELECT count(*) FROM pg_stat_activity WHERE usename IN ('app_owner', 'layers_login')"
            )
            if others == 0:
                break
            time.sleep(0.01)
        assert others == 0, "a session is still there five seconds after its connection was closed"
        (row,) = self.connection.run(_STATE)
        return (*row, len(self.connection.notifications))


@pytest.fixture(scope="module")
def server(postgres_server: PostgresServer) -> PostgresServer:
    """A database of its own with the shop in it, and the hardened role beside the owner."""
    postgres_server.create_database("layers", shop_script(postgres_server).replace("dbname=shop", "dbname=layers"))
    plan = Hardening("layers", role="layers_reader", login="layers_login")
    postgres_server.run_script("layers", script(plan))
    postgres_server.run_script("layers", "ALTER ROLE layers_login PASSWORD 'x'; ALTER ROLE app_owner PASSWORD 'x'")
    return postgres_server


@pytest.fixture(scope="module")
def witness(server: PostgresServer) -> Iterator[Witness]:
    with pg8000.native.Connection(
        "postgres", host="127.0.0.1", port=server.port, database="layers", password=server.password
    ) as connection:
        for channel in _CHANNELS:
            connection.run(f'LISTEN "{channel}"')
        yield Witness(connection)


@pytest.mark.parametrize("sql", REFUSED)
def test_the_connection_layer_alone_lets_nothing_change(server: PostgresServer, witness: Witness, sql: str) -> None:
    before = witness.look()
    caps = Caps(rows=1_000, message_bytes=10_000_000, seconds=1)
    try:
        with PostgresDatabases().session(server.target("layers", user="app_owner", password="x"), caps) as session:
            for _ in session.query(sql).rows:
                pass
            assert list(session.query("SELECT current_setting('transaction_read_only')").rows) == [("on",)]
            assert list(session.query("SELECT current_user::text").rows) == [("app_owner",)]
    except PlaybooksError as error:
        assert error.message  # noqa: PT017 - either end is right: rows, or an error that says why
    assert witness.look() == before


@pytest.mark.parametrize("sql", REFUSED)
def test_the_role_alone_lets_nothing_change(
    server: PostgresServer, witness: Witness, sql: str, request: pytest.FixtureRequest
) -> None:
    before = witness.look()
    connection = pg8000.native.Connection(
        "layers_login", host="127.0.0.1", port=server.port, database="layers", password="x", timeout=10
    )
    try:
        connection.run("SET default_transaction_read_only = off; SET statement_timeout = '1s'; SET ROLE layers_reader")
        connection.run(sql)
    except Exception:  # noqa: BLE001 - whatever the server or the driver says, the witness decides
        pass
    finally:
        connection.close()
    changed = witness.look() != before
    assert changed == (request.node.callspec.id in BEYOND_RIGHTS)


@pytest.mark.parametrize("sql", ALLOWED)
def test_an_allowed_statement_is_one_select_for_the_server(
    server: PostgresServer, sql: str, request: pytest.FixtureRequest
) -> None:
    if request.node.callspec.id in WITHOUT_XML:
        pytest.skip("this build of PostgreSQL has no XML")
    with PostgresDatabases().session(server.target("layers"), Caps(rows=10_000)) as session:
        result = session.query(sql)
        rows = list(result.rows)
    assert all(len(row) == len(result.columns) for row in rows)


def test_the_witness_notices_what_it_is_there_for(server: PostgresServer, witness: Witness) -> None:
    before = witness.look()
    server.run_script("layers", "UPDATE victim SET v = 'changed' WHERE id = 1; SELECT pg_notify('chan', 'x')")
    after = witness.look()
    assert [index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == [
        0,
        len(after) - 1,
    ]
    server.run_script("layers", "SELECT nextval('s1'); SELECT lo_create(77); CREATE TABLE made(id int)")
    final = witness.look()
    assert [index for index, (old, new) in enumerate(zip(after, final, strict=True)) if old != new][:2] == [2, 4]


def test_the_tables_the_guard_names_are_those_the_server_reads(server: PostgresServer) -> None:
    """Each plain table the plan scans is one that was named; views are named as they stand in the text."""
    with pg8000.native.Connection(
        "postgres", host="127.0.0.1", port=server.port, database="layers", password=server.password
    ) as connection:
        compared = 0
        for case in CASES:
            verdict = check(case["sql"])
            if case["verdict"] != "allow" or not verdict.allowed:
                continue
            ((plan,),) = connection.run("EXPLAIN (VERBOSE, FORMAT JSON) " + case["sql"])
            scanned = _relations(plan)
            named = {name.rpartition(".")[2].strip('"') for name in verdict.tables}
            views = named & {"v_plain", "columns"}
            assert scanned <= named or views, case["id"]
            compared += bool(scanned)
    assert compared > 80


def _relations(plan: object) -> set[str]:
    if isinstance(plan, dict):
        found = set().union(*(_relations(value) for value in plan.values()))
        return found | ({plan["Relation Name"]} if "Relation Name" in plan else set())
    if isinstance(plan, list):
        return set().union(*(_relations(item) for item in plan))
    return set()
