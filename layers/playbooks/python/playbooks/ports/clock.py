"""Time, from outside."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """What time it is now, aware and in UTC."""

    def now(self) -> datetime:
        """The current instant."""
        ...
