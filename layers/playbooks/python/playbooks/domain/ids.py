"""Identifiers: what they look like and how the id of a run is derived.

An id never contains `#`, which separates the parts of a storage key.
"""

import base64
import hashlib
import re
from datetime import datetime
from typing import NewType

from playbooks.errors import Finding, Refused

TenantId = NewType("TenantId", str)
UserId = NewType("UserId", str)
PlaybookId = NewType("PlaybookId", str)
ConversationId = NewType("ConversationId", str)
RunId = NewType("RunId", str)
StepId = NewType("StepId", str)
UploadId = NewType("UploadId", str)

_FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@|+=-]{0,127}\Z")


def parse_id(text: object, path: str = "") -> str:
    """An id from outside as it is, or Refused: 1 to 128 of letters, digits and `._:@|+=-`."""
    if isinstance(text, str) and _FORM.match(text):
        return text
    raise Refused(
        "That is not an id: 1 to 128 letters, digits or ._:@|+=- are expected.",
        [Finding("invalid_id", path, "Not an id: 1 to 128 letters, digits or ._:@|+=- are expected.")],
        code="invalid_id",
    )


def derive(prefix: str, *parts: str) -> str:
    """A stable id from its parts: the same parts give the same id on every worker (SHA-256, 130 bits kept)."""
    digest = hashlib.sha256("\x1f".join(parts).encode()).digest()
    return prefix + base64.b32encode(digest).decode().lower()[:26]


def scheduled_run_id(tenant: TenantId, playbook: PlaybookId, rule_version: int, nominal: datetime, pass_: int) -> RunId:
    """The id of an occurrence's run: from its nominal local time, not its instant, which zone data may move."""
    local = nominal.isoformat(timespec="minutes")
    return RunId(derive("r", tenant, playbook, str(rule_version), local, str(pass_)))


def requested_run_id(tenant: TenantId, playbook: PlaybookId, user: UserId, key: str) -> RunId:
    """The id of a run a person asked for: from the caller's idempotency key."""
    return RunId(derive("r", tenant, playbook, user, "key", key))


def conversion_id(tenant: TenantId, conversation: ConversationId, user: UserId, key: str) -> RunId:
    """The id of a conversion: from the conversation and the caller's idempotency key."""
    return RunId(derive("c", tenant, conversation, user, key))
