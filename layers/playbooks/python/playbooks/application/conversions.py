"""Ask for a conversion, and see where it stands. The work itself is a run of one step, done by the converter."""

from dataclasses import dataclass

from playbooks.application.conversations import Conversations
from playbooks.application.grants import person_of
from playbooks.application.identity import Caller
from playbooks.domain.ids import ConversationId, RunId, conversion_id
from playbooks.domain.recurrence.zone_names import zone_finding
from playbooks.domain.run import FIRST_RING, Run, RunKind, RunStatus
from playbooks.errors import NotFound, Refused
from playbooks.ports.clock import Clock
from playbooks.ports.directory import Directory
from playbooks.ports.queue import Doorbell
from playbooks.ports.stores.runs import RunStore


@dataclass(frozen=True)
class Conversions:
    """The use cases around a conversion."""

    conversations: Conversations
    runs: RunStore
    directory: Directory
    doorbell: Doorbell
    clock: Clock

    def request(
        self, caller: Caller, conversation: ConversationId, key: str, *, zone: str | None, language: str | None
    ) -> Run:
        """Start a conversion; the same key starts one. Refused with `nothing_to_convert` when no tool was used."""
        shown = self.conversations.show(caller, conversation)
        shown.require_convertible()
        person = person_of(self.directory, caller.tenant, caller.user)
        if zone is not None and (finding := zone_finding(zone)) is not None:
            raise Refused(finding.message, [finding], code=finding.code)
        now = self.clock.now()
        run = Run(
            tenant=caller.tenant,
            id=conversion_id(caller.tenant, conversation, caller.user, key),
            kind=RunKind.CONVERSION,
            status=RunStatus.QUEUED,
            run_as=caller.user,
            title=shown.record.title,
            created_at=now,
            conversation=conversation,
            step_count=1,
            zone=zone or person.zone,
            language=language or person.language,
            wake_at=now + FIRST_RING,
        )
        if self.runs.create(run):
            self.doorbell.ring([(run.tenant, run.id, run.kind)])
            return run
        return self.show(caller, run.id)

    def show(self, caller: Caller, run_id: RunId) -> Run:
        """A conversion of the caller's."""
        run = self.runs.run(caller.tenant, run_id)
        if run is None or run.run_as != caller.user or run.kind is not RunKind.CONVERSION:
            raise NotFound("There is no such conversion, or it is not yours.")
        return run
