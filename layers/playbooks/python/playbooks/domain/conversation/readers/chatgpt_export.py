"""ChatGPT exports: a tree of messages; a call is addressed to a tool, its results are the tool's next messages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from playbooks.domain.conversation.active_path import Node, choose_leaf, left_out, path_to
from playbooks.domain.conversation.fields import identifier, instant, joined_text, label, mapping, text
from playbooks.domain.conversation.json_record import Problems, Record, parse_text
from playbooks.domain.conversation.model import Conversation, LeftOutReason, Role, ToolResult
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart, assemble
from playbooks.domain.conversation.results import judge, no_result

NAME = "chatgpt_export"


def recognizes(record: Record) -> bool:
    """Conversations with a `mapping` of nodes."""
    values = record.head() if record.is_sequence else (record.root,)
    return any(isinstance(value.get("mapping"), dict) for value in values)


def read(record: Record) -> Iterator[Conversation]:
    """Every conversation of the export."""
    for element in record.elements():
        before = len(record.problems.found)
        export = mapping(element.value)
        if isinstance(export.get("mapping"), dict):
            yield _conversation(export, element.path, record.problems, before)


def _conversation(export: Mapping[str, object], path: str, problems: Problems, before: int) -> Conversation:
    raw = {key: mapping(node) for key, node in mapping(export["mapping"]).items()}
    nodes = [
        Node(key, identifier(node.get("parent")), (), _order(mapping(node.get("message")), position))
        for position, (key, node) in enumerate(raw.items())
    ]
    leaf = choose_leaf(nodes, identifier(export.get("current_node")), problems, f"{path}/current_node")
    on_path = () if leaf is None else path_to(leaf, {node.id: node.parent for node in nodes})
    turns = assemble(_messages(raw, on_path, path), problems)
    kept = set(on_path)
    others = _messages(raw, [key for key in raw if key not in kept], path)
    return Conversation(
        NAME,
        identifier(export.get("conversation_id")) or identifier(export.get("id")),
        label(export.get("title")),
        turns,
        left_out(others, LeftOutReason.OTHER_BRANCH),
        tuple(problems.found[before:]),
    )


def _order(message: Mapping[str, object], position: int) -> float:
    at = instant(message.get("create_time"))
    return float(position) if at is None else at.timestamp()


@dataclass(slots=True)
class _Exchange:
    """Calls in a row and the results in a row after them: as many, or several for one, else nobody can tell."""

    calls: list[str] = field(default_factory=list)
    results: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)

    def flush(self) -> Iterator[Message]:
        for index, (path, message) in enumerate(self.results):
            if len(self.calls) == len(self.results):
                key = self.calls[index]
            else:
                key = self.calls[0] if len(self.calls) == 1 else "unpaired"
            at = instant(message.get("create_time"))
            yield Message(Role.ASSISTANT, "", (ResultPart(_result(message), key, path=path),), at)
        self.calls.clear()
        self.results.clear()


def _messages(raw: Mapping[str, Mapping[str, object]], keys: Sequence[str], path: str) -> Iterator[Message]:
    exchange = _Exchange()
    for key in keys:
        message = mapping(raw[key].get("message"))
        author = mapping(message.get("author"))
        place = f"{path}/mapping/{key}"
        role, recipient = author.get("role"), text(message.get("recipient")) or "all"
        if role == "tool":
            exchange.results.append((place, message))
            continue
        if exchange.results or role == "user":
            yield from exchange.flush()
        at = instant(message.get("create_time"))
        if role == "user" and not _is_hidden(message):
            yield Message(Role.USER, _words(message), (), at)
        elif role == "assistant" and recipient not in {"all", "assistant"}:
            if message.get("status") == "finished_successfully":
                exchange.calls.append(key)
            yield Message(Role.ASSISTANT, "", (_call(message, recipient, key, place),), at)
        elif role == "assistant" and _kind(message) in {"text", "multimodal_text"}:
            yield Message(Role.ASSISTANT, _words(message), (), at)
    yield from exchange.flush()


def _kind(message: Mapping[str, object]) -> str:
    return text(mapping(message.get("content")).get("content_type"))


def _is_hidden(message: Mapping[str, object]) -> bool:
    """Instructions the client inserts in the user's name."""
    hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
    return hidden is True or _kind(message) == "user_editable_context"


def _words(message: Mapping[str, object]) -> str:
    content = mapping(message.get("content"))
    parts = content.get("parts")
    return joined_text(parts if isinstance(parts, list) else content.get("text"))


def _call(message: Mapping[str, object], recipient: str, key: str, path: str) -> CallPart:
    """A connector's call names its tool in a path beside the arguments; others are addressed by their name."""
    content = _words(message)
    parsed = parse_text(content)
    fields = mapping(parsed.value) if parsed is not None else {}
    if isinstance(fields.get("path"), str) and "args" in fields:
        return CallPart(text(fields["path"]).rstrip("/").rsplit("/", 1)[-1], fields["args"], key, path)
    return CallPart(recipient, content, key, path)


def _result(message: Mapping[str, object]) -> ToolResult:
    content = mapping(message.get("content"))
    body = _words(message) or text(content.get("result"))
    if content.get("content_type") == "system_error":
        return judge(body, flag=True)
    if text(message.get("status")) not in {"", "finished_successfully"}:
        return no_result(body)
    return judge(body, None)
