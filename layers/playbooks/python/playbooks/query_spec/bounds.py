"""Refuse what is too large, too deep or not text before anything walks it recursively.

The walk is iterative and stops at the limits, so its work is bounded by them and not by what was sent.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from playbooks.errors import Finding
from playbooks.query_spec.display import pointer
from playbooks.query_spec.limits import MAX_FIELDS, Limits

_FLAT = "a value is one scalar or one flat list of scalars"


Role = Literal["value", "children"]
"""What stands under a key of a node. Names are not looked at here: one that is unknown is refused unread."""
VALUE: Role = "value"
CHILDREN: Role = "children"

# Tuples and not unions: Python 3.11 asks a union four times as slowly.
_LISTS = (list, tuple)
_NUMBERS = (int, float)
_CONTAINERS = (list, tuple, set, frozenset, Mapping)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a document keeps its tree: the key of the root group ("" when the document is it), and what stands under
    the keys of its nodes. Other keys are left to the shape check, which refuses them."""

    root: str
    roles: Mapping[object, Role]


def layout(root: str, *, children: Iterable[str], values: Iterable[str]) -> Layout:
    """A layout by the keys that hold lists of nodes and the keys that hold values."""
    by_role: dict[Role, Iterable[str]] = {CHILDREN: children, VALUE: values}
    return Layout(root, {key: role for role, keys in by_role.items() for key in keys})


SPEC_LAYOUT = layout("where", children=["conditions"], values=["value", "start", "end"])


@dataclass(slots=True)
class Bounds:
    """What the walk found. `fatal` means the document must not be looked at any further."""

    findings: list[Finding] = field(default_factory=list)
    fatal: bool = False

    def stop(self, code: str, path: str, message: str) -> None:
        """Record a finding that ends the reading of this document."""
        self.findings.append(Finding(code, path, message))
        self.fatal = True


def check_bounds(document: Mapping[object, object], limits: Limits, layout: Layout = SPEC_LAYOUT) -> Bounds:
    """Walk a parsed document; the findings carry JSON pointers into it."""
    bounds = Bounds()
    if len(document) > MAX_FIELDS:
        _refuse_fields("", bounds)
        return bounds
    _check_order(document.get("order_by"), limits, bounds)
    root = document.get(layout.root) if layout.root else document
    if isinstance(root, Mapping):
        _check_tree(root, pointer(layout.root) if layout.root else "", limits, layout, bounds)
    return bounds


def _check_order(order: object, limits: Limits, bounds: Bounds) -> None:
    if not isinstance(order, _LISTS):
        return
    if len(order) > limits.max_order_by:
        bounds.stop("too_many_order_by", "/order_by", f"at most {limits.max_order_by} sort keys")
        return
    for index, item in enumerate(order):
        if isinstance(item, Mapping) and len(item) > MAX_FIELDS:
            _refuse_fields(f"/order_by/{index}", bounds)
            return


_Place = tuple[Mapping[object, object], str, int]
"""A node, its pointer and its depth."""


def _objects(nodes: Iterable[object], path: str, depth: int) -> list[_Place]:
    """The nodes that are objects; a dict is asked for first, because asking an abstract class is slow."""
    return [
        (node, f"{path}/{index}", depth)
        for index, node in enumerate(nodes)
        if isinstance(node, dict) or isinstance(node, Mapping)  # noqa: SIM101 - as said above
    ]


def _check_tree(root: Mapping[object, object], path: str, limits: Limits, layout: Layout, bounds: Bounds) -> None:
    budget = limits.max_nodes - 1
    roles, longest = layout.roles, limits.max_string
    stack: list[_Place] = [(root, path, 1)]
    while stack:
        node, here, depth = stack.pop()
        if len(node) > MAX_FIELDS:
            _refuse_fields(here, bounds)
            return
        below: list[_Place] = []
        for key, item in node.items():
            role = roles.get(key)
            if role is None or item is None:
                continue
            if role == CHILDREN and isinstance(item, _LISTS):
                if depth > limits.max_depth:
                    message = f"groups may nest at most {limits.max_depth} deep; flatten the tree"
                    bounds.stop("too_deep", here, message)
                    return
                budget -= len(item)
                if budget < 0:
                    message = f"at most {limits.max_nodes} groups and conditions together; use in for long or lists"
                    bounds.stop("too_many_nodes", path, message)
                    return
                below += _objects(item, f"{here}/{key}", depth + 1)
            elif isinstance(item, str):
                if len(item) > longest or "\0" in item or not item.isascii():
                    _note(_text_problem(item, longest), f"{here}/{key}", bounds)
            elif role == VALUE and not isinstance(item, _NUMBERS):
                _check_value(item, f"{here}/{key}", limits, bounds)
                if bounds.fatal:
                    return
        below.reverse()
        stack += below


def _check_value(value: object, path: str, limits: Limits, bounds: Bounds) -> None:
    if isinstance(value, _LISTS):
        if len(value) > limits.max_list:
            bounds.stop("in_too_long", path, f"at most {limits.max_in} values")
            return
        problems = (_value_problem(item, limits) for item in value)
        _note(next((problem for problem in problems if problem is not None), None), path, bounds)
    else:
        _note(_value_problem(value, limits), path, bounds)


def _value_problem(item: object, limits: Limits) -> tuple[str, str] | None:
    if isinstance(item, str):
        return _text_problem(item, limits.max_string)
    if item is None or isinstance(item, _NUMBERS):
        return None
    if isinstance(item, _CONTAINERS):
        return ("type_mismatch", _FLAT)
    return None


def _note(problem: tuple[str, str] | None, path: str, bounds: Bounds) -> None:
    if problem is not None:
        bounds.findings.append(Finding(problem[0], path, problem[1]))


def _text_problem(item: str, longest: int) -> tuple[str, str] | None:
    if len(item) > longest:
        return ("string_too_long", f"at most {longest} characters")
    if "\0" in item:
        return ("bad_string", "a text cannot hold the character U+0000")
    if not item.isascii():
        try:
            item.encode("utf-8")
        except UnicodeEncodeError:
            return ("bad_string", "the string is not valid Unicode")
    return None


def _refuse_fields(path: str, bounds: Bounds) -> None:
    bounds.stop("too_many_fields", path, f"an object here has at most {MAX_FIELDS} fields")
