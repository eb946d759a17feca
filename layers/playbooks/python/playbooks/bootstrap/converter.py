"""The converter's parts: the worker with the one step of a conversion."""

from playbooks.adapters.telemetry import PowertoolsTelemetry
from playbooks.application.work_on_run import Worker
from playbooks.bootstrap.settings import read_settings
from playbooks.bootstrap.working import WorkingParts


def build() -> tuple[Worker, PowertoolsTelemetry]:
    """The worker, and the telemetry to flush after each message."""
    raise NotImplementedError
