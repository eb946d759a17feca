"""What a person may name in a step's inputs, for the strict check."""

from collections.abc import Collection, Mapping

from playbooks.application.grants import usable_databases
from playbooks.domain import enablement
from playbooks.domain.ids import TenantId
from playbooks.domain.playbook import Step, StepKind
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


def role_cautions(
    steps: tuple[Step, ...], workspace: Workspace, tenant: TenantId, person: Person
) -> tuple[Finding, ...]:
    """What the roles that the steps' queries run as may do beyond reading: warnings that keep nothing from running.

    They are from the last check by a run (see `QueryRunner.check_role`); a role that none has met yet is named.
    """
    usable = usable_databases(workspace.databases(tenant), person)
    found: list[Finding] = []
    for number, step in enumerate(steps):
        name = step.inputs.get("database", "")
        if step.kind is not StepKind.QUERY_DATABASE or name not in usable:
            continue
        database = usable.pop(name)  # each database once, at its first step
        check = workspace.role_check(tenant, database, database.role_for(person) or "")
        path = f"/steps/{number}/inputs/database"
        if check is None:
            text = "is checked at the first run; an administrator can check it now with `playbooks harden --check`"
            found.append(Finding("role_not_checked", path, f"What the role in {name!r} may do beyond reading {text}."))
        else:
            found += [Finding(risk.code, path, f"In {name!r}: {risk.message}") for risk in check.risks]
    return tuple(found)
