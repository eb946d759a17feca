"""One occurrence of a rule, and the words for why it was moved."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

MONTH_END = "last day of month"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time a rule names. Rule version, `nominal` and `pass_` identify it; zone data may move `instant`.

    `instant` is aware, in UTC. `nominal` is the naive local time the rule names, before any move. `pass_` is 1
    for the second pass of a repeated hour's slot, else 0. `offset` is local time minus UTC at the instant.
    `moved` says why it is not simply the wall clock's time: `moved: 02:30 does not exist`, `first of two 01:30`,
    `second of two 01:00`, `last day of month`, joined by `; ` when two hold; None when nothing was moved.
    """

    instant: datetime
    nominal: datetime
    pass_: int
    offset: timedelta
    moved: str | None

    @property
    def local(self) -> datetime:
        """What the wall clock shows at the instant, naive: `nominal` unless that does not exist."""
        return self.instant.replace(tzinfo=None) + self.offset


class _Draft:
    """An occurrence while it is being filled: same slots, not frozen."""

    __slots__ = ("instant", "moved", "nominal", "offset", "pass_")


def calm_occurrence(instant: datetime, nominal: datetime, offset: timedelta, moved: str | None) -> Occurrence:
    """`Occurrence(instant, nominal, 0, offset, moved)` in a third of the time.

    A frozen dataclass fills each field by a call of `object.__setattr__`, which took longer than all the arithmetic
    of an occurrence together (measured: 0.6 of 1.6 µs); a class with the same slots can be filled first.
    """
    draft: Any = _Draft()
    draft.instant = instant
    draft.nominal = nominal
    draft.pass_ = 0
    draft.offset = offset
    draft.moved = moved
    draft.__class__ = Occurrence
    filled: Occurrence = draft
    return filled


def missing(nominal: datetime, local: datetime) -> str:
    """The reason for a local time that the clocks jump over; with its date when the whole move changes the date."""
    form = "%H:%M" if nominal.date() == local.date() else "%Y-%m-%d %H:%M"
    return f"moved: {nominal.strftime(form)} does not exist"


def repeated(nominal: datetime, pass_: int) -> str:
    """The reason for a local time that the clocks show twice."""
    return f"{'second' if pass_ else 'first'} of two {nominal:%H:%M}"
