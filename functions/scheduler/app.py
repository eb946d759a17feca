"""EventBridge, every minute: claim what is due, wake what is owed."""

from typing import Any

from playbooks.bootstrap.scheduler import build

_dispatcher, _telemetry = build()


def lambda_handler(_event: dict[str, Any], _context: object) -> dict[str, int]:
    """One tick. Raises after the loop when an item went wrong, so that an alarm rings; the next minute comes anyway."""
    try:
        report = _dispatcher.tick()
    finally:
        _telemetry.flush()
    return {"claimed": report.claimed, "rung": report.rung, "notices": report.notices}
