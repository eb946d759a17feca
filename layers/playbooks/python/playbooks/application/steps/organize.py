"""An organize step: the model makes a text of the earlier results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playbooks.application.agent_loop import Finished, converse
from playbooks.application.lease import HeldRun
from playbooks.application.steps.context import StepContext, StepWork, earlier_mapping
from playbooks.application.steps.finishing import FINISH, finish_spec, read_finish, text_of
from playbooks.domain.run import Outcome
from playbooks.ports.model import Model, ToolCall, ToolResult, ToolSpec
from playbooks.prompts import step as prompts


def organize(held: HeldRun, model: Model, context: StepContext) -> StepWork:
    """Work on an organize step until it is over."""
    step = context.step
    return converse(
        held,
        model,
        OrganizeTools(context),
        system=prompts.system(step.kind.value, may_end_run=step.may_end_run, pinned=False),
        opening=prompts.opening(
            title=context.playbook.title,
            number=context.run.cursor + 1,
            count=context.run.step_count,
            kind=step.kind.value,
            instruction=step.instruction,
            inputs=step.inputs,
            now=context.now_text,
            earlier=earlier_mapping(context.earlier),
        ),
    )


@dataclass
class OrganizeTools:
    """Only `finish_step`, with the text that came out."""

    context: StepContext

    def specs(self) -> Sequence[ToolSpec]:
        """The one tool."""
        text = {"type": "string", "description": "The whole text that came out, for the reader and later steps."}
        return [finish_spec(may_end_run=self.context.step.may_end_run, more={"text": text})]

    def call(self, call: ToolCall) -> ToolResult | Finished[StepWork]:
        """Accept the finish, or say what is wrong with it."""
        if call.name != FINISH:
            return ToolResult(call.id, f"There is no tool {call.name!r} in this step.", is_error=True)
        finish = read_finish(call)
        if isinstance(finish, str):
            return ToolResult(call.id, finish, is_error=True)
        if finish.outcome is Outcome.STOPPED and not self.context.step.may_end_run:
            return ToolResult(call.id, prompts.STOPPED_NOT_ALLOWED, is_error=True)
        text = text_of(call.arguments, "text")
        if finish.outcome is Outcome.DONE and not text.strip():
            return ToolResult(call.id, "text is empty: put what came out of this step into it.", is_error=True)
        code = "step_failed" if finish.outcome is Outcome.FAILED else ""
        return Finished(StepWork(finish.outcome, finish.summary, code, text))

    def state(self) -> Mapping[str, Any]:
        """Nothing is known beside the turns."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing to know again."""
