"""A database of its own on the shared server, for every store to be compared with."""

import pytest
import sqlalchemy

from playbooks_local.postgres import PostgresServer


@pytest.fixture(scope="session")
def database_url(postgres_server: PostgresServer) -> sqlalchemy.URL:
    postgres_server.create_database("query_spec")
    target = postgres_server.target("query_spec")
    return sqlalchemy.URL.create(
        "postgresql+pg8000", target.user, target.password, target.host, target.port, target.database
    )
