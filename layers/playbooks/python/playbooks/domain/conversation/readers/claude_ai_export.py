"""claude.ai exports: a tree of messages with content blocks that carry their results."""

from collections.abc import Iterator, Mapping

from playbooks.domain.conversation.active_path import Node, choose_leaf, follow
from playbooks.domain.conversation.fields import identifier, instant, joined_text, label, mapping, mappings
from playbooks.domain.conversation.json_record import Problems, Record
from playbooks.domain.conversation.model import Conversation, Role
from playbooks.domain.conversation.pairing import Message
from playbooks.domain.conversation.readers.anthropic_messages import blocks

NAME = "claude_ai_export"


def recognizes(record: Record) -> bool:
    """Conversations with `chat_messages`."""
    values = record.head() if record.is_sequence else (record.root,)
    return any(isinstance(value.get("chat_messages"), list) for value in values)


def read(record: Record) -> Iterator[Conversation]:
    """Every conversation of the export."""
    for element in record.elements():
        before = len(record.problems.found)
        export = mapping(element.value)
        if isinstance(export.get("chat_messages"), list):
            yield _conversation(export, element.path, record.problems, before)


def _conversation(export: Mapping[str, object], path: str, problems: Problems, before: int) -> Conversation:
    """Without a named leaf the latest leaf is the end; without parents the messages are one line."""
    messages = mappings(export["chat_messages"])
    is_tree = any(message.get("parent_message_uuid") for message in messages)
    nodes: list[Node] = []
    for position, message in enumerate(messages):
        key = identifier(message.get("uuid")) or f"message-{position}"
        before_it = nodes[-1].id if nodes else None
        parent = identifier(message.get("parent_message_uuid")) if is_tree else before_it
        at = instant(message.get("created_at"))
        order = float(position) if at is None else at.timestamp()
        place = f"{path}/chat_messages/{position}"
        nodes.append(Node(key, parent, (_message(message, place),), order))
    named = identifier(export.get("current_leaf_message_uuid")) if is_tree else None
    leaf = choose_leaf(nodes, named, problems, f"{path}/current_leaf_message_uuid")
    if not is_tree and nodes:
        leaf = nodes[-1].id
    turns, others = follow(nodes, leaf, problems)
    return Conversation(
        NAME,
        identifier(export.get("uuid")),
        label(export.get("name")),
        turns,
        others,
        tuple(problems.found[before:]),
    )


def _message(message: Mapping[str, object], path: str) -> Message:
    content = message.get("content")
    role = Role.USER if message.get("sender") == "human" else Role.ASSISTANT
    words = joined_text(content) if content else joined_text(message.get("text"))
    return Message(role, words, tuple(blocks(content, path)), instant(message.get("created_at")))
