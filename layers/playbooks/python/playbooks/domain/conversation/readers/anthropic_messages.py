"""Anthropic Messages requests: content blocks, among them those of the MCP connector and of server tools."""

from collections.abc import Iterator, Mapping

from playbooks.domain.conversation.fields import identifier, instant, joined_text, mapping, mappings, sequence, text
from playbooks.domain.conversation.json_record import Problems, Record
from playbooks.domain.conversation.model import Conversation, Role
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart, assemble
from playbooks.domain.conversation.results import judge

NAME = "anthropic_messages"

_CALLS = frozenset({"tool_use", "mcp_tool_use", "server_tool_use"})
_RESULTS = frozenset({"tool_result", "mcp_tool_result"})
_ROLES = frozenset({"user", "assistant"})
_FOREIGN = frozenset({"tool_calls", "function_call", "parts", "toolInvocations"})


def recognizes(record: Record) -> bool:
    """Messages with tool blocks, or of user and assistant alone; no calls beside the content."""
    messages = record.head() if record.is_sequence else mappings(record.root.get("messages"))
    if not messages:
        return _is_answer(record.root)
    if any(_FOREIGN & message.keys() for message in messages):
        return False
    if any(text(block.get("type")) in _CALLS | _RESULTS for m in messages for block in mappings(m.get("content"))):
        return True
    roles = {text(message.get("role")) for message in messages}
    return bool(roles & _ROLES) and roles <= _ROLES | {""} and any("content" in message for message in messages)


def read(record: Record) -> Iterator[Conversation]:
    """The one conversation of the record."""
    problems = record.problems
    spoken = ((path, message) for path, message in _messages(record) if text(message.get("role")) != "system")
    turns = assemble((_message(message, path, problems) for path, message in spoken), problems)
    yield Conversation(NAME, turns=turns, problems=tuple(problems.found))


def _is_answer(root: Mapping[str, object]) -> bool:
    """A request kept together with its answer, or the answer alone."""
    return root.get("role") == "assistant" and isinstance(root.get("content"), list)


def _messages(record: Record) -> Iterator[tuple[str, Mapping[str, object]]]:
    if record.is_sequence:
        yield from ((element.path, mapping(element.value)) for element in record.elements())
        return
    for index, message in enumerate(sequence(record.root.get("messages"))):
        yield f"/messages/{index}", mapping(message)
    if _is_answer(record.root):
        yield "", record.root


def _message(message: Mapping[str, object], path: str, problems: Problems) -> Message:
    content = message.get("content")
    role = Role.USER if message.get("role") == "user" else Role.ASSISTANT
    if not isinstance(content, str | list):
        problems.add("malformed", f"{path}/content", f"{path or '/'} has no content: text or blocks are expected.")
    return Message(role, joined_text(content), tuple(blocks(content, path)), instant(message.get("created_at")))


def blocks(content: object, path: str) -> Iterator[CallPart | ResultPart]:
    """The calls and results among content blocks; `is_error` is false where it does not stand, as the API says."""
    for index, block in enumerate(mappings(content)):
        kind, place = text(block.get("type")), f"{path}/content/{index}"
        if kind in _CALLS:
            yield CallPart(text(block.get("name")), block.get("input"), identifier(block.get("id")), place)
        elif kind in _RESULTS:
            result = judge(block.get("content"), block.get("is_error") is True)
            name = identifier(block.get("name"))
            yield ResultPart(result, identifier(block.get("tool_use_id")), name, place)
