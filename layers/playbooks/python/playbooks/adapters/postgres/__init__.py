"""PostgreSQL as the person: read-only sessions that are safe whatever statement they are given."""

from playbooks.adapters.postgres.databases import PostgresDatabases

__all__ = ["PostgresDatabases"]
