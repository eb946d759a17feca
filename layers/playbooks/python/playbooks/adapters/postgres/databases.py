"""The port `Databases` over PostgreSQL."""

from collections.abc import Iterator
from contextlib import contextmanager

from playbooks.adapters.postgres.channel import open_channel
from playbooks.adapters.postgres.session import PostgresSession
from playbooks.ports.databases import Caps, DatabaseTarget


class PostgresDatabases:
    """Opens a connection for each session and closes it when the context ends; keeps nothing in between."""

    @contextmanager
    def session(self, target: DatabaseTarget, caps: Caps) -> Iterator[PostgresSession]:
        """See `Databases.session`."""
        session = PostgresSession(target, caps, open_channel(target, caps))
        try:
            yield session
        finally:
            session.close()
