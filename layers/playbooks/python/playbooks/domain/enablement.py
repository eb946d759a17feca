"""The strict check before a playbook may run: all findings at once, none hides another.

Saving is loose, running is strict: an empty playbook that is on would "succeed" every week doing nothing.
"""

from collections.abc import Collection, Mapping, Sequence

from playbooks.domain.playbook import DOCUMENT_FORMATS, REQUIRED_INPUTS, Step
from playbooks.errors import Finding

_INPUT_QUESTION = {
    "source": "which document source to search",
    "database": "which database to ask",
    "format": "which file format to write",
    "tool": "which tool to call",
    "approver": "who decides",
}


def findings(steps: Sequence[Step], *, registered: Mapping[str, Collection[str]] | None = None) -> tuple[Finding, ...]:
    """What keeps these steps from running; empty when nothing does.

    `registered` holds, for an input's name, the names this person may use (databases, sources, tools, approvers);
    None leaves that part out.
    """
    if not steps:
        return (Finding("no_steps", "/steps", "The playbook has no steps: it would succeed without doing anything."),)
    found: list[Finding] = []
    for number, step in enumerate(steps):
        path = f"/steps/{number}"
        if not step.instruction.strip():
            found.append(
                Finding(
                    "missing_instruction",
                    f"{path}/instruction",
                    f"Step {number + 1} does not say what to do.",
                )
            )
        for name in REQUIRED_INPUTS[step.kind]:
            value = step.inputs.get(name, "").strip()
            allowed = DOCUMENT_FORMATS if name == "format" else (registered or {}).get(name)
            where = f"{path}/inputs/{name}"
            if not value:
                found.append(
                    Finding("missing_input", where, f"Step {number + 1} does not say {_INPUT_QUESTION[name]}.")
                )
            elif allowed is not None and value not in allowed:
                found.append(_unknown(name, value, number, where, allowed))
    return tuple(found)


def _unknown(name: str, value: str, number: int, where: str, allowed: Collection[str]) -> Finding:
    if name == "format":
        message = f"Step {number + 1} asks for the format {value!r}, which cannot be written."
    else:
        message = f"Step {number + 1} names the {name} {value!r}, which is not registered or not yours to use."
    return Finding(f"unknown_{name}", where, message, tuple(sorted(allowed)))
