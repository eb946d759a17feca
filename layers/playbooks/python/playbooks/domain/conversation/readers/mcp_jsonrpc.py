"""A log of MCP JSON-RPC messages: requests `tools/call` and the responses with their ids."""

from collections.abc import Iterator, Mapping

from playbooks.domain.conversation.fields import instant, mapping, text
from playbooks.domain.conversation.json_record import Record
from playbooks.domain.conversation.model import Conversation, Role, ToolResult
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart, assemble
from playbooks.domain.conversation.results import judge, no_result

NAME = "mcp_jsonrpc"

_WRAPPERS = ("message", "payload", "data", "msg", "body")


def recognizes(record: Record) -> bool:
    """JSON-RPC messages, bare or wrapped by a logger."""
    return any(True for value in record.head() for _ in _rpc(value, ""))


def read(record: Record) -> Iterator[Conversation]:
    """The one conversation of the log; nobody speaks in it, only calls are made."""
    turns = assemble(_messages(record), record.problems)
    yield Conversation(NAME, turns=turns, problems=tuple(record.problems.found))


def _rpc(value: object, path: str) -> Iterator[tuple[str, Mapping[str, object], Mapping[str, object]]]:
    """The JSON-RPC messages of one logged value, each with the object it was logged in."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _rpc(item, f"{path}/{index}")
        return
    entry = mapping(value)
    if "jsonrpc" in entry:
        yield path, entry, entry
        return
    for key in _WRAPPERS:
        inner = mapping(entry.get(key))
        if "jsonrpc" in inner:
            yield f"{path}/{key}", inner, entry


def _messages(record: Record) -> Iterator[Message]:
    asked: set[str] = set()
    for element in record.elements():
        for path, message, entry in _rpc(element.value, element.path):
            at = instant(entry.get("timestamp") or entry.get("time") or entry.get("ts"))
            for part in _parts(message, path, asked):
                yield Message(Role.ASSISTANT, "", (part,), at)


def _parts(message: Mapping[str, object], path: str, asked: set[str]) -> Iterator[CallPart | ResultPart]:
    """`asked` holds the ids of calls, for responses to other requests (tools/list, initialize) share the log."""
    key = _key(message.get("id"))
    method = message.get("method")
    if method == "tools/call" and key is not None:
        asked.add(key)
        params = mapping(message.get("params"))
        yield CallPart(text(params.get("name")), params.get("arguments"), key, path)
    elif method == "notifications/cancelled":
        cancelled = _key(mapping(message.get("params")).get("requestId"))
        if cancelled in asked:
            asked.discard(cancelled)
            yield ResultPart(no_result(), cancelled, path=path)
    elif method is None and key in asked:
        asked.discard(key)
        yield ResultPart(_result(message), key, path=path)
    elif method is not None and key is not None:
        asked.discard(key)


def _result(message: Mapping[str, object]) -> ToolResult:
    error = mapping(message.get("error"))
    if error:
        return judge(text(error.get("message")), flag=True)
    result = mapping(message.get("result"))
    body = result.get("content") or result.get("structuredContent")
    return judge(body if body is not None else result.get("toolResult"), result.get("isError") is True)


def _key(value: object) -> str | None:
    """JSON-RPC ids 1 and "1" are two ids."""
    if isinstance(value, str):
        return f'"{value}"'
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
