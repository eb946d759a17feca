"""What happened, for the operator: structured events and counts. Ids and codes only, never data of a person."""

from typing import Protocol

Field = str | int | float | bool | None


class Telemetry(Protocol):
    """Events go to the log, counts to the metrics."""

    def event(self, name: str, **fields: Field) -> None:
        """One line with fields."""
        ...

    def fault(self, name: str, error: BaseException, **fields: Field) -> None:
        """One line for something that went wrong, named, with the error's code and message."""
        ...

    def count(self, metric: str, amount: int = 1) -> None:
        """Add to a metric."""
        ...
