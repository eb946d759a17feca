"""Where files lie in object storage: by kind, then tenant, then user or run, so that a key says whose it is."""

from playbooks.domain.ids import ConversationId, RunId, TenantId, UploadId, UserId


def conversation_key(tenant: TenantId, user: UserId, conversation: ConversationId) -> str:
    """An imported record, as it came."""
    return f"conversations/{tenant}/{user}/{conversation}"


def upload_key(tenant: TenantId, user: UserId, upload: UploadId) -> str:
    """A file on its way in; the bucket lets what lies below `uploads/` expire after a day."""
    return f"uploads/{tenant}/{user}/{upload}"


def run_prefix(tenant: TenantId, run: RunId) -> str:
    """All files of a run; the bucket lets what lies below `runs/` expire."""
    return f"runs/{tenant}/{run}/"


def dataset_key(tenant: TenantId, run: RunId, name: str) -> str:
    """A dataset."""
    return f"{run_prefix(tenant, run)}datasets/{name}.jsonl"


def document_key(tenant: TenantId, run: RunId, step: int, name: str) -> str:
    """A document of a step."""
    return f"{run_prefix(tenant, run)}documents/{step:02d}/{name}"


def checkpoint_key(tenant: TenantId, run: RunId, step: int, number: int) -> str:
    """A checkpoint that is too large for the table."""
    return f"{run_prefix(tenant, run)}checkpoints/{step:02d}-{number:04d}.json"
