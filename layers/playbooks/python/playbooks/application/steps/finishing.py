"""`finish_step`: the one way a step ends, and what of it is accepted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playbooks.domain.run import Outcome
from playbooks.ports.model import ToolCall, ToolSpec

FINISH = "finish_step"
MAX_SUMMARY = 600
MAX_TEXT = 20_000


def object_schema(properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A flat object schema as strict tools take it: everything required, nothing beside it."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def finish_spec(*, may_end_run: bool, more: Mapping[str, Mapping[str, Any]] | None = None) -> ToolSpec:
    """The tool as this step offers it: `stopped` is not in the schema where the step may not end the run."""
    outcomes = ["done", "stopped", "failed"] if may_end_run else ["done", "failed"]
    return ToolSpec(
        FINISH,
        "End this step. Call it once, alone, when the work is over.",
        object_schema(
            {
                "outcome": {"type": "string", "enum": outcomes},
                "summary": {"type": "string", "description": "One or two sentences for the reader: what came out."},
                **(more or {}),
            }
        ),
    )


@dataclass(frozen=True)
class Finish:
    """A finish as the model sent it, its words cut to size."""

    outcome: Outcome
    summary: str


def read_finish(call: ToolCall) -> Finish | str:
    """The finish of a call, or what is wrong with it, for the model."""
    outcome, summary = call.arguments.get("outcome"), call.arguments.get("summary")
    if outcome not in {item.value for item in Outcome}:
        return f'outcome must be "done" or "failed" (or "stopped" where it is offered), not {outcome!r}.'
    if not isinstance(summary, str) or not summary.strip():
        return "summary must say in one or two sentences what came out."
    return Finish(Outcome(str(outcome)), summary.strip()[:MAX_SUMMARY])


def text_of(arguments: Mapping[str, object], name: str, limit: int = MAX_TEXT) -> str:
    """A text argument, cut to size; empty when it is no text."""
    value = arguments.get(name)
    return value[:limit] if isinstance(value, str) else ""


def list_of(arguments: Mapping[str, object], name: str) -> Sequence[Mapping[str, Any]]:
    """A list of objects; what is not an object in it is left out."""
    value = arguments.get(name)
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
