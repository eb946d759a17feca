"""How large a spec may be before it is refused."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings of one spec; a caller may tighten them.

    `max_nodes` counts groups and conditions together, `max_depth` counts groups (the root is 1), `max_in` counts the
    distinct values of a list, `max_string` counts characters, `max_wildcards` counts `_` and runs of `%`,
    `max_bytes` is the size of a spec given as JSON text.
    """

    max_nodes: int = 50
    max_depth: int = 5
    max_in: int = 100
    max_order_by: int = 3
    max_limit: int = 200
    max_offset: int = 10_000
    max_string: int = 500
    max_wildcards: int = 8
    max_bytes: int = 65_536

    @property
    def max_list(self) -> int:
        """How many members of a list are looked at: repeated values are dropped before `max_in` counts them."""
        return 10 * self.max_in


DEFAULT_LIMITS = Limits()
"""The limits that hold when the caller names none."""

MAX_FIELDS = 16
"""An object with more keys than this is refused unread: no shape of the spec has more than five."""
