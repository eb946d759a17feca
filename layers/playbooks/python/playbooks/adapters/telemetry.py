"""Events as structured log lines and counts as embedded metrics, through AWS Lambda Powertools."""

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from playbooks.errors import PlaybooksError
from playbooks.ports.telemetry import Field

ALLOWED = frozenset(
    {
        *("playbook", "run", "runs", "step", "shard", "count", "notice", "device", "status", "reason", "tries"),
        *(
            "detail",
            "problem",
            "claimed",
            "skipped",
            "blocked",
            "switched_off",
            "lost",
            "rung",
            "expired",
            "notices",
            "faults",
        ),
        *("recomputed", "oldest_due_seconds", "code", "said", "error", "route", "method", "seconds"),
    }
)
"""Fields that may stand in the log; another name is left out, so that no new one can carry a person's data."""


class PowertoolsTelemetry:
    """`Telemetry` over one logger and one metrics provider of a function."""

    def __init__(self, logger: Logger, metrics: AmazonCloudWatchEMFProvider) -> None:
        self._logger = logger
        self._metrics = metrics

    def event(self, name: str, **fields: Field) -> None:
        self._logger.info(name, extra=_allowed(fields))

    def fault(self, name: str, error: BaseException, **fields: Field) -> None:
        code, said = "", ""
        if isinstance(error, PlaybooksError):
            code, said = error.code, error.message if error.loggable else ""
        words = {**fields, "code": code, "error": type(error).__name__, "said": said}
        self._logger.warning(name, extra=_allowed(words))

    def count(self, metric: str, amount: int = 1) -> None:
        self._metrics.add_metric(name=metric, unit=MetricUnit.Count, value=amount)

    def flush(self) -> None:
        """Write the metrics of this invocation."""
        if self._metrics.metric_set:
            self._metrics.flush_metrics()


def _allowed(fields: dict[str, Field]) -> dict[str, Field]:
    return {name: value for name, value in fields.items() if name in ALLOWED and value not in ("", None)}


def build_telemetry(namespace: str) -> PowertoolsTelemetry:
    """Log and metrics; the service's name comes from POWERTOOLS_SERVICE_NAME."""
    return PowertoolsTelemetry(Logger(), AmazonCloudWatchEMFProvider(namespace=namespace))
