"""`python -m tests.network.processes scheduler|runner`: one process of an installation, composed as in a Lambda.

Times are short: leases of fifteen seconds, rings after five, clocks that differ by one.
"""

import os
import random
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playbooks.adapters.dynamodb import notices as stored_notices
from playbooks.adapters.dynamodb import runs as stored_runs
from playbooks.application import claims
from playbooks.application.dispatch_due import TickFailed
from playbooks.application.lease import HeldRun
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.bootstrap import scheduler
from playbooks.bootstrap.settings import read_settings
from playbooks.bootstrap.working import WorkingParts
from playbooks.domain import run
from playbooks.domain.run import Outcome
from playbooks.errors import PlaybooksError, Refused
from playbooks.interfaces.doorbell import read_doorbells

STOP = Path(os.environ.get("NETWORK_STOP_FILE", "/nonexistent"))
BEGIN = float(os.environ.get("NETWORK_BEGIN", "0"))


def shorten_times() -> None:
    """Seconds where a real installation takes minutes."""
    for module in (run, stored_runs):
        module.CLOCK_SKEW = timedelta(seconds=1)
    for module in (run, claims):
        module.FIRST_RING = timedelta(seconds=5)
    stored_notices.CLAIM_FOR = timedelta(seconds=5)


def schedule() -> None:
    """Tick, all schedulers at once first, then every few seconds."""
    dispatcher, _ = scheduler.build()
    time.sleep(max(0.0, BEGIN - time.time()))
    while not STOP.exists():
        with suppress(TickFailed):  # the alarm rings, the next minute comes anyway
            dispatcher.tick()
        time.sleep(random.uniform(3, 7))


def done(_held: HeldRun, context: StepContext) -> StepWork:
    """A step without a model."""
    time.sleep(0.01)
    return StepWork(Outcome.DONE, f"{context.step.instruction} done")


def work() -> None:
    """Take messages and work on what they name."""
    parts = WorkingParts(read_settings())
    worker = parts.worker(execute=done)
    queue, sqs = parts.settings.run_queue, parts.client("sqs")
    while not STOP.exists():
        try:
            answer = sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1, VisibilityTimeout=8)
        except Exception:  # noqa: BLE001 - Lambda's poller, which this stands for, goes on whatever happens
            continue
        for message in answer.get("Messages", []):
            for named in read_doorbells({"Records": [{"body": message["Body"]}]}):
                if not isinstance(named, Refused):
                    worker.work(*named, until=datetime.now(UTC) + timedelta(seconds=60))
            try:
                sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
            except Exception:  # noqa: BLE001 - then it comes again
                continue


if __name__ == "__main__":
    shorten_times()
    try:
        {"scheduler": schedule, "runner": work}[sys.argv[1]]()
    except PlaybooksError as error:
        sys.exit(str(error))
