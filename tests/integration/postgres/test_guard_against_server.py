"""What the guard passes is one SELECT for the server, and calls nothing that is not on the list.

Statements are put together from the pieces that readers of SQL disagree about. A function `canary` is not on the
list; if the server ever runs it, it fails with a SQLSTATE of its own. PLAYBOOKS_FUZZ=N tries N statements.
"""

import os
import random
from collections.abc import Iterator
from decimal import Decimal

import pytest

from playbooks.adapters.postgres import PostgresDatabases
from playbooks.domain.sql.guard import check
from playbooks.domain.sql.placeholders import Placeholder, PlaceholderType, render
from playbooks.ports.databases import Caps, QueryFailed, ReadOnlySession
from playbooks_local.postgres import PostgresServer

COUNT = int(os.environ.get("PLAYBOOKS_FUZZ", "3000"))
CANARY = "ZZ999"
GRAMMAR = (
    "columns",
    "escape",
    "join",
    "over",
    "materialized",
    "ilike",
    "filter",
    "repeatable",
    "cube",
    "rollup",
    "first",
)
"""Words of grammar that may be a function's name as well."""
SCRIPT = (
    "".join(
        f"""
CREATE FUNCTION "{name}"({kind}) RETURNS {kind} LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the canary sang' USING ERRCODE = 'ZZ999'; END $$;
"""
        for name in GRAMMAR
        for kind in ("int", "text")
    )
    + """
CREATE FUNCTION canary() RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the canary sang' USING ERRCODE = 'ZZ999'; END $$;
CREATE FUNCTION canary(t text) RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the canary sang' USING ERRCODE = 'ZZ999'; END $$;
CREATE TABLE t(a int, b text, c jsonb); INSERT INTO t VALUES (1, 'x', '{"k": [1]}');
"""
)
CALLS = ("canary()", "canary('x')", '"canary"()', "canary /* c */ ()", "('x'::text).canary", "x.canary", "CANARY ()")
GRAMMAR_CALLS = tuple(f"{name}({value})" for name in GRAMMAR for value in ("1", "b"))
PIECES = (
    "1", "a", "b", "t.a", "'x'", "'", "''", '"a"', '"', "E'\\''", "E'", "\\", "$$", "$a$", "$a$ x $a$", "U&'\\0041'",
    "b'1'", "--", "-- x\n", "/*", "*/", "/* x */", "\n", "\r", "\t", " ", "\u00a0", "\u3000", "\u2028", "\x0b", ";",
    ",", "(", ")", "[", "]", ".", ":", "::text", "::int", " AS x", " x", " FROM t", " FROM text('x') x", " WHERE true",
    " FROM (SELECT 1 AS a) q", " UNION SELECT 1", " ORDER BY 1", " LIMIT 1", "SELECT ", "WITH q AS (SELECT 1) ", "+",
    "-", "||", "->>", "@", "*", "{{x}}", "$1", "1e", "0x1", "1_0", "N'x'", " IN (1)", " OVER ()", "lower('X')",
    "count(*)", "coalesce(a, 1)", " OPERATOR(pg_catalog.+) ", "DISTINCT ON (1) ", "CASE WHEN true THEN 1 END",
    "ARRAY[1]", "ROW(1)", " UESCAPE '!'",
)  # fmt: skip
ACTING = """
SELECT DISTINCT proname FROM pg_proc
 WHERE prokind = 'f' AND provolatile = 'v' AND pronargs >= 1 AND pronargs - pronargdefaults <= 1
   AND NOT 'internal'::regtype = ANY (proargtypes) AND NOT 'cstring'::regtype = ANY (proargtypes)
   AND proname NOT IN ('array_shuffle', 'random', 'random_normal', 'setval', 'uuidv7')
"""
"""Volatile functions that can be called with one value; the guard allows those named, which only compute."""
TEMPLATES = (
    "SELECT {0}, {1}",
    "SELECT {0} {1} {2}",
    "SELECT '{0}', {1}, '{2}'",
    "SELECT $a${0}$a$, {1} x$a$",
    "SELECT E'{0}' || '{1}'{2}",
    "SELECT 1 /*{0}*/ {1} /*{2}*/",
    'SELECT {0} AS "{1}" {2}',
    "SELECT {0} FROM t WHERE {1}",
    "SELECT x.{0} FROM text('{1}') x",
    "WITH q AS (SELECT {0}) SELECT {1} FROM q",
)


@pytest.fixture(scope="module")
def session(postgres_server: PostgresServer) -> Iterator[ReadOnlySession]:
    postgres_server.create_database("fuzz", SCRIPT)
    with PostgresDatabases().session(postgres_server.target("fuzz"), Caps(rows=100, seconds=600)) as opened:
        yield opened


def _statements(seed: int, count: int) -> Iterator[str]:
    source = random.Random(seed)
    for _ in range(count):
        parts = [
            "".join(
                source.choice(CALLS) if source.random() < 0.15 else source.choice(PIECES)
                for _ in range(source.choice((1, 1, 1, 2, 2, 3, 5)))
            )
            for _ in range(3)
        ]
        yield source.choice(TEMPLATES).format(*parts)


def _answer(session: ReadOnlySession, sql: str) -> QueryFailed | int:
    try:
        return sum(1 for _ in session.query(sql).rows)
    except QueryFailed as error:
        return error


def test_no_statement_the_guard_passes_runs_what_it_did_not_see(session: ReadOnlySession) -> None:
    passed = ran = 0
    for sql in _statements(20261130, COUNT):
        if not check(sql).allowed:
            continue
        passed += 1
        answer = _answer(session, sql)
        if isinstance(answer, QueryFailed):
            assert answer.sqlstate != CANARY, sql
            assert "multiple commands" not in answer.message, sql
        else:
            ran += 1
    assert passed > COUNT // 20
    assert ran > COUNT // 60


IN_FRONT = (
    "a BETWEEN", "b LIKE", "b ILIKE", "b LIKE 'x' ESCAPE", "now() AT TIME ZONE", "NOT", "DISTINCT ON (a)",
    "b SIMILAR TO", "OPERATOR(pg_catalog.-)", "a +", "ARRAY[1] ||", "a IS DISTINCT FROM", "CASE WHEN true THEN",
    "JSON_OBJECT('a' VALUE",
    "JSON_OBJECT('a':", "count(*) OVER (PARTITION BY", "count(*) OVER (ORDER BY", "string_agg(b, ',' ORDER BY",
    "count(*) FILTER (WHERE", "1 FROM t ORDER BY", "1 FROM t GROUP BY", "1 FROM t GROUP BY a +", "1 FROM t LIMIT",
    "1 FROM t FETCH FIRST", "1 FROM t CROSS JOIN", "1 FROM t NATURAL JOIN", "1 FROM t,", "1 FROM t WHERE a =",
    "1 FROM t TABLESAMPLE system (10) REPEATABLE (1) WHERE a =", "1 UNION SELECT",
)  # fmt: skip
"""What an expression may stand behind."""


@pytest.mark.parametrize("front", IN_FRONT)
def test_no_function_that_bears_a_word_of_grammar_runs_behind(session: ReadOnlySession, front: str) -> None:
    for call in GRAMMAR_CALLS:
        for behind in ("", ")", "::bool", " AND 2", " FROM t", ") FROM t", "::bool FROM t", " AND 2 FROM t", " END"):
            sql = f"SELECT {front} {call}{behind}"
            if check(sql).allowed:
                answer = _answer(session, sql)
                assert not (isinstance(answer, QueryFailed) and answer.sqlstate == CANARY), sql


def test_no_function_that_acts_can_be_called_through_a_dot(postgres_server: PostgresServer) -> None:
    """Of PostgreSQL and of every extension that is at hand."""
    postgres_server.create_database("extensions", "SELECT 1")
    for (name,) in postgres_server.ask("postgres", "SELECT name FROM pg_available_extensions"):
        postgres_server.ask("extensions", f'CREATE EXTENSION IF NOT EXISTS "{name}" CASCADE')
    acting = postgres_server.ask("extensions", ACTING)
    assert len(acting) > 50
    assert [name for (name,) in acting if check(f"SELECT (t.b).{name} FROM t").allowed] == []


def test_the_canary_sings_when_it_is_called(session: ReadOnlySession) -> None:
    sung = sum(
        isinstance(answer := _answer(session, sql), QueryFailed) and answer.sqlstate == CANARY
        for sql in _statements(7, 400)
        if not check(sql).allowed
    )
    assert sung > 5


VALUES: tuple[tuple[PlaceholderType, object], ...] = (
    (PlaceholderType.INTEGER, -(2**63)),
    (PlaceholderType.INTEGER, 5),
    (PlaceholderType.NUMBER, "-0.00000001"),
    (PlaceholderType.STRING, "'; SELECT canary(); --"),
    (PlaceholderType.STRING, "\\' || canary('x') || \\'"),
    (PlaceholderType.STRING, "*/ canary() /* $a$ {{v}} \n -- \u3000"),
    (PlaceholderType.DATE, "2028-02-29"),
    (PlaceholderType.BOOLEAN, False),
)


@pytest.mark.parametrize(("kind", "value"), VALUES)
def test_a_value_that_was_filled_in_comes_back_as_itself(
    session: ReadOnlySession, kind: PlaceholderType, value: object
) -> None:
    placeholders = (Placeholder("v", kind, "a value", 1 if kind is not PlaceholderType.STRING else "x"),)
    sql = render("SELECT {{v}} AS v, ({{v}})::text AS t, 7 -- {v}\n", placeholders, {"v": value})
    ((back, text, last),) = session.query(sql).rows
    assert last == 7
    assert str(back) == str(value) or Decimal(str(back)) == Decimal(str(value))
    assert text == (str(value).lower() if kind is PlaceholderType.BOOLEAN else str(value))
