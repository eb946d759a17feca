"""The converter's parts: the worker with the one step of a conversion."""

from playbooks.adapters.telemetry import PowertoolsTelemetry
from playbooks.application.convert import Converter
from playbooks.application.lease import HeldRun
from playbooks.application.work_on_run import Worker
from playbooks.bootstrap.formats import WRITABLE
from playbooks.bootstrap.settings import read_settings
from playbooks.bootstrap.working import WorkingParts
from playbooks.ports.stores.playbooks import NewPlaybook


def build() -> tuple[Worker, PowertoolsTelemetry]:
    """The worker, and the telemetry to flush after each message."""
    parts = WorkingParts(read_settings().require("table", "bucket", "conversion_queue"))

    def convert(held: HeldRun) -> NewPlaybook:
        # The model's client is made by the first conversion, so that a missing key fails a run that says so.
        converter = Converter(
            model=parts.model,
            conversations=parts.conversations,
            artifacts=parts.artifacts,
            directory=parts.directory,
            workspace=parts.workspace,
            formats=WRITABLE,
        )
        return converter(held)

    return parts.worker(convert=convert), parts.telemetry
