"""Send a notice that is owed: claim it, publish to each phone, write what became of it.

At least once: a crash between publishing and marking sends it again with the same collapse key, and the phone shows
one. Nothing here happens before the commit that owes the notice.
"""

from dataclasses import dataclass, replace

from playbooks.domain.notice import Notice, retry_at
from playbooks.errors import PlaybooksError
from playbooks.ports.clock import Clock
from playbooks.ports.push import EndpointDisabled, Push, PushMessage
from playbooks.ports.stores.notices import NoticeRef, NoticeStore
from playbooks.ports.stores.people import DeviceStore
from playbooks.ports.telemetry import Telemetry


@dataclass(frozen=True)
class Notifier:
    """What sending needs. `link` is the start of a link to a run, its id is put behind."""

    notices: NoticeStore
    devices: DeviceStore
    push: Push
    clock: Clock
    telemetry: Telemetry
    link: str = ""

    def send(self, ref: NoticeRef) -> bool:
        """Send one if it is owed and nobody else is at it; whether it is sent now."""
        now = self.clock.now()
        notice = self.notices.claim(ref, now)
        if notice is None:
            return False
        if not self._publish(notice):
            after = replace(notice, due=None, sent_at=self.clock.now())
        elif (due := retry_at(notice, now)) is not None:
            after = replace(notice, due=due)
        else:
            after = replace(notice, due=None)
            self.telemetry.event("notice_given_up", notice=notice.id, run=notice.run, tries=notice.tries)
            self.telemetry.count("NoticesGivenUp")
        # Refused when this took longer than the claim: somebody else sends it then, under the same collapse key.
        return self.notices.settle(notice, after) and after.sent_at is not None

    def _publish(self, notice: Notice) -> bool:
        """Publish to each active phone; whether it must be tried again."""
        message = PushMessage(
            notice.title, notice.body, notice.collapse_key, f"{self.link}{notice.run or notice.playbook or ''}"
        )
        again = False
        for device in self.devices.of_user(notice.tenant, notice.to):
            if not device.active:
                continue
            try:
                self.push.publish(device, message)
            except EndpointDisabled:
                self.devices.deactivate(device)
                self.telemetry.event("device_inactive", device=device.id)
            except PlaybooksError as error:
                self.telemetry.fault("push_failed", error, notice=notice.id, run=notice.run)
                again = again or error.retryable
            else:
                self.telemetry.count("PushesSent")
        return again
