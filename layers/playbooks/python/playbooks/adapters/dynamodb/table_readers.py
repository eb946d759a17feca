"""Which playbooks read a table, one item a playbook and table: `READS#db.table#p`, by the last part of its name."""

from collections.abc import Sequence

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import pack, unpack
from playbooks.adapters.dynamodb.items import item
from playbooks.adapters.dynamodb.operations import Key, Put, Table, Throttled, Write
from playbooks.domain.ids import PlaybookId, TenantId
from playbooks.domain.run import Run
from playbooks.domain.table_name import may_be_same, parts
from playbooks.errors import Unavailable
from playbooks.ports.stores.runs import StepResult
from playbooks.ports.stores.table_readers import TableReader

MAX_NEW = 20
"""Items that one commit adds, of a transaction's hundred; the next run of the playbook adds the others."""
MAX_TABLES = 200
"""Tables of one step that are looked at."""
MAX_NAMES = 20
"""Names that one item holds: every schema that has a table of this name."""


class DynamoTableReaders:
    """`TableReaderStore` on the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def readers(self, tenant: TenantId, database: str, table: str) -> Sequence[TableReader]:
        named = parts(table)
        if not named or not database:
            return ()
        prefix = keys.workspace_readers(database, named[-1])
        found, _ = self._table.query(keys.workspace_partition(tenant), prefix=prefix)
        readers = [unpack(TableReader, stored) for stored in found]
        return [reader for reader in readers if any(may_be_same(table, name) for name in reader.tables)]


def reader_writes(table: Table, run: Run, step: StepResult) -> list[Write]:
    """What a step's statements read and the index does not hold yet; it reads the index, so most runs write nothing.

    The index is a convenience: where it cannot be read, the step is committed without it.
    """
    if run.playbook is None:
        return []
    read = _read_names(run.tenant, run.playbook, step)
    try:
        known = table.batch_get(list(read)) if read else {}
    except (Unavailable, Throttled):
        return []
    writes: list[Write] = []
    for key, names in read.items():
        before = known.get(key)
        listed = unpack(TableReader, before) if before is not None else None
        tables = tuple(dict.fromkeys((*(listed.tables if listed is not None else ()), *names)))[:MAX_NAMES]
        if listed is None:
            reader = TableReader(run.playbook, run.run_as, tables, run.id, step.ended_at)
        elif tables != listed.tables:
            reader = TableReader(run.playbook, run.run_as, tables, listed.run, listed.at)
        else:
            continue
        writes.append(Put(item(key, pack(reader))))
    return writes[:MAX_NEW]


def _read_names(tenant: TenantId, playbook: PlaybookId, step: StepResult) -> dict[Key, dict[str, None]]:
    """The names under which each table was read by statements that ran, by the key of its item."""
    found: dict[Key, dict[str, None]] = {}
    for query in step.queries:
        for name in query.tables if query.ok else ():
            key = keys.workspace_reader(tenant, query.database, parts(name)[-1], playbook)
            if key in found or len(found) < MAX_TABLES:
                found.setdefault(key, {})[name] = None
    return found
