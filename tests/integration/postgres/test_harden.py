"""The printed script makes a role that only reads, and the check says so."""

import argparse

import pytest

from playbooks.domain.sql.hardening import Hardening, script
from playbooks.errors import Refused
from playbooks_local.commands import harden
from playbooks_local.postgres import PostgresServer


def _run(*arguments: str) -> tuple[int, str]:
    parser = argparse.ArgumentParser()
    harden.add_arguments(parser)
    written: list[str] = []
    return harden.run(parser.parse_args(arguments), write=written.append), "\n".join(written)


def test_after_the_printed_script_the_check_finds_nothing_and_before_it_much(postgres_server: PostgresServer) -> None:
    schema = "CREATE TABLE t(id int); CREATE FUNCTION w() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'"
    postgres_server.create_database("hard", schema)
    postgres_server.run_script(
        "hard", 'CREATE ROLE "Reader of it"; CREATE ROLE hard_login LOGIN; GRANT "Reader of it" TO hard_login'
    )
    postgres_server.run_script(
        "hard", "ALTER ROLE hard_login PASSWORD 'p/w@1'; GRANT CREATE ON SCHEMA public TO PUBLIC"
    )
    url = f"postgresql://hard_login:p%2Fw%401@127.0.0.1:{postgres_server.port}/hard"
    code, before = _run(url, "--check", "--role", "Reader of it")
    assert code == 1
    for risk in (
        "role_may_create_in_schema",
        "role_without_temporary_limit",
        "role_may_run_functions_with_side_effects",
        "role_may_run_your_functions",
    ):
        assert risk in before

    code, printed = _run(url, "--role", "Reader of it", "--login", "hard_login")
    assert code == 0
    assert "p/w@1" not in printed
    postgres_server.run_script("hard", printed)
    postgres_server.run_script("hard", printed)

    assert _run(url, "--check", "--role", "Reader of it") == (0, "Reader of it can only read hard.")
    assert postgres_server.ask("hard", "SELECT has_table_privilege('Reader of it', 't', 'SELECT')") == [(True,)]
    postgres_server.run_script("hard", "CREATE TABLE later(id int)")
    assert postgres_server.ask("hard", "SELECT has_table_privilege('Reader of it', 'later', 'SELECT')") == [(True,)]


@pytest.mark.parametrize(
    "plan",
    [
        Hardening("a\nb"),
        Hardening("a", role=""),
        Hardening("a", schemas=("x" * 64,)),
        Hardening("a", temp_file_limit="1"),
    ],
)
def test_names_that_would_break_the_script_are_refused(plan: Hardening) -> None:
    with pytest.raises(Refused) as refused:
        script(plan)
    assert len(refused.value.findings) == 1


def test_a_name_in_quotes_stays_one_name() -> None:
    text = script(Hardening('d"; DROP ROLE x; --', role="o'k"))
    assert 'ON DATABASE "d""; DROP ROLE x; --"' in text
    assert "rolname = 'o''k'" in text
