"""Every store, holding the same rows."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy

from playbooks_local import postgres

CASES = Path(__file__).parents[2] / "cases" / "query_spec.json"


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[postgres.PostgresServer]:
    with postgres.start(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture(scope="session")
def database_url(postgres_server: postgres.PostgresServer) -> sqlalchemy.URL:
    postgres_server.create_database("query_spec")
    target = postgres_server.target("query_spec")
    return sqlalchemy.URL.create(
        "postgresql+pg8000", target.user, target.password, target.host, target.port, target.database
    )
