"""Which playbooks read a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from playbooks.domain.ids import PlaybookId, RunId, TenantId, UserId


@dataclass(frozen=True, slots=True)
class TableReader:
    """A playbook that read a table, under these names, since this run; it may have stopped reading it meanwhile."""

    playbook: PlaybookId
    owner: UserId
    tables: tuple[str, ...]
    run: RunId
    at: datetime


class TableReaderStore(Protocol):
    """Who reads a table: written with each step whose statements ran, once for a playbook and table."""

    def readers(self, tenant: TenantId, database: str, table: str) -> Sequence[TableReader]:
        """The tenant's playbooks whose statements read a table that may be this one, by id of the playbook."""
        ...
