"""What a person may name in a step's inputs, for the strict check."""

from collections.abc import Collection, Mapping

from playbooks.application.grants import usable_databases
from playbooks.domain import enablement
from playbooks.domain.ids import TenantId
from playbooks.domain.playbook import Step
from playbooks.errors import Finding
from playbooks.ports.directory import Person, Workspace


def registered_for(
    workspace: Workspace, tenant: TenantId, person: Person, formats: Collection[str]
) -> Mapping[str, Collection[str]]:
    """The values of each input: databases the person may read, formats that can be written.

    Document sources, tools and approvers are registered by the administrator; where none is, no name is accepted.
    """
    return {
        "database": tuple(usable_databases(workspace.databases(tenant), person)),
        "format": tuple(formats),
        "source": (),
        "tool": (),
        "approver": (),
    }


def strict_findings(
    steps: tuple[Step, ...], workspace: Workspace, tenant: TenantId, person: Person, formats: Collection[str]
) -> tuple[Finding, ...]:
    """What keeps the steps from running for this person."""
    return enablement.findings(steps, registered=registered_for(workspace, tenant, person, formats))
