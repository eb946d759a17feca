"""The scheduler's parts: a table, two queues, pushes. No model, no SQL, no database."""

from playbooks.adapters.system_clock import pause
from playbooks.adapters.telemetry import PowertoolsTelemetry
from playbooks.application.dispatch_due import Dispatcher
from playbooks.bootstrap.settings import read_settings
from playbooks.bootstrap.stores import Parts


def build() -> tuple[Dispatcher, PowertoolsTelemetry]:
    """The tick, and the telemetry to flush after it."""
    parts = Parts(read_settings().require("table", "run_queue", "conversion_queue"))
    dispatcher = Dispatcher(
        schedules=parts.schedules,
        runs=parts.runs,
        directory=parts.directory,
        workspace=parts.workspace,
        doorbell=parts.doorbell,
        notifier=parts.notifier,
        clock=parts.clock,
        telemetry=parts.telemetry,
        pause=pause,
    )
    return dispatcher, parts.telemetry
