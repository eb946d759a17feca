"""OpenAI Responses: items of one response, of several in a chain, or of the listing of a conversation."""

from collections.abc import Iterator, Mapping, Sequence

from playbooks.domain.conversation.fields import identifier, instant, joined_text, mapping, mappings, text
from playbooks.domain.conversation.json_record import Record
from playbooks.domain.conversation.model import Conversation, Role
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart, assemble
from playbooks.domain.conversation.results import judge, no_result

NAME = "openai_responses"

_CALLS = frozenset({"function_call", "custom_tool_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_SHELL_CALLS = frozenset({"local_shell_call", "shell_call"})
_SHELL_OUTPUTS = frozenset({"local_shell_call_output", "shell_call_output"})
_OWN = _CALLS | _OUTPUTS | _SHELL_CALLS | _SHELL_OUTPUTS | {"mcp_call", "mcp_list_tools", "mcp_approval_request"}

_Item = tuple[str, Mapping[str, object]]


def recognizes(record: Record) -> bool:
    """A response object, or items among which one has a type that only this format has."""
    if record.is_sequence:
        head = record.head()
        return any(text(item.get("type")) in _OWN or _is_response(item) for item in head)
    root = record.root
    return _is_response(root) or any(text(item.get("type")) in _OWN for item in _items_of(root))


def _is_response(item: Mapping[str, object]) -> bool:
    return isinstance(item.get("output"), list) and (
        item.get("object") == "response"
        or any(text(block.get("type")) in _OWN | {"message", "reasoning"} for block in mappings(item["output"]))
    )


def _items_of(root: Mapping[str, object]) -> tuple[Mapping[str, object], ...]:
    """The items beside which nothing else tells the format: a request's input, or the listing of a conversation."""
    return (*mappings(root.get("input")), *mappings(root.get("data")), *mappings(root.get("items")))


def read(record: Record) -> Iterator[Conversation]:
    """The one conversation of the record."""
    items = _chronological(list(_items(record)))
    turns = assemble((message for path, item in items for message in _message(item, path)), record.problems)
    root = record.root
    yield Conversation(NAME, identifier(root.get("id")), None, turns, (), tuple(record.problems.found))


def _items(record: Record) -> Iterator[_Item]:
    if not record.is_sequence:
        yield from _response_items(record.root, "")
        return
    for element in record.elements():
        item = mapping(element.value)
        if _is_response(item):
            yield from _response_items(item, element.path)
        else:
            yield element.path, item


def _response_items(root: Mapping[str, object], path: str) -> Iterator[_Item]:
    if isinstance(root.get("input"), str):
        yield f"{path}/input", {"type": "message", "role": "user", "content": root["input"]}
    for key in ("input", "data", "items", "output"):
        for index, item in enumerate(mappings(root.get(key))):
            yield f"{path}/{key}/{index}", item


def _chronological(items: Sequence[_Item]) -> Sequence[_Item]:
    """A listing comes newest first by default: when the outputs stand before their calls, it is turned round."""
    position = {_call_id(item): at for at, (_, item) in enumerate(items) if text(item.get("type")) in _CALLS}
    before = after = 0
    for at, (_, item) in enumerate(items):
        if text(item.get("type")) in _OUTPUTS and _call_id(item) in position:
            before, after = (before + 1, after) if at < position[_call_id(item)] else (before, after + 1)
    return list(reversed(items)) if before > after else items


def _message(item: Mapping[str, object], path: str) -> Iterator[Message]:
    kind, at = text(item.get("type")), instant(item.get("created_at"))
    role = Role.USER if item.get("role") == "user" else Role.ASSISTANT
    if kind == "message" or (not kind and "role" in item):
        if text(item.get("role")) in {"user", "assistant"}:
            yield Message(role, joined_text(item.get("content")), (), at)
    elif kind in _CALLS:
        arguments = item.get("arguments") if "arguments" in item else item.get("input")
        call = CallPart(text(item.get("name")), arguments, _call_id(item), path)
        yield Message(Role.ASSISTANT, "", (call,), at)
    elif kind in _OUTPUTS:
        finished = text(item.get("status")) in {"", "completed"}
        output = item.get("output")
        result = judge(output, None) if finished else no_result(output)
        yield Message(Role.ASSISTANT, "", (ResultPart(result, _call_id(item), path=path),), at)
    elif kind == "mcp_call":
        yield Message(Role.ASSISTANT, "", tuple(_mcp_call(item, path)), at)
    elif kind in _SHELL_CALLS:
        action = mapping(item.get("action"))
        command = {"command": action.get("command") or action.get("commands")}
        yield Message(Role.ASSISTANT, "", (CallPart("shell", command, _call_id(item), path),), at)
    elif kind in _SHELL_OUTPUTS:
        yield Message(Role.ASSISTANT, "", (ResultPart(judge(item.get("output"), None), _call_id(item), path=path),), at)


def _call_id(item: Mapping[str, object]) -> str | None:
    return identifier(item.get("call_id"))


def _mcp_call(item: Mapping[str, object], path: str) -> Iterator[CallPart | ResultPart]:
    """A call that carries its result: an `error` field that is null, and a status."""
    key = identifier(item.get("id"))
    yield CallPart(text(item.get("name")), item.get("arguments"), key, path)
    error, output, status = item.get("error"), item.get("output"), text(item.get("status"))
    if error or status == "failed":
        yield ResultPart(judge(_error_text(error), flag=True), key, path=path)
    elif output is not None and status in {"", "completed"}:
        yield ResultPart(judge(output, flag=False), key, path=path)


def _error_text(error: object) -> str:
    fields = mapping(error)
    return joined_text(fields.get("content")) or text(fields.get("message")) or text(error)
