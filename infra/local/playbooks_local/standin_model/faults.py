"""Faults a test or a person may ask for: what the next requests are answered with instead of by rule."""

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from playbooks.errors import PlaybooksError


class FaultKind(StrEnum):
    """What happens to a request."""

    RATE_LIMIT = "rate_limit"
    """Status 429 with `retry-after`."""
    OVERLOADED = "overloaded"
    """Status 529."""
    SERVER_ERROR = "server_error"
    """Status 500."""
    WRONG_KEY = "wrong_key"
    """Status 401."""
    CUT = "cut"
    """The answer stops at max_tokens, in the middle of its call."""
    REFUSAL = "refusal"
    """The model declines."""
    DELAY = "delay"
    """The answer comes late, by `seconds`."""
    HANG_UP = "hang_up"
    """The connection ends without an answer."""


class WrongFaults(PlaybooksError):
    """Raised when a list of faults cannot be read; the message says what is wrong with it."""

    code = "wrong_faults"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault for one request. `seconds` is the delay, or what `retry-after` says."""

    kind: FaultKind
    seconds: float = 0.0


def parse_faults(raw: object) -> list[Fault]:
    """From `[{"kind": "rate_limit", "seconds": 1, "count": 2}, …]`; raises WrongFaults."""
    if not isinstance(raw, list):
        raise WrongFaults('faults are a list such as [{"kind": "overloaded", "count": 2}]')
    faults: list[Fault] = []
    for item in raw:
        if not isinstance(item, Mapping):
            raise WrongFaults("each fault is an object")
        seconds, count = item.get("seconds", 0), item.get("count", 1)
        if not isinstance(seconds, int | float) or not 0 <= seconds <= 3600:
            raise WrongFaults("seconds are a number from 0 to 3600")
        if not isinstance(count, int) or not 1 <= count <= 1000:
            raise WrongFaults("count is a whole number from 1 to 1000")
        kind = item.get("kind")
        if kind not in set(FaultKind):
            raise WrongFaults(f"kind is one of {', '.join(FaultKind)}, not {kind!r}")
        faults += [Fault(FaultKind(kind), float(seconds))] * count
    return faults


class FaultQueue:
    """Faults in order, one a request; safe to use from several threads."""

    def __init__(self, faults: Sequence[Fault] = ()) -> None:
        self._faults = deque(faults)
        self._lock = threading.Lock()

    def add(self, faults: Sequence[Fault]) -> None:
        """Put faults behind those that wait."""
        with self._lock:
            self._faults.extend(faults)

    def take(self) -> Fault | None:
        """The fault of this request, or None."""
        with self._lock:
            return self._faults.popleft() if self._faults else None
