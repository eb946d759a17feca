"""A table's name as a statement writes it: `orders`, `public.orders`, `public."odd.name"`."""

import re

_PART = re.compile(r'"(?:[^"]|"")*"(?=\.|\Z)|[^.]+')


def parts(table: str) -> tuple[str, ...]:
    """The parts of a name, outermost first; a part with a dot in it stands in quotes."""
    found = _PART.findall(table)
    return tuple(part[1:-1].replace('""', '"') if _is_quoted(part) else part for part in found)


def may_be_same(one: str, other: str) -> bool:
    """Whether two names can mean one table: they agree from the right as far as both go.

    Which schema `orders` lies in is decided by the server's search path, so it may be `public.orders`.
    """
    left, right = parts(one), parts(other)
    common = min(len(left), len(right))
    return common > 0 and left[-common:] == right[-common:]


def _is_quoted(part: str) -> bool:
    return len(part) > 1 and part[0] == part[-1] == '"'
