"""Refuse what is too large, too deep or not text before anything walks it recursively.

The walk is iterative and stops at the limits, so its work is bounded by them and not by what was sent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from playbooks.errors import Finding
from playbooks.query_spec.display import pointer
from playbooks.query_spec.limits import MAX_FIELDS, MAX_NAME, Limits

_FLAT = "a value is one scalar or one flat list of scalars"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a document keeps its tree: the key of the root group ("" when the document is it), the keys that hold
    lists of child nodes and the keys that hold values."""

    root: str
    children: tuple[str, ...]
    values: tuple[str, ...]


SPEC_LAYOUT = Layout(root="where", children=("conditions",), values=("value", "start", "end"))


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
    if _has_too_many_fields(document, "", bounds):
        return bounds
    _check_order(document.get("order_by"), limits, bounds)
    root = document.get(layout.root) if layout.root else document
    if isinstance(root, Mapping):
        _check_tree(root, pointer(layout.root) if layout.root else "", limits, layout, bounds)
    return bounds


def _check_order(order: object, limits: Limits, bounds: Bounds) -> None:
    if not isinstance(order, list | tuple):
        return
    if len(order) > limits.max_order_by:
        bounds.stop("too_many_order_by", "/order_by", f"at most {limits.max_order_by} sort keys")
        return
    for index, item in enumerate(order):
        path = f"/order_by/{index}"
        if isinstance(item, Mapping) and not _has_too_many_fields(item, path, bounds):
            bounds.findings.extend(_bad_texts(item, ("column", "direction"), path))


def _check_tree(root: Mapping[object, object], path: str, limits: Limits, layout: Layout, bounds: Bounds) -> None:
    budget = limits.max_nodes - 1
    stack: list[tuple[Mapping[object, object], str, int]] = [(root, path, 1)]
    while stack:
        node, here, depth = stack.pop()
        groups = [(key, node[key]) for key in layout.children if isinstance(node.get(key), list | tuple)]
        if _has_too_many_fields(node, here, bounds):
            return
        if groups and depth > limits.max_depth:
            bounds.stop("too_deep", here, f"groups may nest at most {limits.max_depth} deep; flatten the tree")
            return
        bounds.findings.extend(_bad_texts(node, ("column", "operator", "op"), here))
        for key in layout.values:
            if key in node:
                _check_value(node[key], f"{here}/{key}", limits, bounds)
        below: list[tuple[Mapping[object, object], str, int]] = []
        for key, children in groups:
            assert isinstance(children, list | tuple)
            budget -= len(children)
            if budget < 0:
                message = f"at most {limits.max_nodes} groups and conditions together; use in for long or lists"
                bounds.stop("too_many_nodes", path, message)
                return
            for index, child in enumerate(children):
                if isinstance(child, Mapping):
                    below.append((child, f"{here}/{key}/{index}", depth + 1))
        stack.extend(reversed(below))


def _check_value(value: object, path: str, limits: Limits, bounds: Bounds) -> None:
    if isinstance(value, list | tuple):
        if len(value) > limits.max_list:
            bounds.stop("in_too_long", path, f"at most {limits.max_in} values")
            return
        problem = next((found for item in value if (found := _value_problem(item, limits)) is not None), None)
    else:
        problem = _value_problem(value, limits)
    if problem is not None:
        bounds.findings.append(Finding(problem[0], path, problem[1]))


def _value_problem(item: object, limits: Limits) -> tuple[str, str] | None:
    if isinstance(item, str):
        return _text_problem(item, limits.max_string)
    if isinstance(item, list | tuple | Mapping | set | frozenset):
        return ("type_mismatch", _FLAT)
    return None


def _bad_texts(node: Mapping[object, object], keys: tuple[str, ...], path: str) -> Iterator[Finding]:
    for key in keys:
        item = node.get(key)
        if isinstance(item, str) and (problem := _text_problem(item, MAX_NAME)) is not None:
            yield Finding(problem[0], f"{path}/{key}", problem[1])


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


def _has_too_many_fields(node: Mapping[object, object], path: str, bounds: Bounds) -> bool:
    if len(node) <= MAX_FIELDS:
        return False
    bounds.stop("too_many_fields", path, f"an object here has at most {MAX_FIELDS} fields")
    return True
