"""What integration tests share: one real PostgreSQL for the whole run, on a free loopback port."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from playbooks_local import postgres
from playbooks_local.postgres import PostgresServer

CASES = Path(__file__).parent.parent / "cases"


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """An empty server; each test module makes the databases it needs."""
    with postgres.start(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture(scope="session")
def shop(postgres_server: PostgresServer) -> PostgresServer:
    """The same server with the database `shop` of the guard's cases and its roles app_ro and app_owner."""
    postgres_server.create_database("shop", shop_script(postgres_server))
    return postgres_server


def shop_script(server: PostgresServer) -> str:
    """The schema of the cases, without what this build of PostgreSQL lacks (pgcrypto, XML values)."""
    available = server.ask("postgres", "SELECT name FROM pg_available_extensions")
    lines = []
    for line in (CASES / "sql_guard_schema.sql").read_text(encoding="utf-8").splitlines():
        extension = re.match(r"CREATE EXTENSION IF NOT EXISTS (\w+);", line)
        if extension and (extension.group(1),) not in available:
            continue
        lines.append(line.replace(",'<a><b>1</b></a>' FROM", ",NULL FROM") if "INTO docs" in line else line)
    return "\n".join(lines)
