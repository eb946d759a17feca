"""Turns of a model as plain data and back, for checkpoints."""

from collections.abc import Mapping
from typing import Any

from playbooks.domain.usage import Usage
from playbooks.ports.model import (
    AssistantTurn,
    ModelAnswer,
    Opaque,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
)


def answer_mapping(answer: ModelAnswer) -> dict[str, Any]:
    """An answer as plain data."""
    parts: list[dict[str, Any]] = []
    for part in answer.turn.parts:
        match part:
            case Text(text):
                parts.append({"text": text})
            case ToolCall(call_id, name, arguments):
                parts.append({"call": call_id, "name": name, "arguments": dict(arguments)})
            case Opaque(data):
                parts.append({"opaque": dict(data)})
    usage = answer.usage
    return {
        "answer": parts,
        "stop": answer.stop.value,
        "usage": [usage.input_tokens, usage.output_tokens, usage.model_calls],
        "model": answer.model,
    }


def read_answer(body: Mapping[str, Any]) -> ModelAnswer:
    """The inverse of `answer_mapping`."""
    parts: list[Text | ToolCall | Opaque] = []
    for part in body["answer"]:
        if "text" in part:
            parts.append(Text(part["text"]))
        elif "call" in part:
            parts.append(ToolCall(part["call"], part["name"], part["arguments"]))
        else:
            parts.append(Opaque(part["opaque"]))
    return ModelAnswer(
        AssistantTurn(tuple(parts)), StopReason(body["stop"]), Usage(*body["usage"]), str(body.get("model", ""))
    )


def results_mapping(results: tuple[ToolResult, ...], note: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """The results of an answer's calls, what we said beside them, and what the tools then knew."""
    return {
        "results": [[result.call_id, result.content, result.is_error] for result in results],
        "note": note,
        "state": dict(state),
    }


def read_results(body: Mapping[str, Any]) -> tuple[tuple[ToolResult, ...], str, Mapping[str, Any]]:
    """The inverse of `results_mapping`."""
    results = tuple(ToolResult(call, content, error) for call, content, error in body["results"])
    return results, str(body["note"]), body["state"]
