"""Turn a conversation into a playbook: one tool call of the model, checked, mended at most twice, saved whole.

Nothing is executed again. Statements come from the record, verbatim, picked by their number; what the model writes is
title, steps and the schedule's words.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playbooks.application.agent_loop import Finished, WorkFailed, converse
from playbooks.application.births import born
from playbooks.application.conversations import NOTHING
from playbooks.application.executors import executor_tools
from playbooks.application.grants import person_of, usable_databases
from playbooks.application.lease import HeldRun
from playbooks.application.registered import registered_for
from playbooks.domain.conversation import Collected, Conversation, collect, read_conversation
from playbooks.domain.conversion import (
    DESCRIPTION,
    TOOL,
    Plan,
    Surroundings,
    input_schema,
    queries_material,
    read_plan,
    turns_material,
    user_text,
)
from playbooks.domain.ids import PlaybookId, StepId, derive
from playbooks.domain.recurrence.zone_clock import zone_clock
from playbooks.domain.run import Run
from playbooks.domain.sql.saved_query import from_conversation
from playbooks.errors import Finding, NotFound, Refused
from playbooks.language.warnings import warning_text
from playbooks.ports.artifacts import Artifacts
from playbooks.ports.directory import Directory, RegisteredDatabase, Workspace
from playbooks.ports.model import Model, ToolCall, ToolResult, ToolSpec
from playbooks.ports.stores.people import ConversationStore
from playbooks.ports.stores.playbooks import NewPlaybook
from playbooks.prompts import conversion as prompts

MAX_REPAIRS = 2
MAX_CALLS = 6
MAX_FINDINGS = 30


class ConversionFailed(WorkFailed):
    """Raised when the model's playbook still has findings after two repairs; nothing is saved."""

    code = "conversion_failed"


@dataclass(frozen=True)
class Converter:
    """The one step of a conversion: from the stored record to a draft playbook. Call it with the leased run."""

    model: Model
    conversations: ConversationStore
    artifacts: Artifacts
    directory: Directory
    workspace: Workspace
    formats: Collection[str]

    def __call__(self, held: HeldRun) -> NewPlaybook:
        """The playbook as it is to be created. Raises WorkFailed, Refused (`nothing_to_convert`) or HandOver."""
        run = held.run
        conversation = self._conversation(run)
        collected = collect(conversation, executor_tools(self.workspace, run.tenant))
        if not collected.used_tools:
            raise Refused(NOTHING, code="nothing_to_convert")
        person = person_of(self.directory, run.tenant, run.run_as)
        registered = registered_for(self.workspace, run.tenant, person, self.formats)
        databases = usable_databases(self.workspace.databases(run.tenant), person)
        surroundings = Surroundings(collected, registered, user_text(conversation), run.language)
        plan = plan_conversion(held, self.model, conversation, surroundings, tuple(databases.values()))
        return new_playbook(run, plan, collected, held)

    def _conversation(self, run: Run) -> Conversation:
        record = (
            None
            if run.conversation is None
            else self.conversations.conversation(run.tenant, run.run_as, run.conversation)
        )
        if record is None:
            raise NotFound("The conversation is not there any more: import it again.")
        return read_conversation(b"".join(self.artifacts.get(record.key)), pick=record.pick or None)


def plan_conversion(
    held: HeldRun,
    model: Model,
    conversation: Conversation,
    surroundings: Surroundings,
    databases: Sequence[RegisteredDatabase],
) -> Plan:
    """Let the model hand over a plan that stands every check; raises ConversionFailed with what is wrong with it."""
    local = zone_clock(held.run.zone).local(held.run.created_at)
    opening = prompts.opening(
        turns=turns_material(conversation, surroundings.collected),
        confirmed_queries=queries_material(surroundings.collected),
        databases=[{"name": item.name, "description": item.description} for item in databases],
        sources=surroundings.allowed("source"),
        tools=surroundings.allowed("tool"),
        approvers=surroundings.allowed("approver"),
        formats=surroundings.allowed("format"),
        today={
            "date": local.date().isoformat(),
            "weekday": f"{local:%A}",
            "time": f"{local:%H:%M}",
            "zone": held.run.zone,
        },
        language=held.run.language,
    )
    toolbox = ConversionTools(held.run, surroundings)
    return converse(
        held,
        model,
        toolbox,
        system=prompts.SYSTEM,
        opening=opening,
        must_call=TOOL,
        unfinished=prompts.CALL_MISSING,
    )


@dataclass
class ConversionTools:
    """`save_playbook` alone, and how often its arguments were sent back. Times count from the run's creation."""

    run: Run
    surroundings: Surroundings
    calls: int = field(default=0, init=False)
    repairs: int = field(default=0, init=False)

    def specs(self) -> Sequence[ToolSpec]:
        """The one tool."""
        return (ToolSpec(TOOL, DESCRIPTION, input_schema()),)

    def call(self, call: ToolCall) -> ToolResult | Finished[Plan]:
        """A plan, or every finding; the third refusal ends the conversion."""
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise ConversionFailed("The model did not hand over one playbook: nothing was saved. Try again.")
        if call.name != TOOL:
            return ToolResult(call.id, f"There is no tool {call.name[:60]!r}. {prompts.CALL_SAVE}", is_error=True)
        try:
            plan = read_plan(call.arguments, self.surroundings, zone=self.run.zone, now=self.run.created_at)
        except Refused as refused:
            return self._sent_back(call, refused.findings)
        return Finished(plan)

    def state(self) -> Mapping[str, Any]:
        """The counts, so that a redelivery does not begin them anew."""
        return {"calls": self.calls, "repairs": self.repairs}

    def restore(self, state: Mapping[str, Any]) -> None:
        """The counts as they were saved."""
        self.calls, self.repairs = int(state.get("calls", 0)), int(state.get("repairs", 0))

    def _sent_back(self, call: ToolCall, findings: Sequence[Finding]) -> ToolResult:
        if self.repairs >= MAX_REPAIRS:
            listed = " ".join(f"{finding.path or '/'}: {finding.message}" for finding in findings[:5])
            raise ConversionFailed(
                f"The model's playbook could not be saved after {MAX_REPAIRS} repairs; nothing was saved. {listed}"
            )
        self.repairs += 1
        return ToolResult(
            call.id, prompts.repair([_finding_mapping(item) for item in findings[:MAX_FINDINGS]]), is_error=True
        )


def _finding_mapping(finding: Finding) -> dict[str, object]:
    allowed = {"allowed": list(finding.allowed[:60])} if finding.allowed else {}
    return {"code": finding.code, "path": finding.path, "message": finding.message, **allowed}


def new_playbook(run: Run, plan: Plan, collected: Collected, held: HeldRun) -> NewPlaybook:
    """The draft of a plan. Its id comes from the run's, so that a conversion done twice makes one playbook."""
    warnings = [note.message for note in plan.notes]
    if not collected.kept:
        warnings.insert(0, warning_text("nothing_confirmed", run.language))
    now = held.clock.now()
    return born(
        tenant=run.tenant,
        id_=PlaybookId(derive("p", run.tenant, run.id)),
        owner=run.run_as,
        title=plan.title,
        steps=plan.steps,
        saved={
            StepId(step): from_conversation(sql, run.conversation or "", now) for step, sql in plan.statements.items()
        },
        rule=None if plan.schedule is None else plan.schedule.rule,
        warnings=warnings,
        language=run.language,
        now=now,
        conversation=run.conversation,
    )
