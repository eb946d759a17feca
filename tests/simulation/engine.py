"""Many processes in one deterministic time: each runs in a thread of its own, and one thread runs at a time.

Time is a heap of events. A process that sleeps puts itself on the heap and runs what comes before it; when that is
another process, it hands the baton over and waits for its own turn. One seed is one interleaving.
"""

import heapq
import random
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

START = datetime.fromisoformat("2026-11-30T08:55:00+00:00")
MAX_EVENTS = 200_000


class Crashed(BaseException):
    """The process is gone: nothing of it runs any more. Not an Exception, so that no code of ours can survive it."""


class Actor:
    """One process: a tick, a worker, a person's request. `skew` is how far its clock is off, in seconds."""

    def __init__(self, name: str, body: Callable[["Actor"], None], skew: float) -> None:
        self.name = name
        self.body = body
        self.skew = skew
        self.gate = threading.Lock()
        self.gate.acquire()
        self.thread: threading.Thread | None = None
        self.gone = False
        self.crashed = False
        self.error: BaseException | None = None
        self.troubled: Callable[[], bool] = lambda: False
        self.after: Callable[[Actor], None] = lambda _actor: None


class Engine:
    """The heap of events and the baton. `t` is the true time in seconds since START."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.t = 0.0
        self.broken: str | None = None
        self.writer: Actor | None = None
        self.switched_off_at = 0.0
        self._heap: list[tuple[float, int, Actor | Callable[[], None]]] = []
        self._count = 0
        self._main = threading.Semaphore(0)
        self._live: list[Actor] = []
        self._stopped = False

    def at(self, t: float, event: Callable[[], None]) -> None:
        """Do something at a time."""
        self._push(t, event)

    def spawn(self, t: float, name: str, body: Callable[[Actor], None], *, skew: float = 0.0) -> Actor:
        """Start a process at a time."""
        actor = Actor(name, body, skew)
        self._push(t, actor)
        return actor

    def sleep(self, actor: Actor, seconds: float) -> None:
        """Let time pass for a process; others run meanwhile."""
        if actor.gone or self._stopped:
            raise Crashed
        self._push(self.t + seconds, actor)
        self._advance(actor)
        if actor.gone or self._stopped:
            raise Crashed

    def crash(self, actor: Actor) -> None:
        """End a process here: its next effect never happens."""
        actor.crashed = actor.gone = True
        raise Crashed

    def clock(self, actor: Actor) -> datetime:
        """What the process's clock shows."""
        return START + timedelta(seconds=self.t + actor.skew)

    def break_(self, what: str) -> None:
        """An invariant is broken: the seed ends here."""
        if self.broken is None:
            minutes, seconds = divmod(self.t, 60)
            self.broken = f"{minutes:.0f}:{seconds:04.1f} {what}"
        self._stopped = True

    def run(self) -> str | None:
        """Run until nothing is left to happen; what was broken, or None."""
        self._advance(None)
        self._stopped = True
        for actor in self._live:
            actor.gone = True
            actor.gate.release()
        for actor in self._live:
            if actor.thread is not None:
                actor.thread.join()
        return self.broken

    def _push(self, t: float, event: Actor | Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._heap, (t, self._count, event))

    def _advance(self, mine: Actor | None) -> None:
        while self._heap and not self._stopped:
            if self._count > MAX_EVENTS:
                self.break_("the processes never come to rest")
                break
            t, _, event = heapq.heappop(self._heap)
            self.t = max(self.t, t)
            if not isinstance(event, Actor):
                event()
                continue
            if event is mine:
                return
            self._hand_to(event)
            if mine is None:
                self._main.acquire()
            elif not mine.gone:
                mine.gate.acquire()
                return
            if mine is not None:
                return
        if mine is not None:
            self._main.release()
            if not mine.gone:
                mine.gate.acquire()

    def _hand_to(self, actor: Actor) -> None:
        if actor.thread is None:
            actor.thread = threading.Thread(target=self._body, args=(actor,), daemon=True)
            self._live.append(actor)
            actor.thread.start()
        else:
            actor.gate.release()

    def _body(self, actor: Actor) -> None:
        try:
            actor.body(actor)
        except Crashed:
            pass
        except BaseException as error:  # noqa: BLE001 - what a process dies of is looked at from outside
            actor.error = error
        if self._stopped and actor.gone and not actor.crashed:
            return  # ended by `run`, which holds the baton
        actor.gone = True
        if not self._stopped:
            self._live.remove(actor)
            actor.after(actor)
        self._advance(actor)
