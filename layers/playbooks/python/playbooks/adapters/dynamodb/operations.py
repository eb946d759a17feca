"""What a table can do, as data: writes with conditions, so that a table in memory means the same as the real one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from playbooks.errors import PlaybooksError

Item = dict[str, object]
Key = tuple[str, str]
"""Partition and sort key of an item."""

MAX_TRANSACTION = 100
MAX_BATCH_GET = 100
WAKE = "wake"
RUNS = "runs"


@dataclass(frozen=True, slots=True)
class Exists:
    """The attribute is there."""

    name: str


@dataclass(frozen=True, slots=True)
class Missing:
    """The attribute is not there."""

    name: str


@dataclass(frozen=True, slots=True)
class Equals:
    """The attribute is there and equal."""

    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Less:
    """The attribute is there and less."""

    name: str
    value: object


@dataclass(frozen=True, slots=True)
class OneOf:
    """The attribute is there and one of the values."""

    name: str
    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple["Condition", ...]


Condition = Exists | Missing | Equals | Less | OneOf | AllOf | AnyOf

NEW = Missing("PK")
"""The item is not there yet."""
THERE = Exists("PK")
"""The item is there."""


@dataclass(frozen=True, slots=True)
class Put:
    """Write the whole item."""

    item: Item
    condition: Condition | None = None

    @property
    def key(self) -> Key:
        """The item's key."""
        return (str(self.item["PK"]), str(self.item["SK"]))


@dataclass(frozen=True, slots=True)
class Update:
    """Change attributes of an item; without a condition on it, an item that is not there is made."""

    key: Key
    set: Mapping[str, object] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    add: Mapping[str, int] = field(default_factory=dict)
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Take the item away."""

    key: Key
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Only hold a condition, in a transaction."""

    key: Key
    condition: Condition


Write = Put | Update | Delete | Check


class ConditionFailed(PlaybooksError):
    """Raised when a single write's condition did not hold; `item` is what is there instead."""

    code = "condition_failed"

    def __init__(self, item: Item | None) -> None:
        super().__init__("The condition of a write did not hold.")
        self.item = item


class TransactionRefused(PlaybooksError):
    """Raised when a transaction was cancelled; `reasons` has a code or None for each write, by position.

    Codes as DynamoDB names them: ConditionalCheckFailed, TransactionConflict, ThrottlingError, ValidationError …
    Empty when the whole request was refused without reasons (one item twice, too large).
    """

    code = "transaction_refused"

    def __init__(self, reasons: Sequence[str | None], message: str = "") -> None:
        super().__init__(message or f"The transaction was refused: {list(reasons)}.")
        self.reasons = tuple(reasons)


class RequestRefused(PlaybooksError):
    """Raised when the table refuses a request for good: an item too large, a right or the table missing."""

    code = "request_refused"


class Throttled(PlaybooksError):
    """Raised when the table asks for patience after the client's own retries."""

    code = "throttled"
    retryable = True
    loggable = True


class Table(Protocol):
    """One table with a wake index and a run index."""

    def get(self, key: Key) -> Item | None:
        """The item, consistently read."""
        ...

    def batch_get(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """The items that are there, consistently read."""
        ...

    def query(
        self,
        partition: str,
        *,
        index: str | None = None,
        prefix: str | None = None,
        up_to: str | None = None,
        descending: bool = False,
        limit: int | None = None,
        start: object = None,
    ) -> tuple[list[Item], object]:
        """Items of a partition (of the table, or of an index: then only its projection, possibly stale), in order.

        Returns what was found and where to go on, None at the end. Without `limit`, all pages are read.
        """
        ...

    def index_start(self, index: str, partition: str, sort: str, key: Key) -> object:
        """Where a query of an index goes on after the item with that sort key and key."""
        ...

    def write(self, write: Write) -> None:
        """One write; raises ConditionFailed, Throttled, RequestRefused, or Unavailable when no answer came."""
        ...

    def transact(self, writes: Sequence[Write]) -> None:
        """All writes or none; raises TransactionRefused, Throttled, or Unavailable when no answer came."""
        ...
