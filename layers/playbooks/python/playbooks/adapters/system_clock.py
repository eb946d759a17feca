"""The machine's clock, and waiting by it."""

import random
import time
from datetime import UTC, datetime


class SystemClock:
    """`Clock` of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def pause(attempt: int) -> None:
    """Wait before the n-th further try: 25 ms doubling up to 1.6 s, with full jitter."""
    time.sleep(random.uniform(0, min(0.025 * 2**attempt, 1.6)))  # noqa: S311 - jitter, no secret
