"""The branch the user ended on, in a record that is a tree of messages."""

from collections.abc import Mapping, Sequence


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


def latest_leaf(parents: Mapping[str, str | None], order: Mapping[str, float]) -> str | None:
    """The node without children that comes last by `order` (a time or a position); ties go to the greater id."""
    inner = {parent for parent in parents.values() if parent is not None}
    leaves: Sequence[str] = [node for node in parents if node not in inner] or list(parents)
    return max(leaves, key=lambda node: (order.get(node, float("-inf")), node), default=None)
