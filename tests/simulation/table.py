"""The table as a process sees it: in memory, with a fault possible at every request, and watched from outside."""

import contextlib
from collections.abc import Callable, Iterable, Sequence

from playbooks.adapters.dynamodb.operations import (
    ConditionFailed,
    Item,
    Key,
    Throttled,
    TransactionRefused,
    Write,
)
from playbooks.adapters.memory.table import MemoryTable
from playbooks.errors import Unavailable
from tests.simulation.engine import Actor, Engine
from tests.simulation.faults import Fates, Fault

READ = frozenset({Fault.CRASH_BEFORE, Fault.STALL_BEFORE, Fault.STALL_AFTER, Fault.NOT_DONE, Fault.THROTTLED})
WRITE = frozenset(Fault) - {Fault.CONFLICT}
TRANSACT = frozenset(Fault)


class WatchedTable(MemoryTable):
    """Tells a watcher of every item that is written, and of the end of every request that wrote."""

    def __init__(self) -> None:
        super().__init__(refresh_indexes=False)
        self.watch: Callable[[Key, Item | None, Item | None], None] = lambda _key, _before, _after: None
        self.settled: Callable[[], None] = lambda: None

    def stored(self) -> Iterable[Item]:
        """All items as they lie, to look at only."""
        return self._items.values()

    def write(self, write: Write) -> None:
        super().write(write)
        self.settled()

    def transact(self, writes: Sequence[Write]) -> None:
        super().transact(writes)
        self.settled()

    def _store(self, key: Key, item: Item) -> None:
        self.watch(key, self._items.get(key), item)
        super()._store(key, item)


class ProcessTable:
    """The table over a network that is not to be relied on."""

    def __init__(self, table: WatchedTable, engine: Engine, fates: Fates, actor: Actor) -> None:
        self._table = table
        self._engine = engine
        self._fates = fates
        self._actor = actor

    def get(self, key: Key) -> Item | None:
        return self._read(lambda: self._table.get(key))

    def batch_get(self, keys: Sequence[Key]) -> dict[Key, Item]:
        return self._read(lambda: self._table.batch_get(keys))

    def query(self, partition: str, *, index: str | None = None, **more):
        if index is not None and (self._fates.calm or self._engine.random.random() < 0.8):
            self._table.refresh()
        if index is not None and not self._table.query(partition, index=index, limit=1)[0]:
            return [], None  # nothing can go wrong with nothing; a tick asks 32 shards
        return self._read(lambda: self._table.query(partition, index=index, **more))

    def index_start(self, index: str, partition: str, sort: str, key: Key) -> object:
        return self._table.index_start(index, partition, sort, key)

    def write(self, write: Write) -> None:
        self._write(lambda: self._table.write(write), WRITE, 1)

    def transact(self, writes: Sequence[Write]) -> None:
        self._write(lambda: self._table.transact(writes), TRANSACT, len(writes))

    def _read(self, read):
        fault = self._fates.draw(READ)
        self._fates.latency(self._actor, 0.002, 0.02)
        match fault:
            case Fault.CRASH_BEFORE:
                self._engine.crash(self._actor)
            case Fault.STALL_BEFORE:
                self._fates.stall(self._actor)
            case Fault.NOT_DONE:
                raise Unavailable("no answer")
            case Fault.THROTTLED:
                raise Throttled("throttled")
        found = read()
        if fault is Fault.STALL_AFTER:
            self._fates.stall(self._actor)
        return found

    def _write(self, apply: Callable[[], None], allowed: frozenset[Fault], count: int) -> None:
        fault = self._fates.draw(allowed)
        self._fates.latency(self._actor, 0.003, 0.03)
        match fault:
            case Fault.CRASH_BEFORE:
                self._engine.crash(self._actor)
            case Fault.STALL_BEFORE:
                self._fates.stall(self._actor)
            case Fault.NOT_DONE:
                raise Unavailable("no answer")
            case Fault.THROTTLED:
                raise Throttled("throttled")
            case Fault.CONFLICT:
                raise TransactionRefused([None] * (count - 1) + ["TransactionConflict"])
            case Fault.LATE:
                self._later(apply)
                raise Unavailable("no answer")
            case Fault.DOUBLED:
                self._quietly(apply, self._actor)
            case Fault.AGAIN_LATER if count == 1:  # botocore's token makes a second transaction do nothing
                self._later(apply)
        self._applied(apply, self._actor)
        match fault:
            case Fault.CRASH_AFTER:
                self._engine.crash(self._actor)
            case Fault.STALL_AFTER:
                self._fates.stall(self._actor)
            case Fault.ANSWER_LOST:
                raise Unavailable("no answer")

    def _later(self, apply: Callable[[], None]) -> None:
        delay = self._engine.random.choice((0.02, 0.02, 1, 20)) * self._engine.random.random()
        self._engine.at(self._engine.t + delay, lambda: self._quietly(apply))

    def _quietly(self, apply: Callable[[], None], writer: Actor | None = None) -> None:
        with contextlib.suppress(ConditionFailed, TransactionRefused):
            self._applied(apply, writer)

    def _applied(self, apply: Callable[[], None], writer: Actor | None) -> None:
        self._engine.writer = writer
        try:
            apply()
        finally:
            self._engine.writer = None
