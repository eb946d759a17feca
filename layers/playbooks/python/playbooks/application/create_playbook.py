"""The tool by which a chat's model makes a draft playbook: its definition for chat backends, and its call handled.

Where a client has no button, this is how a chat becomes a playbook. There is no record to confirm SQL against, so a
statement is kept only when it ran here before, to the letter. Enabling and approving are no tools.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from playbooks.application.births import born, create_once, fingerprint
from playbooks.application.grants import person_of
from playbooks.application.identity import Caller
from playbooks.application.registered import registered_for
from playbooks.domain.conversation import Collected
from playbooks.domain.conversion import (
    CHAT_DESCRIPTION,
    CHAT_TOOL,
    Surroundings,
    chat_input_schema,
    read_chat_plan,
    statements_in,
)
from playbooks.domain.ids import PlaybookId, StepId, derive
from playbooks.domain.playbook import Playbook
from playbooks.domain.recurrence.zone_names import zone_finding
from playbooks.domain.sql.saved_query import taken_over
from playbooks.errors import Refused
from playbooks.ports.clock import Clock
from playbooks.ports.directory import Directory, Workspace
from playbooks.ports.model import ToolSpec
from playbooks.ports.stores.people import StatementStore
from playbooks.ports.stores.playbooks import PlaybookStore


def chat_tool() -> ToolSpec:
    """`create_playbook` as a chat backend offers it to its model: name, description, JSON schema of the arguments."""
    return ToolSpec(CHAT_TOOL, CHAT_DESCRIPTION, chat_input_schema())


@dataclass(frozen=True)
class CreatePlaybook:
    """The call of `create_playbook`. `formats` are the document formats that can be written."""

    store: PlaybookStore
    statements: StatementStore
    directory: Directory
    workspace: Workspace
    clock: Clock
    formats: Collection[str]

    def __call__(
        self,
        caller: Caller,
        arguments: Mapping[str, object],
        key: str,
        *,
        zone: str | None = None,
        language: str | None = None,
    ) -> Playbook:
        """A draft of the caller's; the same key makes one, and answers with it as it is now.

        `zone` is where the schedule's clock hangs (default: the person's). What was left out, and what a person
        should look at, stands in the playbook's warnings. Raises Refused (`invalid_plan`) with every finding, for the
        model to mend and call again.
        """
        person = person_of(self.directory, caller.tenant, caller.user)
        if zone is not None and (finding := zone_finding(zone)) is not None:
            raise Refused(finding.message, [finding], code=finding.code)
        now = self.clock.now()
        known = self.statements.known(caller.tenant, caller.user, statements_in(arguments))
        registered = registered_for(self.workspace, caller.tenant, person, self.formats)
        speaks = language or person.language
        surroundings = Surroundings(Collected(), registered, user_text=None, language=speaks)
        plan = read_chat_plan(arguments, surroundings, known, zone=zone or person.zone, now=now)
        new = born(
            tenant=caller.tenant,
            id_=PlaybookId(derive("p", caller.tenant, caller.user, "chat", key)),
            owner=caller.user,
            title=plan.title,
            steps=plan.steps,
            saved={StepId(step): taken_over(sql, (), known[sql], now) for step, sql in plan.statements.items()},
            rule=None if plan.schedule is None else plan.schedule.rule,
            warnings=[note.message for note in plan.notes],
            language=speaks,
            now=now,
            made_from=fingerprint(arguments, zone, language),
        )
        return create_once(self.store, new)
