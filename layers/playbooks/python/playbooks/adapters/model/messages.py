"""Requests and answers in the Messages API's own shape, to and from the port's values."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from playbooks.adapters.model.tool_schema import MAX_STRICT_TOOLS, input_schema
from playbooks.domain.usage import Usage
from playbooks.ports.model import (
    AssistantTurn,
    ModelAnswer,
    ModelRejected,
    ModelRequest,
    Opaque,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)

MAX_ANSWER_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 64
_CACHED = {"type": "ephemeral"}
_STOPS = {
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
    "refusal": StopReason.REFUSAL,
}


class AnswerUnusable(ModelRejected):
    """Raised when what came back is no answer: not JSON, not a message, too large or nested too deep."""

    code = "model_answer_unusable"


def request_body(request: ModelRequest, model: str, *, strict: bool, force: bool) -> dict[str, Any]:
    """The arguments of `messages.create`.

    Two cache points: after tools and system, which all runs of a step share, and at the end of the conversation,
    which the next turn repeats. `force` asks for `must_call` by `tool_choice`.
    """
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": _messages(request.turns),
    }
    strict = strict and len(request.tools) <= MAX_STRICT_TOOLS
    if request.tools:
        body["tools"] = [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": input_schema(tool.schema, strict=strict),
                **({"strict": True} if strict else {}),
            }
            for tool in request.tools
        ]
    if request.system.strip():
        body["system"] = [{"type": "text", "text": _sendable(request.system), "cache_control": _CACHED}]
    if request.must_call is not None and force:
        body["tool_choice"] = {"type": "tool", "name": request.must_call}
    return body


def _messages(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """Alternating messages: a turn without content is left out and its neighbours are joined."""
    messages: list[dict[str, Any]] = []
    for turn in turns:
        role = "user" if isinstance(turn, UserTurn) else "assistant"
        blocks = [block for part in turn.parts if (block := _block(part)) is not None]
        if not blocks:
            continue
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    if messages and messages[-1]["role"] == "user":
        messages[-1]["content"][-1] = {**messages[-1]["content"][-1], "cache_control": _CACHED}
    return messages


def _block(part: Text | ToolResult | ToolCall | Opaque) -> dict[str, Any] | None:
    match part:
        case Text(text):
            return {"type": "text", "text": _sendable(text)} if text.strip() else None
        case ToolCall(call_id, name, arguments):
            return {"type": "tool_use", "id": call_id, "name": name, "input": dict(arguments)}
        case ToolResult(call_id, content, is_error):
            return {
                "type": "tool_result",
                "tool_use_id": call_id,
                "content": _sendable(content) or "(empty)",
                **({"is_error": True} if is_error else {}),
            }
        case Opaque(data):
            return dict(data)


def read_answer(body: bytes) -> ModelAnswer:
    """The answer in a response's body. Raises AnswerUnusable."""
    try:
        raw = _plain(json.loads(body), MAX_DEPTH)
    except RecursionError:
        raise AnswerUnusable("The model's answer is nested too deep to be read.") from None
    except ValueError:
        raise AnswerUnusable(
            "What answered is not the model's service (its answer is not JSON): check the base URL."
        ) from None
    content = raw.get("content") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(content, list):
        raise AnswerUnusable("What answered is not the model's service (no message in it): check the base URL.")
    parts = tuple(_part(block) for block in content if isinstance(block, dict))
    return ModelAnswer(
        AssistantTurn(parts),
        _STOPS.get(str(raw.get("stop_reason")), StopReason.END),
        _usage(raw.get("usage")),
        str(raw.get("model") or ""),
    )


def _part(block: dict[str, Any]) -> Text | ToolCall | Opaque:
    match block:
        case {"type": "text", "text": str(text)} if not block.get("citations"):
            return Text(text)
        case {"type": "tool_use", "id": str(call_id), "name": str(name)}:
            arguments = block.get("input")
            return ToolCall(call_id, name, arguments if isinstance(arguments, dict) else {})
        case _:
            return Opaque(block)


def _usage(raw: object) -> Usage:
    counts = raw if isinstance(raw, Mapping) else {}

    def count(name: str) -> int:
        value = counts.get(name)
        return value if isinstance(value, int) else 0

    read = count("input_tokens") + count("cache_creation_input_tokens") + count("cache_read_input_tokens")
    return Usage(read, count("output_tokens"), 1)


def _plain(value: Any, depth: int) -> Any:
    """The value with every text valid UTF-8: an escape may name half a surrogate pair, which nothing can store."""
    if depth < 0:
        raise RecursionError
    match value:
        case str():
            return _sendable(value)
        case list():
            return [_plain(item, depth - 1) for item in value]
        case dict():
            return {_sendable(key): _plain(item, depth - 1) for key, item in value.items()}
        case _:
            return value


def _sendable(text: str) -> str:
    """The text with half surrogates replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
