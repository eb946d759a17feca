"""Statements known here of a user, one item each: `STMT#<SHA-256 of the text>` with where it ran."""

import hashlib
from collections.abc import Collection, Iterable, Mapping

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import item
from playbooks.adapters.dynamodb.operations import Key, Put, Table, Write
from playbooks.domain.ids import TenantId, UserId


class DynamoStatements:
    """`StatementStore` on the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def known(self, tenant: TenantId, user: UserId, statements: Collection[str]) -> Mapping[str, str]:
        by_key = {_key(tenant, user, statement): statement for statement in statements}
        found = self._table.batch_get(list(by_key)) if by_key else {}
        return {by_key[key]: str(stored.get("origin", "")) for key, stored in found.items()}


def statement_writes(tenant: TenantId, user: UserId, origins: Iterable[tuple[str, str]]) -> list[Write]:
    """Make statements known, each with where it ran; one write for equal texts, over what is there already."""
    by_key = {_key(tenant, user, statement): origin for statement, origin in origins}
    return [Put(item(key, {"origin": origin})) for key, origin in by_key.items()]


def _key(tenant: TenantId, user: UserId, statement: str) -> Key:
    return keys.statement(tenant, user, hashlib.sha256(statement.encode("utf-8", "surrogatepass")).hexdigest())
