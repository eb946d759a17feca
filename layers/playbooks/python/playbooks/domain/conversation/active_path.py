"""The branch the user ended on, in a record that is a tree of messages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from playbooks.domain.conversation.json_record import Problems
from playbooks.domain.conversation.model import LeftOut, LeftOutReason, Turn
from playbooks.domain.conversation.pairing import Message, assemble


@dataclass(frozen=True, slots=True)
class Node:
    """A message in a tree. `order` is its time in seconds, or its position where the record has no times."""

    id: str
    parent: str | None
    messages: tuple[Message, ...]
    order: float


def path_to(leaf: str, parents: Mapping[str, str | None]) -> tuple[str, ...]:
    """The ids from the root down to `leaf`. A parent that is not in the record ends the path; a circle is cut."""
    path: list[str] = []
    seen: set[str] = set()
    node: str | None = leaf
    while node is not None and node in parents and node not in seen:
        seen.add(node)
        path.append(node)
        node = parents[node]
    return tuple(reversed(path))


def latest_leaf(nodes: Iterable[Node]) -> str | None:
    """The node without children that comes last by its order; ties go to the greater id."""
    known = {node.id: node for node in nodes}
    inner = {node.parent for node in known.values()}
    leaves = [node for node in known.values() if node.id not in inner] or list(known.values())
    last = max(leaves, key=lambda node: (node.order, node.id), default=None)
    return None if last is None else last.id


def choose_leaf(nodes: Sequence[Node], named: str | None, problems: Problems, path: str) -> str | None:
    """The node the record names as its end; the latest leaf when it names none, or one that is not there."""
    if named is not None and any(node.id == named for node in nodes):
        return named
    if named is not None:
        problems.add("unknown_leaf", path, "The record ends on a message that it does not hold; the latest is taken.")
    return latest_leaf(nodes)


def follow(nodes: Sequence[Node], leaf: str | None, problems: Problems) -> tuple[tuple[Turn, ...], tuple[LeftOut, ...]]:
    """The turns on the path to `leaf`, and the calls that lie on other branches."""
    by_id = {node.id: node for node in nodes}
    path = () if leaf is None else path_to(leaf, {node.id: node.parent for node in by_id.values()})
    on_path = set(path)
    turns = assemble((message for node in path for message in by_id[node].messages), problems)
    others = (node for node in by_id.values() if node.id not in on_path)
    return turns, left_out((message for node in others for message in node.messages), LeftOutReason.OTHER_BRANCH)


def left_out(messages: Iterable[Message], why: LeftOutReason) -> tuple[LeftOut, ...]:
    """The calls of messages that are not on the active path; what is wrong with those messages concerns nobody."""
    return tuple(LeftOut(call, why) for turn in assemble(messages, Problems()) for call in turn.calls)
