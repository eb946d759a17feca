"""Which of a person's own playbooks read a table: to know whom a change of the table would touch."""

from collections.abc import Sequence
from dataclasses import dataclass

from playbooks.application.identity import Caller
from playbooks.domain.playbook import Playbook
from playbooks.ports.stores.playbooks import PlaybookStore
from playbooks.ports.stores.table_readers import TableReader, TableReaderStore


@dataclass(frozen=True)
class TableReaders:
    """The use case on the index that the runs write."""

    index: TableReaderStore
    playbooks: PlaybookStore

    def of_caller(self, caller: Caller, database: str, table: str) -> Sequence[tuple[Playbook, TableReader]]:
        """The caller's playbooks that read it, newest playbook first; a table nobody read and none are alike.

        `orders` is every table of that name, `public.orders` also those who wrote `orders` alone.
        """
        readers = {reader.playbook: reader for reader in self.index.readers(caller.tenant, database, table)}
        if not any(reader.owner == caller.user for reader in readers.values()):
            return ()
        own = self.playbooks.of_user(caller.tenant, caller.user)
        return [(playbook, readers[playbook.id]) for playbook in own if playbook.id in readers]
