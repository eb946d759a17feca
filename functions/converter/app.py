"""SQS: turn one conversation into a playbook; a model call outlives an API's 30 seconds."""

from datetime import UTC, datetime, timedelta
from typing import Any

from playbooks.bootstrap.converter import build
from playbooks.errors import Refused
from playbooks.interfaces.doorbell import read_doorbells

_worker, _telemetry = build()


def lambda_handler(event: dict[str, Any], context: Any) -> None:  # noqa: ANN401 - Lambda's context has no type
    """One doorbell. A message of another shape is named and dropped: the wake index rings for what it meant."""
    until = datetime.now(UTC) + timedelta(milliseconds=context.get_remaining_time_in_millis())
    try:
        for named in read_doorbells(event):
            if isinstance(named, Refused):
                _telemetry.fault("unknown_message", named)
            else:
                _worker.work(*named, until=until)
    finally:
        _telemetry.flush()
