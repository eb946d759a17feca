"""A read-only session on a real server: what comes back, what is cut, what is refused, what the next query finds."""

import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from playbooks.adapters.postgres import PostgresDatabases
from playbooks.adapters.postgres.session import PostgresSession
from playbooks.domain.dataset import ColumnType, encode
from playbooks.errors import PlaybooksError
from playbooks.ports.databases import (
    Caps,
    DatabaseTarget,
    DatabaseUnreachable,
    QueryFailed,
    QueryTimedOut,
    ResultTooLarge,
    RoleRefused,
    TlsRefused,
    WrongPassword,
)
from playbooks_local.postgres import PostgresServer

DATABASES = PostgresDatabases()


@pytest.fixture(scope="module")
def reader(shop: PostgresServer) -> DatabaseTarget:
    """The login app_ro, which may only read."""
    shop.run_script("shop", "ALTER ROLE app_ro PASSWORD 'only-reads'")
    return shop.target("shop", user="app_ro", password="only-reads")


@pytest.fixture
def session(reader: DatabaseTarget) -> Iterator[PostgresSession]:
    with DATABASES.session(reader, Caps()) as opened:
        yield opened


def test_values_come_as_their_types_and_what_python_cannot_hold_as_text(session: PostgresSession) -> None:
    result = session.query(
        "SELECT true AS b, 9223372036854775807 AS i, 1.50::numeric AS n, 'NaN'::numeric AS nan, 0.1::float8 AS f, "
        "'서울' AS t, DATE '2026-09-01' AS d, TIMESTAMP '2026-09-01 10:00:00.5' AS ts, "
        "TIMESTAMPTZ '2026-09-01 10:00+09' AS tz, '{\"a\": 12345678901234567890.10}'::json AS j, NULL::int AS nothing, "
        "'24:00'::time AS tm, 'infinity'::date AS inf, DATE '0044-03-15 BC' AS bc, ARRAY[1,2] AS a, 'a.b'::ltree AS l, "
        "'24:00'::time AS tm"
    )
    (row,) = result.rows
    assert row == (
        True, 9223372036854775807, Decimal("1.50"), row[3], 0.1, "서울", date(2026, 9, 1),
        datetime.fromisoformat("2026-09-01 10:00:00.500000"), datetime(2026, 9, 1, 1, tzinfo=UTC),
        '{"a": 12345678901234567890.10}', None, "24:00:00", "infinity", "0044-03-15 BC", "{1,2}", "a.b", "24:00:00",
    )  # fmt: skip
    assert str(row[2]) == "1.50"
    assert isinstance(row[3], Decimal)
    assert row[3].is_nan()
    assert [column.type for column in result.columns][:4] == [
        ColumnType.BOOLEAN,
        ColumnType.INTEGER,
        ColumnType.NUMERIC,
        ColumnType.NUMERIC,
    ]
    assert [column.source_type for column in result.columns][-3:] == ["integer[]", "ltree", "time without time zone"]


def test_the_clock_of_a_query_is_the_persons(reader: DatabaseTarget) -> None:
    seoul = DatabaseTarget(
        "shop", reader.host, reader.port, "shop", reader.user, reader.password, tls="off", time_zone="Asia/Seoul"
    )
    with DATABASES.session(seoul, Caps()) as session:
        (row,) = session.query("SELECT TIMESTAMPTZ '2026-09-01 00:00Z', (TIMESTAMPTZ '2026-08-31 20:00Z')::date").rows
    assert isinstance(row[0], datetime)
    assert row[0].isoformat() == "2026-09-01T09:00:00+09:00"
    assert row[1] == date(2026, 9, 1)


def test_rows_beyond_the_cap_are_cut_and_the_cut_is_said(reader: DatabaseTarget) -> None:
    with DATABASES.session(reader, Caps(rows=2_500)) as session:
        result = session.query("SELECT g FROM generate_series(1, 100000) g")
        assert [row[0] for row in result.rows] == list(range(1, 2_501))
        assert result.cut is not None
        assert "2,500 rows" in result.cut
        exactly = session.query("SELECT g FROM generate_series(1, 2500) g")
        assert len(list(exactly.rows)) == 2_500
        assert exactly.cut is None


def test_bytes_beyond_the_cap_are_cut_and_the_session_goes_on(reader: DatabaseTarget) -> None:
    with DATABASES.session(reader, Caps(bytes=1_000_000)) as session:
        result = session.query("SELECT repeat('x', 10000) FROM generate_series(1, 5000)")
        assert 90 <= len(list(result.rows)) <= 100
        assert result.cut is not None
        assert "1.0 MB" in result.cut
        assert list(session.query("SELECT 1").rows) == [(1,)]


def test_memory_does_not_grow_with_the_rows(session: PostgresSession) -> None:
    result = session.query("SELECT g, repeat('x', 1000) AS filler FROM generate_series(1, 20000) g")
    tracemalloc.start()
    try:
        written = sum(len(chunk) for chunk in encode(result.columns, result.rows))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert written > 20_000_000
    assert peak < 5_000_000


def test_a_row_larger_than_a_message_is_refused_before_it_is_read(reader: DatabaseTarget) -> None:
    with DATABASES.session(reader, Caps(message_bytes=100_000)) as session:
        with pytest.raises(ResultTooLarge) as refused:
            list(session.query("SELECT repeat('x', g) FROM generate_series(300000000, 300000000) g").rows)
        assert "300,000,0" in refused.value.message
        with pytest.raises(DatabaseUnreachable):
            session.query("SELECT 1")


def test_one_deadline_holds_for_a_whole_session_not_for_each_fetch(reader: DatabaseTarget) -> None:
    started = time.monotonic()
    with (
        DATABASES.session(reader, Caps(seconds=1)) as session,
        pytest.raises(QueryTimedOut) as refused,
    ):
        for _ in session.query("SELECT g, pg_sleep(0.0002) FROM generate_series(1, 100000) g").rows:
            pass
    assert time.monotonic() - started < 5
    assert "narrow" in refused.value.message


def test_a_result_left_in_the_middle_does_not_disturb_the_next(session: PostgresSession) -> None:
    first = session.query("SELECT g FROM generate_series(1, 50000) g")
    assert next(first.rows) == (1,)
    untouched = session.query("SELECT 'never read'")
    assert list(session.query("SELECT 'next'").rows) == [("next",)]
    with pytest.raises(StopIteration):
        next(first.rows)
    assert list(untouched.rows) == []


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position"),
    [
        ("SELECT 1; DELETE FROM victim", "42601", None),
        ("COMMIT; DELETE FROM victim", "42601", 0),
        ("DELETE FROM victim RETURNING *", "42601", 0),
        ("WITH d AS (DELETE FROM victim RETURNING id) SELECT * FROM d", "0A000", None),
        ("SELECT * INTO copied FROM victim", "42601", 14),
        ("SELECT nope FROM victim", "42703", 7),
        ("SELECT 1 / (id - id) FROM victim", "22012", None),
        ("SELECT * FROM victim FOR UPDATE", "25006", None),
        ("", "42601", None),
    ],
)
def test_what_the_server_refuses_is_said_in_its_words_and_the_session_goes_on(
    session: PostgresSession, sql: str, sqlstate: str, position: int | None
) -> None:
    with pytest.raises(QueryFailed) as refused:
        list(session.query(sql).rows)
    assert refused.value.sqlstate == sqlstate
    if position is not None:
        assert refused.value.position == position
    assert list(session.query("SELECT count(*) FROM victim").rows) == [(10,)]


@pytest.mark.parametrize("sql", ["SELECT '\ud800'", "SELECT '\0'"])
def test_a_character_that_cannot_be_sent_is_an_error_and_not_an_empty_answer(
    session: PostgresSession, sql: str
) -> None:
    with pytest.raises(QueryFailed):
        session.query(sql)
    assert list(session.query("SELECT 1").rows) == [(1,)]


def test_text_that_is_not_utf8_is_an_error_and_never_an_empty_answer(postgres_server: PostgresServer) -> None:
    postgres_server.run_script("postgres", "CREATE DATABASE raw ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    with DATABASES.session(postgres_server.target("raw"), Caps()) as session:
        with pytest.raises(QueryFailed) as refused:
            list(session.query(r"SELECT E'\xff'").rows)
        assert refused.value.sqlstate == "22021"
        assert list(session.query("SELECT 'fine'").rows) == [("fine",)]


_SETTINGS = (
    "SELECT name, setting FROM pg_settings "
    "WHERE name NOT IN ('statement_timeout', 'idle_in_transaction_session_timeout') ORDER BY name"
)
"""Without the two that follow the time that is left."""


def test_nothing_a_statement_sets_or_holds_reaches_the_next(shop: PostgresServer) -> None:
    with DATABASES.session(shop.target("shop"), Caps()) as session:
        before = list(session.query(_SETTINGS).rows)
        list(
            session.query(
                "SELECT set_config('lock_timeout', '0', false), set_config('search_path', 'x', false), "
                "set_config('role', 'app_owner', false), set_config('default_transaction_read_only', 'off', false), "
                "pg_advisory_lock(42)"
            ).rows
        )
        assert list(session.query(_SETTINGS).rows) == before
        assert list(session.query("SELECT current_user::text, current_setting('transaction_read_only')").rows) == [
            ("postgres", "on")
        ]
        assert list(session.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").rows) == [(0,)]


def test_a_statement_runs_as_the_persons_role(shop: PostgresServer) -> None:
    shop.run_script("shop", "CREATE TABLE unreadable(id int)")
    with DATABASES.session(shop.target("shop", role="app_ro"), Caps()) as session:
        assert list(session.query("SELECT current_user::text").rows) == [("app_ro",)]
        with pytest.raises(QueryFailed) as refused:
            list(session.query("SELECT * FROM unreadable").rows)
        assert refused.value.sqlstate == "42501"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"user": "nobody-here"}, WrongPassword),
        ({"password": "wrong"}, WrongPassword),
        ({"role": "no-such-role"}, RoleRefused),
        ({"role": 'quoted"; DROP TABLE victim; --'}, RoleRefused),
        ({"role": "postgres"}, RoleRefused),
        ({"database": "missing"}, QueryFailed),
        ({"time_zone": "Nowhere/Land"}, QueryFailed),
        ({"port": 1}, DatabaseUnreachable),
        ({"host": "no-such-host.invalid", "tls": "verify"}, DatabaseUnreachable),
        ({"tls": "verify"}, TlsRefused),
        ({"host": "192.0.2.1"}, TlsRefused),
    ],
)
def test_a_door_that_stays_shut_says_why(
    reader: DatabaseTarget, change: dict[str, object], error: type[PlaybooksError]
) -> None:
    with pytest.raises(error) as refused, DATABASES.session(replace(reader, **change), Caps(seconds=5)):
        pass
    assert refused.value.message.endswith(".")
    assert reader.password not in refused.value.message
    assert refused.value.retryable == (error is DatabaseUnreachable)


def test_a_password_is_never_shown(reader: DatabaseTarget) -> None:
    assert reader.password not in repr(reader)


def test_schema_help_tells_what_the_person_may_read_and_nothing_else(shop: PostgresServer) -> None:
    shop.run_script(
        "shop",
        "CREATE SCHEMA IF NOT EXISTS hidden; CREATE TABLE hidden.salaries(id int); "
        "COMMENT ON TABLE orders IS 'what people bought'; COMMENT ON COLUMN orders.total IS 'with tax'; "
        "CREATE TABLE narrow(id int, secret text); GRANT SELECT (id) ON narrow TO app_ro",
    )
    with DATABASES.session(shop.target("shop", role="app_ro"), Caps()) as session:
        everything = session.describe()
        names = {table.name for table in everything.tables}
        assert {"orders", "customers", "고객", "v_plain", "mv_sales", "narrow"} <= names
        assert not {"salaries", "unreadable", "pg_class"} & names
        assert next(t for t in everything.tables if t.name == "narrow").columns[0].name == "id"
        assert len(next(t for t in everything.tables if t.name == "narrow").columns) == 1
        found = session.describe("BOUGHT total")
        assert [table.name for table in found.tables] == ["orders"]
        text = found.text()
        assert "customer_id integer references public.customers(id)" in text
        assert "total numeric(12,2)  -- with tax" in text
        assert session.describe("100% 'quoted\\ nothing").tables == ()
        few = session.describe("", limit=2)
        assert (len(few.tables), few.left_off) == (2, len(everything.tables) - 2)
        assert list(session.query("SELECT 1").rows) == [(1,)]


def test_a_role_that_may_do_more_than_read_is_warned_about(shop: PostgresServer) -> None:
    with DATABASES.session(shop.target("shop", role="app_ro"), Caps()) as session:
        assert [finding.code for finding in session.risks()] == [
            "role_without_temporary_limit",
            "role_may_run_functions_with_side_effects",
            "role_may_run_your_functions",
        ]
    with DATABASES.session(shop.target("shop", role="app_owner"), Caps()) as session:
        codes = [finding.code for finding in session.risks()]
        assert "role_may_write" in codes
        assert "role_may_create_in_schema" in codes
    with DATABASES.session(shop.target("shop"), Caps()) as session:
        assert session.risks()[0].code == "role_superuser"
