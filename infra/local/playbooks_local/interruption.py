"""Ends that come from outside: SIGTERM and a closed terminal end the program as Ctrl-C does, cleanly."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_ENDS = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def as_keyboard_interrupt() -> Iterator[None]:
    """While the block runs, SIGTERM and SIGHUP raise KeyboardInterrupt; in the main thread only, else nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _interrupt) for number in _ENDS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """While the block runs, no signal interrupts it: ending is short, and half an end leaves processes behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *_ENDS)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
