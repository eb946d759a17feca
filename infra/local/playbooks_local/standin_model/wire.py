"""The Messages API's shapes: which requests it refuses, and how answers and errors look."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from playbooks_local.standin_model.answers import Answer

STAND_IN = "stand-in (rule based, no language model)"
_CHARACTERS_A_TOKEN = 4


def objection(body: object) -> str | None:
    """Why the API would refuse the request with status 400, or None. Only what a client can get wrong is checked."""
    if not isinstance(body, Mapping):
        return "the body must be a JSON object"
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "model: Field required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        return "max_tokens: must be a positive integer"
    if body.get("stream"):
        return "stream: the stand-in does not stream"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "messages: at least one message is required"
    if messages[0].get("role") != "user":
        return 'messages: first message must use the "user" role'
    return _tools_objection(body.get("tools", []), body.get("tool_choice")) or _messages_objection(messages)


def _tools_objection(tools: Sequence[Mapping[str, Any]], choice: object) -> str | None:
    for number, tool in enumerate(tools):
        schema = tool.get("input_schema")
        if not isinstance(tool.get("name"), str) or not isinstance(schema, Mapping) or schema.get("type") != "object":
            return f"tools.{number}: a tool has a name and an input_schema of type object"
        if {"anyOf", "oneOf", "allOf"} & schema.keys():
            return f"tools.{number}.input_schema: does not support oneOf, allOf, or anyOf at the top level"
        if tool.get("strict") and not _is_closed(schema):
            return f"tools.{number}.input_schema: strict needs additionalProperties false and every property required"
    if isinstance(choice, Mapping) and choice.get("type") == "tool":
        names = [tool["name"] for tool in tools]
        if choice.get("name") not in names:
            return f"tool_choice: Tool '{choice.get('name')}' not found in provided tools"
    return None


def _is_closed(schema: Mapping[str, Any]) -> bool:
    children = [*schema.get("properties", {}).values(), schema.get("items")]
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", [])) != set(schema.get("properties", {}))
    ):
        return False
    return all(_is_closed(child) for child in children if isinstance(child, Mapping))


def _messages_objection(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """Roles, contents, and a result right after each call."""
    open_calls: set[str] = set()
    for number, message in enumerate(messages):
        content = message.get("content")
        if message.get("role") not in {"user", "assistant"} or not content or not isinstance(content, str | list):
            return f"messages.{number}: a role and non-empty content are required"
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if any(block.get("type") == "text" and not block.get("text", "").strip() for block in blocks):
            return f"messages.{number}: text content blocks must contain non-whitespace text"
        answered = {block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"}
        if answered != open_calls:
            return f"messages.{number}: tool_use ids without tool_result blocks right after, or the reverse"
        open_calls = {str(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
    return None


def message(answer: Answer, body: Mapping[str, Any], *, cut: bool = False, refusal: bool = False) -> dict[str, Any]:
    """A message of the API. Its ids follow from the request, so the same request gets the same answer."""
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:20]
    content: list[dict[str, Any]] = []
    if answer.said:
        content.append({"type": "text", "text": answer.said})
    if answer.tool is not None:
        arguments = {} if cut else dict(answer.arguments)
        content.append({"type": "tool_use", "id": f"toolu_{digest}", "name": answer.tool, "input": arguments})
    stop = "refusal" if refusal else "max_tokens" if cut else "tool_use" if answer.tool is not None else "end_turn"
    return {
        "id": f"msg_{digest}",
        "type": "message",
        "role": "assistant",
        "model": STAND_IN,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": _tokens(body), "output_tokens": _tokens(content)},
    }


def error(kind: str, text: str) -> dict[str, Any]:
    """An error of the API."""
    return {"type": "error", "error": {"type": kind, "message": text}}


def _tokens(value: object) -> int:
    """An estimate, so that usage is counted."""
    return max(1, len(json.dumps(value, ensure_ascii=False)) // _CHARACTERS_A_TOKEN)
