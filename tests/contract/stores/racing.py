"""Many at once: threads that start together, and what each got."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
RACERS = 8


def race(run: Callable[[int], T], racers: int = RACERS) -> Sequence[T]:
    """What each of the racers got, all let go at the same moment."""
    start = threading.Barrier(racers)

    def racer(number: int) -> T:
        start.wait()
        return run(number)

    with ThreadPoolExecutor(racers) as pool:
        return list(pool.map(racer, range(racers)))
