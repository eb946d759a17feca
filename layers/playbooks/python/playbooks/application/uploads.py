"""A way in for records that are larger than a request may be: straight into object storage, then imported by id."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from playbooks.application.artifact_keys import upload_key
from playbooks.application.identity import Caller
from playbooks.domain.conversation.json_record import MAX_BYTES
from playbooks.domain.ids import UploadId
from playbooks.errors import NotFound, Refused
from playbooks.ports.artifacts import LINK_FOR, Artifacts, UploadForm
from playbooks.ports.clock import Clock

CONTENT_TYPE = "application/json"


@dataclass(frozen=True, slots=True)
class Upload:
    """A form for one file of at most `largest` bytes, to be sent before `expires_at`."""

    id: UploadId
    form: UploadForm
    expires_at: datetime
    largest: int = MAX_BYTES


@dataclass(frozen=True)
class Uploads:
    """Files on their way in. Each lies under its owner, so that an id of somebody else's finds nothing."""

    artifacts: Artifacts
    clock: Clock

    def begin(self, caller: Caller) -> Upload:
        """A new form; nothing is written until the file comes."""
        id_ = UploadId(f"u{uuid.uuid4().hex}")
        form = self.artifacts.upload(upload_key(caller.tenant, caller.user, id_), CONTENT_TYPE, largest=MAX_BYTES)
        return Upload(id_, form, self.clock.now() + LINK_FOR)

    def bytes_of(self, caller: Caller, upload: UploadId) -> bytes:
        """The file that was sent; NotFound when none was, when it expired, or when it is not the caller's."""
        received = bytearray()
        try:
            for chunk in self.artifacts.get(upload_key(caller.tenant, caller.user, upload)):
                received += chunk
                if len(received) > MAX_BYTES:
                    raise Refused("The file is larger than 50 MB: export one conversation.", code="too_large")
        except NotFound:
            message = "There is no such upload, or it is not yours: ask for a form, send the file, then import it."
            raise NotFound(message) from None
        return bytes(received)
