"""Register a phone: the token has one owner, and its endpoint is made or found again."""

from dataclasses import dataclass

from playbooks.application.identity import Caller
from playbooks.domain.ids import derive
from playbooks.errors import Finding, Refused
from playbooks.ports.clock import Clock
from playbooks.ports.push import Device, Platform, Push
from playbooks.ports.stores.people import DeviceStore

MAX_TOKEN = 4_096


@dataclass(frozen=True)
class Devices:
    """The use cases on a person's phones."""

    store: DeviceStore
    push: Push
    clock: Clock

    def register(self, caller: Caller, platform: Platform, token: str) -> Device:
        """Register the token for the caller; the same token again refreshes it."""
        if not 8 <= len(token) <= MAX_TOKEN or not token.isascii() or not token.isprintable():
            message = "That is not a device token as APNs or FCM give it out."
            raise Refused(message, [Finding("invalid_token", "/token", message)], code="invalid_token")
        device = Device(
            tenant=caller.tenant,
            user=caller.user,
            id=derive("d", token.lower()),
            platform=platform,
            token=token,
            endpoint=self.push.endpoint(platform, token),
            registered_at=self.clock.now(),
        )
        self.store.register(device)
        return device
