"""OpenAI Chat Completions messages: tool calls beside the content, results as messages of the role `tool`."""

from collections.abc import Iterator, Mapping

from playbooks.domain.conversation.fields import identifier, instant, joined_text, mapping, mappings, sequence, text
from playbooks.domain.conversation.json_record import Record
from playbooks.domain.conversation.model import Conversation, Role
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart, assemble
from playbooks.domain.conversation.results import judge

NAME = "openai_chat_completions"

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_CONTENT = frozenset({"content", "tool_calls", "function_call"})


def recognizes(record: Record) -> bool:
    """Messages with OpenAI's roles and no content blocks of another vendor; or lines that hold such messages each."""
    if record.is_sequence and all("messages" in element for element in record.head()):
        return any(_is_chat(mappings(element["messages"])) for element in record.head())
    messages = record.head() if record.is_sequence else mappings(record.root.get("messages"))
    return _is_chat(messages) or bool(mappings(record.root.get("choices")))


def _is_chat(messages: tuple[Mapping[str, object], ...]) -> bool:
    if any("parts" in message or _has_blocks(message) for message in messages):
        return False
    return any(text(m.get("role")) in _ROLES and _CONTENT & m.keys() for m in messages)


def _has_blocks(message: Mapping[str, object]) -> bool:
    """Blocks of Anthropic's."""
    return any("tool_use_id" in block or block.get("type") == "tool_use" for block in mappings(message.get("content")))


def read(record: Record) -> Iterator[Conversation]:
    """One conversation; of lines that hold messages each, one a line, its number as its id."""
    if record.is_sequence and all("messages" in element for element in record.head()):
        for number, element in enumerate(record.elements(), 1):
            before = len(record.problems.found)
            root = mapping(element.value)
            turns = assemble(_from_root(root, element.path), record.problems)
            yield Conversation(
                NAME, identifier(root.get("id")) or str(number), None, turns, (), tuple(record.problems.found[before:])
            )
        return
    if record.is_sequence:
        messages = (
            message for element in record.elements() for message in _message(mapping(element.value), element.path)
        )
        turns = assemble(messages, record.problems)
    else:
        turns = assemble(_from_root(record.root, ""), record.problems)
    yield Conversation(NAME, identifier(record.root.get("id")), None, turns, (), tuple(record.problems.found))


def _from_root(root: Mapping[str, object], path: str) -> Iterator[Message]:
    for index, message in enumerate(sequence(root.get("messages"))):
        yield from _message(mapping(message), f"{path}/messages/{index}")
    choices = mappings(root.get("choices"))
    if choices:
        yield from _message(mapping(choices[0].get("message")), f"{path}/choices/0/message")


def _message(message: Mapping[str, object], path: str) -> Iterator[Message]:
    role, content = message.get("role"), message.get("content")
    at = instant(message.get("created_at") or message.get("timestamp"))
    match role:
        case "user":
            yield Message(Role.USER, joined_text(content), (), at)
        case "assistant":
            yield Message(Role.ASSISTANT, joined_text(content), tuple(_calls(message, path)), at)
        case "tool":
            result = ResultPart(judge(content, None), identifier(message.get("tool_call_id")), path=path)
            yield Message(Role.ASSISTANT, "", (result,), at)
        case "function":
            yield Message(
                Role.ASSISTANT, "", (ResultPart(judge(content, None), None, text(message.get("name")), path),), at
            )
        case _:
            return


def _calls(message: Mapping[str, object], path: str) -> Iterator[CallPart]:
    for index, call in enumerate(mappings(message.get("tool_calls"))):
        place = f"{path}/tool_calls/{index}"
        function, custom = mapping(call.get("function")), mapping(call.get("custom"))
        if custom:
            yield CallPart(text(custom.get("name")), custom.get("input"), identifier(call.get("id")), place)
        else:
            yield CallPart(text(function.get("name")), function.get("arguments"), identifier(call.get("id")), place)
    legacy = mapping(message.get("function_call"))
    if legacy:
        yield CallPart(text(legacy.get("name")), legacy.get("arguments"), None, f"{path}/function_call")
