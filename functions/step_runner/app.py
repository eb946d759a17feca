"""SQS: look at a run and work on it until its step is over."""

from datetime import UTC, datetime, timedelta
from typing import Any

from playbooks.bootstrap.step_runner import build
from playbooks.interfaces.doorbell import answer_doorbells

_worker, _telemetry = build()


def lambda_handler(event: dict[str, Any], context: Any) -> None:
    """One doorbell; what it does not finish is rung for again from the wake index."""
    left = timedelta(milliseconds=context.get_remaining_time_in_millis())
    try:
        answer_doorbells(event, _worker, _telemetry, now=datetime.now(UTC), left=left)
    finally:
        _telemetry.flush()
