"""A playbook out to a file and in from one, as plain data; the edge turns data into text and text into data."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from playbooks.application.births import born, create_once, fingerprint
from playbooks.application.grants import person_of
from playbooks.application.identity import Caller, owned
from playbooks.application.registered import registered_for
from playbooks.domain.ids import PlaybookId, derive
from playbooks.domain.playbook import Playbook, PlaybookState
from playbooks.domain.playbook_file import export_mapping, import_mapping, refusals, statements_in
from playbooks.domain.sql.saved_query import taken_over
from playbooks.errors import Finding
from playbooks.ports.clock import Clock
from playbooks.ports.directory import Directory, Workspace
from playbooks.ports.stores.people import StatementStore
from playbooks.ports.stores.playbooks import PlaybookStore


@dataclass(frozen=True, slots=True)
class Exported:
    """A playbook as a file's data. A draft may be saved loosely: `refused` says what import would find in it."""

    data: Mapping[str, object]
    refused: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class PlaybookFiles:
    """Export and import of a person's own playbooks. `formats` are the document formats that can be written."""

    store: PlaybookStore
    statements: StatementStore
    directory: Directory
    workspace: Workspace
    clock: Clock
    formats: Collection[str]

    def export(self, caller: Caller, id_: PlaybookId) -> "Exported":
        """The playbook as a file's data, with what import would refuse of it; NotFound when it is not the caller's."""
        playbook = owned(self.store, caller, id_)
        definition = self.store.definition(caller.tenant, id_, playbook.definition_version)
        schedule = self.store.schedule(caller.tenant, id_)
        data = export_mapping(
            playbook.title,
            () if definition is None else definition.steps,
            schedule=None if schedule is None else schedule.rule,
            saved=self.store.saved_queries(caller.tenant, id_),
            language=playbook.language,
        )
        return Exported(data, refusals(data))

    def import_(self, caller: Caller, raw: object, key: str) -> Playbook:
        """A new playbook of the caller's from a file's data, switched off; the same key makes one.

        SQL is taken when it ran here before; what was left out stands in the warnings. Raises Refused
        (`invalid_file`) with every finding.
        """
        person = person_of(self.directory, caller.tenant, caller.user)
        known = self.statements.known(caller.tenant, caller.user, statements_in(raw))
        registered = registered_for(self.workspace, caller.tenant, person, self.formats)
        read = import_mapping(raw, known, registered, notes_in=person.language)
        now = self.clock.now()
        new = born(
            tenant=caller.tenant,
            id_=PlaybookId(derive("p", caller.tenant, caller.user, "file", key)),
            owner=caller.user,
            title=read.title,
            steps=read.steps,
            saved={
                step: taken_over(item.statement, item.placeholders, known[item.statement], now)
                for step, item in read.sql.items()
            },
            rule=read.schedule,
            warnings=[note.message for note in read.notes],
            language=read.language,
            now=now,
            state=PlaybookState.OFF,
            made_from=fingerprint(raw),
        )
        return create_once(self.store, new)
