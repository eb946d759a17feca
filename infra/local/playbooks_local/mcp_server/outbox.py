"""What the local tools carried out."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sent:
    """One call that was carried out: the tool, its arguments without the key, the key, and when (Unix seconds)."""

    tool: str
    arguments: Mapping[str, Any]
    key: str
    at: float


class Outbox:
    """Keeps each call once for each key, as a tool does that takes an idempotency key."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._sent: list[Sent] = []
        self._answers: dict[tuple[str, str], str] = {}

    @property
    def sent(self) -> tuple[Sent, ...]:
        """What was carried out, in order."""
        with self._changed:
            return tuple(self._sent)

    def send(self, tool: str, arguments: Mapping[str, Any], key: str) -> str:
        """Carry one call out; the answer of the first when its key was seen before."""
        with self._changed:
            if key and (known := self._answers.get((tool, key))) is not None:
                return known
            self._sent.append(Sent(tool, arguments, key, time.time()))
            answer = f"{tool}: done, number {len(self._sent)}"
            if key:
                self._answers[tool, key] = answer
            self._changed.notify_all()
            return answer

    def wait_for(self, count: int, timeout: float) -> tuple[Sent, ...]:
        """Wait until at least `count` were carried out; returns what there is after `timeout` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._sent) >= count, timeout)
            return tuple(self._sent)

    def clear(self) -> None:
        """Forget everything."""
        with self._changed:
            self._sent.clear()
            self._answers.clear()
