"""The table and what every function builds on it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from playbooks.adapters.dynamodb.notices import DynamoNotices
from playbooks.adapters.dynamodb.people import DynamoDevices
from playbooks.adapters.dynamodb.schedules import DynamoSchedules
from playbooks.adapters.dynamodb.table import DynamoTable
from playbooks.adapters.dynamodb.workspace import DynamoWorkspace
from playbooks.adapters.sns import SnsPush
from playbooks.adapters.sqs import SqsDoorbell
from playbooks.adapters.system_clock import SystemClock, pause
from playbooks.adapters.telemetry import PowertoolsTelemetry, build_telemetry
from playbooks.application.notify import Notifier
from playbooks.bootstrap.settings import Settings
from playbooks.domain.recurrence import probe_zone_data
from playbooks.errors import PlaybooksError
from playbooks.ports.directory import Directory
from playbooks.ports.push import Platform

if TYPE_CHECKING:
    from playbooks.adapters.dynamodb.runs import DynamoRuns

_RETRIES = Config(retries={"mode": "standard", "max_attempts": 4}, connect_timeout=3, read_timeout=20)


@dataclass(frozen=True)
class Parts:
    """Adapters made when they are first asked for, one of each a process."""

    settings: Settings

    def __post_init__(self) -> None:
        probe_zone_data()

    def client(self, name: str, **more: Any) -> Any:  # noqa: ANN401 - boto3 makes its clients at run time
        """A boto3 client with our retries and timeouts."""
        return boto3.client(name, config=_RETRIES.merge(Config(**more)))  # type: ignore[call-overload]  # any name

    @cached_property
    def clock(self) -> SystemClock:
        """This machine's clock."""
        return SystemClock()

    @cached_property
    def telemetry(self) -> PowertoolsTelemetry:
        """Log and metrics of the function."""
        return build_telemetry(self.settings.metrics_namespace or "Playbooks")

    @cached_property
    def table(self) -> DynamoTable:
        """The table."""
        return DynamoTable(self.client("dynamodb"), self.settings.table)

    @cached_property
    def schedules(self) -> DynamoSchedules:
        """Schedules."""
        return DynamoSchedules(self.table)

    @cached_property
    def workspace(self) -> DynamoWorkspace:
        """What the administrator registered, and the people where there is no other directory."""
        return DynamoWorkspace(self.table)

    @cached_property
    def directory(self) -> Directory:
        """Who people are, where the setting says."""
        if self.settings.directory != "cognito":
            return self.workspace
        from playbooks.adapters.directory import CognitoDirectory

        settings = self.settings.require("user_pool", "tenant_claim")
        return CognitoDirectory(lambda: self.client("cognito-idp"), settings.user_pool, settings.tenant_claim)

    @cached_property
    def runs(self) -> "DynamoRuns":
        """Runs."""
        from playbooks.adapters.dynamodb.runs import DynamoRuns

        return DynamoRuns(self.table, pause, self._unreadable)

    def _unreadable(self, error: PlaybooksError) -> None:
        self.telemetry.fault("corrupt_item", error)
        self.telemetry.count("ItemsUnreadable")

    @cached_property
    def doorbell(self) -> SqsDoorbell:
        """The queues."""
        settings = self.settings
        return SqsDoorbell(
            self.client("sqs"),
            run_queue=settings.run_queue,
            conversion_queue=settings.conversion_queue,
            report=lambda error: self.telemetry.fault("ring_failed", error),
        )

    @cached_property
    def devices(self) -> DynamoDevices:
        """Phones."""
        return DynamoDevices(self.table, pause)

    @cached_property
    def push(self) -> SnsPush:
        """The push service; its client is made when something is to be sent."""
        applications = {
            Platform.APNS: self.settings.apns_application,
            Platform.FCM: self.settings.fcm_application,
        }
        return SnsPush(lambda: self.client("sns"), applications)

    @cached_property
    def notifier(self) -> Notifier:
        """What sends owed notices."""
        return Notifier(DynamoNotices(self.table), self.devices, self.push, self.clock, self.telemetry)
