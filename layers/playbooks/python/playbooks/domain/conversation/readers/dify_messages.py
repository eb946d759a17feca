"""Dify messages: a question, an answer and the agent's thoughts, each with its tools and what they returned."""

from collections.abc import Iterator, Mapping

from playbooks.domain.conversation.active_path import Node, follow, latest_leaf
from playbooks.domain.conversation.fields import encodable, identifier, instant, label, mapping, mappings, text
from playbooks.domain.conversation.json_record import Record, parse_text
from playbooks.domain.conversation.model import Conversation, Role
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart
from playbooks.domain.conversation.results import judge

NAME = "dify_messages"

_NO_PARENT = frozenset({"00000000-0000-0000-0000-000000000000", "00000000-0000-4000-8000-000000000000"})


def recognizes(record: Record) -> bool:
    """Messages with a query, an answer and a conversation's id or thoughts."""
    values = record.head() if record.is_sequence else mappings(record.root.get("data"))
    return any("query" in v and "answer" in v and ("agent_thoughts" in v or "conversation_id" in v) for v in values)


def read(record: Record) -> Iterator[Conversation]:
    """The one conversation; without parents the messages are one line by their time."""
    raw = (
        [(element.path, mapping(element.value)) for element in record.elements()]
        if record.is_sequence
        else [(f"/data/{index}", message) for index, message in enumerate(mappings(record.root.get("data")))]
    )
    placed = sorted(enumerate(raw), key=lambda item: (_order(item[1][1], item[0]), item[0]))
    is_tree = any(_parent(message) for _, message in raw)
    nodes: list[Node] = []
    for position, (path, message) in placed:
        parent = _parent(message) if is_tree else (nodes[-1].id if nodes else None)
        key = identifier(message.get("id")) or f"message-{position}"
        nodes.append(Node(key, parent, tuple(_messages(message, path)), _order(message, position)))
    leaf = latest_leaf(nodes) if is_tree else (nodes[-1].id if nodes else None)
    turns, others = follow(nodes, leaf, record.problems)
    conversation_id = next((found for _, m in raw if (found := identifier(m.get("conversation_id")))), None)
    title = label(record.root.get("name"))
    yield Conversation(NAME, conversation_id, title, turns, others, tuple(record.problems.found))


def _order(message: Mapping[str, object], position: int) -> float:
    at = instant(message.get("created_at"))
    return float(position) if at is None else at.timestamp()


def _parent(message: Mapping[str, object]) -> str | None:
    parent = identifier(message.get("parent_message_id"))
    return None if parent in _NO_PARENT else parent


def _messages(message: Mapping[str, object], path: str) -> Iterator[Message]:
    at = instant(message.get("created_at"))
    yield Message(Role.USER, encodable(text(message.get("query"))), (), at)
    thoughts = sorted(enumerate(mappings(message.get("agent_thoughts"))), key=lambda item: _position(item[1], item[0]))
    for index, thought in thoughts:
        parts = tuple(_parts(thought, f"{path}/agent_thoughts/{index}"))
        if parts:
            yield Message(Role.ASSISTANT, "", parts, instant(thought.get("created_at")) or at)
    yield Message(Role.ASSISTANT, encodable(text(message.get("answer"))), (), at)


def _position(thought: Mapping[str, object], index: int) -> tuple[int, int]:
    position = thought.get("position")
    return (position if isinstance(position, int) else index, index)


def _parts(thought: Mapping[str, object], path: str) -> Iterator[CallPart | ResultPart]:
    """A thought names its tools with semicolons; input and observation are objects by the tool's name, or plain."""
    names = list(dict.fromkeys(name.strip() for name in text(thought.get("tool")).split(";") if name.strip()))
    inputs, observations = _by_name(thought.get("tool_input"), names), _by_name(thought.get("observation"), names)
    for name in names:
        key = f"{path}/{name}"
        yield CallPart(name, inputs.get(name), key, path)
        observation = observations.get(name)
        if observation not in (None, ""):
            yield ResultPart(judge(observation, None), key, path=path)


def _by_name(value: object, names: list[str]) -> Mapping[str, object]:
    parsed = parse_text(value) if isinstance(value, str) else None
    fields = mapping(parsed.value if parsed is not None else value)
    if any(name in fields for name in names):
        return fields
    return {names[0]: value} if len(names) == 1 else {}
