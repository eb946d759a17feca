"""Open WebUI exports: a tree of messages whose tool calls stand in the text as `<details type="tool_calls">`.

Newer versions keep the answer's items in `output` too, in the form of OpenAI Responses; they are read where the text
holds no call.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape

from playbooks.domain.conversation.active_path import Node, choose_leaf, follow
from playbooks.domain.conversation.fields import encodable, identifier, instant, label, mapping, mappings, text
from playbooks.domain.conversation.json_record import Problems, Record, parse_text
from playbooks.domain.conversation.model import Conversation, Role
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart
from playbooks.domain.conversation.results import judge

NAME = "openwebui_export"

_DETAILS = re.compile(
    r"<details\b(?P<attributes>[^<>]*+)>(?P<inside>(?:(?!</?details\b).)*+)(?:</details>|\Z)", re.DOTALL
)
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)="([^"]*)\"""")


def recognizes(record: Record) -> bool:
    """Chats with a history of messages and the id of the current one."""
    values = record.head() if record.is_sequence else (record.root,)
    return any(isinstance(_history(value).get("messages"), dict) for value in values)


def _history(export: Mapping[str, object]) -> Mapping[str, object]:
    chat = mapping(export.get("chat")) or export
    return mapping(chat.get("history"))


def read(record: Record) -> Iterator[Conversation]:
    """Every chat of the export."""
    for element in record.elements():
        before = len(record.problems.found)
        export = mapping(element.value)
        if isinstance(_history(export).get("messages"), dict):
            yield _conversation(export, element.path, record.problems, before)


def _conversation(export: Mapping[str, object], path: str, problems: Problems, before: int) -> Conversation:
    history = _history(export)
    nodes: list[Node] = []
    for position, (key, value) in enumerate(mapping(history["messages"]).items()):
        message = mapping(value)
        at = instant(message.get("timestamp"))
        order = float(position) if at is None else at.timestamp()
        place = f"{path}/chat/history/messages/{key}"
        nodes.append(Node(key, identifier(message.get("parentId")), (_message(message, place),), order))
    leaf = choose_leaf(nodes, identifier(history.get("currentId")), problems, f"{path}/chat/history/currentId")
    turns, others = follow(nodes, leaf, problems)
    title = label(export.get("title")) or label(mapping(export.get("chat")).get("title"))
    chat_id = identifier(export.get("id")) or identifier(mapping(export.get("chat")).get("id"))
    return Conversation(NAME, chat_id, title, turns, others, tuple(problems.found[before:]))


def _message(message: Mapping[str, object], path: str) -> Message:
    """Only the assistant's details are calls: a user may write the same mark-up."""
    at, content = instant(message.get("timestamp")), text(message.get("content"))
    if message.get("role") != "assistant":
        return Message(Role.USER, encodable(content), (), at)
    parts: list[CallPart | ResultPart] = []
    for match in _DETAILS.finditer(content):
        attributes = dict(_ATTRIBUTE.findall(match["attributes"]))
        if attributes.get("type") == "tool_calls":
            parts += _call(attributes, f"{path}/content", len(parts))
    if not parts:
        parts = [
            part for index, item in enumerate(mappings(message.get("output"))) for part in _item(item, path, index)
        ]
    words = _DETAILS.sub("", content).strip()
    return Message(Role.ASSISTANT, encodable(words), tuple(parts), at)


def _call(attributes: Mapping[str, str], path: str, number: int) -> Iterator[CallPart | ResultPart]:
    key = f"{path}#{attributes.get('id') or number}"
    yield CallPart(unescape(attributes.get("name", "")), unescape(attributes.get("arguments", "")), key, path)
    if attributes.get("done") == "true" and "result" in attributes:
        yield ResultPart(judge(_decoded(unescape(attributes["result"])), None), key, path=path)


def _item(item: Mapping[str, object], path: str, index: int) -> Iterator[CallPart | ResultPart]:
    place, key = f"{path}/output/{index}", f"{path}#{item.get('call_id')}"
    match item.get("type"):
        case "function_call":
            yield CallPart(text(item.get("name")), item.get("arguments"), key, place)
        case "function_call_output" if text(item.get("status")) in {"", "completed"}:
            yield ResultPart(judge(item.get("output"), None), key, path=place)
        case _:
            return


def _decoded(result: str) -> object:
    parsed = parse_text(result)
    return result if parsed is None else parsed.value
