"""HTTP API: the use cases as JSON."""

from typing import Any

from playbooks.bootstrap.api import build

_resolve, _telemetry = build()


def lambda_handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One request."""
    try:
        return _resolve(event, context)
    finally:
        _telemetry.flush()
