"""Attempts of one call within one deadline, as middleware of the vendor's client, which makes the retries.

The client waits as long as a server asks it to and gives each attempt a fresh timeout; here no attempt starts after
the deadline, none waits for the server beyond it, and no pause is begun that is long or would not end before it.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import anthropic

from playbooks.adapters.model.failures import Hints, busy, may_pass, retry_after
from playbooks.ports.model import ModelBusy

MAX_RETRIES = 2
LONGEST_PAUSE = timedelta(seconds=10)
_OWN_PAUSE = timedelta(seconds=1)
"""At least what the client waits by itself before its second retry."""
_CONNECT_SECONDS = 5.0


class Deadline:
    """A point in time by the monotonic clock."""

    def __init__(self, within: timedelta, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + within.total_seconds()

    @property
    def left(self) -> timedelta:
        """Time until then; never negative."""
        return timedelta(seconds=max(0.0, self._end - self._clock()))


class Attempts(anthropic.Middleware):
    """Holds the attempts of one call to its deadline. Raises ModelBusy itself where another attempt has no sense."""

    def __init__(self, deadline: Deadline, hints: Hints) -> None:
        self._deadline = deadline
        self._hints = hints
        self._last: ModelBusy | None = None

    def handle(
        self, request: anthropic.APIRequest, call_next: Callable[[anthropic.APIRequest], anthropic.APIResponse[Any]]
    ) -> anthropic.APIResponse[Any]:
        """One attempt."""
        left = self._deadline.left.total_seconds()
        if left <= 0:
            raise self._last or ModelBusy(f"{self._hints.service} did not answer within the time there was.")
        timeout = anthropic.Timeout(left, connect=min(_CONNECT_SECONDS, left))
        response = call_next(request.copy(timeout=timeout))
        if may_pass(response.status_code):
            self._last = busy(response.status_code, response.headers, self._hints)
            pause = retry_after(response.headers) or _OWN_PAUSE
            if pause > LONGEST_PAUSE or pause >= self._deadline.left:
                raise self._last
        return response
