"""Pushes to phones."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from playbooks.domain.ids import TenantId, UserId
from playbooks.errors import PlaybooksError, Unavailable


class Platform(StrEnum):
    """Where a device token comes from."""

    APNS = "apns"
    FCM = "fcm"


@dataclass(frozen=True, slots=True)
class Device:
    """A registered phone. `id` is derived from the token; `endpoint` is the push service's name for it."""

    tenant: TenantId
    user: UserId
    id: str
    platform: Platform
    token: str
    endpoint: str
    registered_at: datetime
    active: bool = True


@dataclass(frozen=True, slots=True)
class PushMessage:
    """What a phone shows. `collapse_key` (at most 64 bytes) lets a second sending replace the first."""

    title: str
    body: str
    collapse_key: str
    link: str


class EndpointDisabled(PlaybooksError):
    """Raised when the push service has given the device up: it is set inactive, the run is not touched."""

    code = "endpoint_disabled"


class PushThrottled(Unavailable):
    """Raised when the push service asks for patience; the notice stays owed."""

    code = "push_throttled"


class Push(Protocol):
    """A push service. 200 is not delivery: a dead endpoint shows at the next publish."""

    def endpoint(self, platform: Platform, token: str) -> str:
        """The endpoint for a token, made or found again, enabled."""
        ...

    def publish(self, device: Device, message: PushMessage) -> None:
        """Send; raises EndpointDisabled or PushThrottled."""
        ...
