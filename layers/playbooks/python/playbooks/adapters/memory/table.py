"""A table in memory with DynamoDB's semantics: conditions, transactions, indexes that may be stale, its limits."""

import threading
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from playbooks.adapters.dynamodb.operations import (
    MAX_BATCH_GET,
    MAX_TRANSACTION,
    AllOf,
    AnyOf,
    Check,
    Condition,
    ConditionFailed,
    Delete,
    Equals,
    Exists,
    Item,
    Key,
    Less,
    Missing,
    OneOf,
    Put,
    RequestRefused,
    TransactionRefused,
    Update,
    Write,
)

MAX_ITEM_BYTES = 400 * 1024
_INDEXES = ("wake", "runs")


def holds(condition: Condition, item: Mapping[str, object]) -> bool:
    """Whether a condition holds for an item (an empty one when there is none), as DynamoDB decides it.

    A comparison with an attribute that is missing or of another type is false.
    """
    match condition:
        case Exists(name):
            return name in item
        case Missing(name):
            return name not in item
        case Equals(name, value):
            return name in item and _same(item[name], value)
        case Less(name, value):
            return name in item and _less(item[name], value)
        case OneOf(name, values):
            return name in item and any(_same(item[name], value) for value in values)
        case AllOf(parts):
            return all(holds(part, item) for part in parts)
        case AnyOf(parts):
            return any(holds(part, item) for part in parts)


def _same(left: object, right: object) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def _less(left: object, right: object) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    return isinstance(left, int) and isinstance(right, int) and left < right


class MemoryTable:
    """All items in a dictionary, partitions in order. Without `refresh_indexes` they stay stale until `refresh`."""

    def __init__(self, *, refresh_indexes: bool = True) -> None:
        self._items: dict[Key, Item] = {}
        self._orders: dict[tuple[str | None, str], list[tuple[str, Key]]] = {}
        self._projected: dict[Key, Item] = {}
        self._stale: list[Key] = []
        self._refresh = refresh_indexes
        self._lock = threading.RLock()
        self.on_request: Callable[[str], None] = lambda _operation: None

    def get(self, key: Key) -> Item | None:
        with self._lock:
            self.on_request("get")
            item = self._items.get(key)
            return copied(item) if item is not None else None

    def batch_get(self, keys: Sequence[Key]) -> dict[Key, Item]:
        with self._lock:
            wanted = list(dict.fromkeys(keys))
            for _ in range(0, len(wanted), MAX_BATCH_GET):
                self.on_request("batch_get")
            return {key: copied(self._items[key]) for key in wanted if key in self._items}

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
        with self._lock:
            self.on_request("query")
            order = self._orders.get((index, partition), [])
            if up_to is not None:
                order = order[: bisect_right(order, (up_to, ("\uffff", "")))]
            if prefix is not None:
                order = [entry for entry in order if entry[0].startswith(prefix)]
            if descending:
                order = order[::-1]
            if isinstance(start, tuple):
                order = [entry for entry in order if (entry < start if descending else entry > start)]
            taken = order if limit is None else order[:limit]
            source = self._items if index is None else self._projected
            more = taken[-1] if taken and len(taken) < len(order) else None
            return [copied(source[key]) for _, key in taken], more

    def index_start(self, index: str, partition: str, sort: str, key: Key) -> object:  # noqa: ARG002 - the protocol's form
        return (sort, key)

    def write(self, write: Write) -> None:
        with self._lock:
            self.on_request("write")
            before = self._items.get(write.key)
            if write.condition is not None and not holds(write.condition, before or {}):
                raise ConditionFailed(copied(before))
            if isinstance(write, Put) and _size(write.item) > MAX_ITEM_BYTES:
                raise RequestRefused("Item size has exceeded the maximum allowed size.")
            self._apply(write)

    def transact(self, writes: Sequence[Write]) -> None:
        with self._lock:
            self.on_request("transact")
            if not 0 < len(writes) <= MAX_TRANSACTION:
                raise TransactionRefused([], f"a transaction takes 1 to {MAX_TRANSACTION} writes, not {len(writes)}")
            if len({write.key for write in writes}) < len(writes):
                raise TransactionRefused([], "a transaction may not touch one item twice")
            if any(isinstance(write, Put) and _size(write.item) > MAX_ITEM_BYTES for write in writes):
                raise TransactionRefused([], "an item is larger than 400 KB")
            reasons = [
                None
                if write.condition is None or holds(write.condition, self._items.get(write.key) or {})
                else "ConditionalCheckFailed"
                for write in writes
            ]
            if any(reasons):
                raise TransactionRefused(reasons)
            for write in writes:
                self._apply(write)

    def refresh(self) -> None:
        """Bring the indexes up to date."""
        with self._lock:
            for key in self._stale:
                self._index(key)
            self._stale.clear()

    def items(self) -> list[Item]:
        """All items, for a look from outside."""
        with self._lock:
            return [copied(item) for item in self._items.values()]

    def _apply(self, write: Write) -> None:
        key = write.key
        match write:
            case Put(item):
                self._store(key, copied(item))
            case Update(_, put, remove, add):
                item = dict(self._items.get(key) or {"PK": key[0], "SK": key[1]})
                item.update(copied(put))
                for name in remove:
                    item.pop(name, None)
                for name, amount in add.items():
                    old = item.get(name, 0)
                    assert isinstance(old, int)
                    item[name] = old + amount
                self._store(key, item)
            case Delete():
                if key in self._items:
                    del self._items[key]
                    self._reorder(None, key[0], key[1], key, there=False)
                    self._touch(key)
            case Check():
                pass

    def _store(self, key: Key, item: Item) -> None:
        if key not in self._items:
            self._reorder(None, key[0], key[1], key, there=True)
        self._items[key] = item
        self._touch(key)

    def _touch(self, key: Key) -> None:
        if self._refresh:
            self._index(key)
        else:
            self._stale.append(key)

    def _index(self, key: Key) -> None:
        old, new = self._projected.get(key, {}), self._items.get(key)
        for index in _INDEXES:
            partition, sort = f"{index}_pk", f"{index}_sk"
            if partition in old:
                self._reorder(index, str(old[partition]), str(old[sort]), key, there=False)
            if new is not None and partition in new:
                self._reorder(index, str(new[partition]), str(new[sort]), key, there=True)
        if new is None:
            self._projected.pop(key, None)
        else:
            self._projected[key] = new

    def _reorder(self, index: str | None, partition: str, sort: str, key: Key, *, there: bool) -> None:
        order = self._orders.setdefault((index, partition), [])
        if there:
            insort(order, (sort, key))
        else:
            del order[bisect_left(order, (sort, key))]


def copied(value: Any) -> Any:
    """A copy of plain data; `deepcopy` does the same in five times the time, for cases that items do not have."""
    if type(value) is dict:
        return {name: copied(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [copied(item) for item in value]
    if isinstance(value, Mapping):
        return {name: copied(item) for name, item in value.items()}
    return value


def _size(value: object) -> int:
    if isinstance(value, str | bytes):
        return len(value.encode() if isinstance(value, str) else value)
    if isinstance(value, Mapping):
        return sum(len(str(name)) + _size(item) for name, item in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    return 8
