"""The doorbells: a message says "look at this run", and nothing else."""

from collections.abc import Sequence
from typing import Protocol

from playbooks.domain.ids import RunId, TenantId
from playbooks.domain.run import RunKind


class Doorbell(Protocol):
    """Rings for runs. A ring may be lost or doubled: the wake index rings again, the lease lets one in."""

    def ring(self, runs: Sequence[tuple[TenantId, RunId, RunKind]]) -> Sequence[tuple[TenantId, RunId]]:
        """Send one message a run; returns those that could not be sent, never raises: the wake index sees to them."""
        ...
