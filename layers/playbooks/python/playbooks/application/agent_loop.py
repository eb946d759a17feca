"""The loop of model turns of one piece of work, checkpointed so that a redelivery resumes where it was.

The answer is saved before any of its tool calls is made; the results are saved with what the tools then knew. On
resume both are replayed: no call is made a second time whose result was saved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from playbooks.application.lease import HeldRun
from playbooks.application.transcript import answer_mapping, read_answer, read_results, results_mapping
from playbooks.domain.usage import Usage
from playbooks.errors import PlaybooksError
from playbooks.language.reasons import reason_text
from playbooks.ports.model import (
    Model,
    ModelAnswer,
    ModelRequest,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    Turn,
    UserTurn,
)
from playbooks.prompts.step import CUT_OFF, FINISH_MISSING

MAX_TURNS = 40
MAX_NUDGES = 3
MAX_RESULT = 60_000

F_co = TypeVar("F_co", covariant=True)
F = TypeVar("F")


class WorkFailed(PlaybooksError):
    """Raised when the model did not come to an end: turn limit, refusal, answers without a call."""

    code = "work_failed"


def failed(code: str, **values: object) -> WorkFailed:
    """The error of a reason that `language.reasons` has a sentence for."""
    return WorkFailed(reason_text(code, "en", **values), code=code, values=values)


@dataclass(frozen=True, slots=True)
class Finished(Generic[F_co]):
    """A tool's word that the work is over, with what came out."""

    value: F_co


class Toolbox(Protocol[F_co]):
    """The tools of one piece of work, and what they know."""

    def specs(self) -> Sequence[ToolSpec]:
        """The tools as the model sees them now."""
        ...

    def call(self, call: ToolCall) -> "ToolResult | Finished[F_co]":
        """Make a call. Everything the model can mend is an error result; raise only what it cannot."""
        ...

    def state(self) -> Mapping[str, Any]:
        """What the tools know, as JSON data."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Know again what `state` said."""
        ...


def converse(
    held: HeldRun,
    model: Model,
    toolbox: Toolbox[F],
    *,
    system: str,
    opening: str,
    must_call: str | None = None,
    unfinished: str = FINISH_MISSING,
) -> F:
    """Let the model work with the tools until one says the work is over; returns what came out.

    `unfinished` is what it is told after an answer without a call.

    Raises WorkFailed when it does not come to an end, HandOver when the worker's time is over.
    """
    turns: list[Turn] = [UserTurn((Text(opening),))]
    number, nudges = 0, 0
    saved = list(held.checkpoints())
    while number < 2 * MAX_TURNS:
        answer = _answer(held, model, toolbox, saved, number, system, turns, must_call)
        turns.append(answer.turn)
        if answer.stop is StopReason.REFUSAL:
            raise failed("model_refused", said=answer.turn.text[:300])
        if number + 1 < len(saved):
            results, note, state = read_results(saved[number + 1])
            toolbox.restore(state)
        else:
            finished, results, note = _act(held, toolbox, answer, unfinished)
            if finished is not None:
                return finished.value
            state = toolbox.state()
            held.save(number + 1, results_mapping(results, note, state), usage=held.run.usage)
        nudges = 0 if answer.turn.calls and answer.stop is not StopReason.MAX_TOKENS else nudges + 1
        if nudges >= MAX_NUDGES:
            raise failed("no_progress", said="")
        turns.append(UserTurn((*results, Text(note)) if note else results))
        number += 2
    raise failed("turn_limit", turns=MAX_TURNS)


def _answer(
    held: HeldRun,
    model: Model,
    toolbox: Toolbox[F],
    saved: Sequence[Mapping[str, Any]],
    number: int,
    system: str,
    turns: Sequence[Turn],
    must_call: str | None,
) -> ModelAnswer:
    if number < len(saved):
        return read_answer(saved[number])
    held.check_time()
    request = ModelRequest(system, tuple(turns), tuple(toolbox.specs()), must_call=must_call)
    answer = model.answer(request, within=held.times.call_budget)
    usage: Usage = held.run.usage + answer.usage
    held.save(number, answer_mapping(answer), usage=usage, progress=answer.turn.text)
    return answer


def _act(
    held: HeldRun, toolbox: Toolbox[F], answer: ModelAnswer, unfinished: str
) -> tuple[Finished[F] | None, tuple[ToolResult, ...], str]:
    calls = answer.turn.calls
    if answer.stop is StopReason.MAX_TOKENS:
        cut = tuple(
            ToolResult(call.id, "The answer was cut off; this call was not made.", is_error=True) for call in calls
        )
        return None, cut, CUT_OFF
    if not calls:
        return None, (), unfinished
    results: list[ToolResult] = []
    for call in calls:
        held.check_time()
        result = toolbox.call(call)
        if isinstance(result, Finished):
            if len(calls) == 1:
                return result, (), ""
            result = ToolResult(call.id, "Call this alone, when the other calls have answered.", is_error=True)
        elif len(result.content) > MAX_RESULT:
            result = ToolResult(call.id, result.content[:MAX_RESULT] + " … (cut)", result.is_error)
        results.append(result)
    return None, tuple(results), ""
