"""Doorbells as SQS delivers them: parse, one call a run. A message of another shape is named and dropped."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from playbooks.application.work_on_run import Worker
from playbooks.domain.ids import RunId, TenantId, parse_id
from playbooks.errors import PlaybooksError, Refused
from playbooks.ports.telemetry import Telemetry


class TimeTooShort(PlaybooksError):
    """Raised when a worker could never make one call and save it: every run would only be handed on."""

    code = "time_too_short"


def answer_doorbells(
    event: Mapping[str, Any], worker: Worker, telemetry: Telemetry, *, now: datetime, left: timedelta
) -> None:
    """Work on each run that an event names; `left` is the time this worker has."""
    needed = worker.times.call_budget + worker.times.margin
    if left < needed:
        raise TimeTooShort(
            f"The function has {left.total_seconds():.0f} s left and one call with its save may take "
            f"{needed.total_seconds():.0f} s: raise RunnerTimeout, or lower CallBudgetSeconds and LeaseMarginSeconds."
        )
    for named in read_doorbells(event):
        if isinstance(named, Refused):
            telemetry.fault("unknown_message", named)
        else:
            worker.work(*named, until=now + left)


def read_doorbells(event: Mapping[str, Any]) -> Iterator[tuple[TenantId, RunId] | Refused]:
    """The runs that an SQS event names; a body of another shape as the refusal that says so."""
    for record in event.get("Records", []):
        try:
            wake = json.loads(record["body"])["wake"]
            yield TenantId(parse_id(wake["tenant"])), RunId(parse_id(wake["run"]))
        except Refused as refused:
            yield refused
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            yield Refused(f"A message of another shape was dropped: {type(error).__name__}.", code="unknown_message")
