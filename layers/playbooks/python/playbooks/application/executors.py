"""The query tools of a tenant's chats: the known ones and those its administrator added."""

from playbooks.domain.conversation import ExecutorTools
from playbooks.domain.ids import TenantId
from playbooks.errors import Finding, Refused
from playbooks.ports.directory import RegisteredExecutors, Workspace

MAX_EXECUTORS = 100
MAX_NAME = 100


def executor_tools(workspace: Workspace, tenant: TenantId) -> ExecutorTools:
    """What tells in a conversation whether a call ran its SQL."""
    added = workspace.executors(tenant)
    return ExecutorTools(frozenset(added.names), added.statement_keys, frozenset(added.bind_keys), added.database_keys)


def check_executors(executors: RegisteredExecutors) -> None:
    """Raises Refused (`invalid_executors`) with every finding when a registration cannot be taken."""
    findings: list[Finding] = []
    for field, entries in (
        ("names", executors.names),
        ("statement_keys", executors.statement_keys),
        ("bind_keys", executors.bind_keys),
        ("database_keys", executors.database_keys),
    ):
        if len(entries) > MAX_EXECUTORS:
            said = f"At most {MAX_EXECUTORS} are taken; these are {len(entries)}."
            findings.append(Finding("too_many", f"/{field}", said))
        for number, entry in enumerate(entries[:MAX_EXECUTORS]):
            if not 1 <= len(entry.strip()) <= MAX_NAME or not entry.isprintable():
                said = f"A name has 1 to {MAX_NAME} printable characters."
                findings.append(Finding("invalid_name", f"/{field}/{number}", said))
    if findings:
        raise Refused("The query tools cannot be registered.", findings, code="invalid_executors")
