"""What the contracts of the stores begin with."""

from datetime import UTC, datetime

from playbooks.domain.ids import PlaybookId, RunId
from playbooks.domain.run import LeaseTimes, Run, RunKind, RunStatus, leased
from tests.world import ACME, MINA, World

TIMES = LeaseTimes()
NINE = datetime(2026, 11, 30, 9, tzinfo=UTC)


def queued(world: World, name: str = "r1", *, playbook: str = "p1") -> Run:
    run = Run(
        ACME,
        RunId(name),
        RunKind.NOW,
        RunStatus.QUEUED,
        MINA,
        "Report",
        NINE,
        playbook=PlaybookId(playbook),
        step_count=1,
        wake_at=NINE,
    )
    assert world.runs.create(run)
    return run


def held(world: World, name: str = "r1") -> Run:
    seen = queued(world, name)
    mine = leased(seen, f"lease-{name}", NINE, TIMES)
    assert world.runs.lease(seen, mine, NINE)
    return mine


def work(world: World, shard: int, until: datetime):
    page = world.runs.due_work(shard, until)
    return [*page.runs, *page.notices]
