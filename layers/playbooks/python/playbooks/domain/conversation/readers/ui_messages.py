"""AI SDK UI messages: parts that are tool invocations with a state, of version 5 and later or of version 4."""

from collections.abc import Iterator, Mapping

from playbooks.domain.conversation.fields import identifier, instant, joined_text, label, mapping, mappings, text
from playbooks.domain.conversation.json_record import Record
from playbooks.domain.conversation.model import Conversation, Role
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart, assemble
from playbooks.domain.conversation.results import judge, no_result

NAME = "ui_messages"

_PREFIX = "tool-"


def recognizes(record: Record) -> bool:
    """Messages with parts, or with tool invocations."""
    return any(_is_ui_message(message) for message in _head(record))


def _is_ui_message(message: Mapping[str, object]) -> bool:
    return text(message.get("role")) in {"system", "user", "assistant"} and (
        (isinstance(message.get("parts"), list) and all("type" in part for part in mappings(message["parts"])))
        or isinstance(message.get("toolInvocations"), list)
    )


def _head(record: Record) -> tuple[Mapping[str, object], ...]:
    return record.head() if record.is_sequence else mappings(record.root.get("messages"))


def read(record: Record) -> Iterator[Conversation]:
    """The one conversation of the record."""
    turns = assemble(_messages(record), record.problems)
    root = record.root
    yield Conversation(
        NAME, identifier(root.get("id")), label(root.get("title")), turns, (), tuple(record.problems.found)
    )


def _messages(record: Record) -> Iterator[Message]:
    if record.is_sequence:
        for element in record.elements():
            yield from _message(mapping(element.value), element.path)
    else:
        for index, message in enumerate(mappings(record.root.get("messages"))):
            yield from _message(message, f"/messages/{index}")


def _message(message: Mapping[str, object], path: str) -> Iterator[Message]:
    if text(message.get("role")) not in {"user", "assistant"}:
        return
    role = Role.USER if message["role"] == "user" else Role.ASSISTANT
    at = instant(message.get("createdAt") or mapping(message.get("metadata")).get("createdAt"))
    parts = mappings(message.get("parts"))
    words = joined_text([part for part in parts if part.get("type") == "text"]) or joined_text(message.get("content"))
    calls: list[CallPart | ResultPart] = []
    for index, part in enumerate(parts):
        calls += _invocation(part, f"{path}/parts/{index}")
    if not calls:
        for index, old in enumerate(mappings(message.get("toolInvocations"))):
            calls += _version_4(old, f"{path}/toolInvocations/{index}")
    yield Message(role, words, tuple(calls), at)


def _invocation(part: Mapping[str, object], path: str) -> Iterator[CallPart | ResultPart]:
    kind = text(part.get("type"))
    if kind == "tool-invocation":
        yield from _version_4(mapping(part.get("toolInvocation")), f"{path}/toolInvocation")
        return
    if kind != "dynamic-tool" and not kind.startswith(_PREFIX):
        return
    name = text(part.get("toolName")) or kind.removeprefix(_PREFIX)
    key = identifier(part.get("toolCallId"))
    arguments = part.get("input") if part.get("input") is not None else part.get("rawInput")
    yield CallPart(name, arguments, key, path)
    match part.get("state"):
        case "output-available" if part.get("preliminary") is not True:
            yield ResultPart(judge(part.get("output"), flag=False), key, name, path)
        case "output-error":
            yield ResultPart(judge(part.get("errorText"), flag=True), key, name, path)
        case "output-denied":
            yield ResultPart(no_result(), key, name, path)
        case _:
            return


def _version_4(part: Mapping[str, object], path: str) -> Iterator[CallPart | ResultPart]:
    name, key = text(part.get("toolName")), identifier(part.get("toolCallId"))
    yield CallPart(name, part.get("args"), key, path)
    if part.get("state") == "result":
        yield ResultPart(judge(part.get("result"), None), key, name, path)
