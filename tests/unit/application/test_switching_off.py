"""Switching off by hand: what was due and not begun has its row, in the same write."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from playbooks.adapters.dynamodb.items import schedule_item
from playbooks.adapters.dynamodb.operations import Put
from playbooks.domain.playbook import PlaybookState
from playbooks.domain.recurrence import occurrence_of
from playbooks.domain.run import RunStatus
from tests.world import ACME, World


def at(hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 11, 30, hour, minute, second, tzinfo=UTC)


def rows(world: World, playbook) -> list[tuple[RunStatus, str, int]]:
    return [(run.status, run.occurrence[11:], run.count) for run in world.runs_of(playbook)]


@pytest.mark.parametrize("use", ["disable", "delete"])
@pytest.mark.parametrize(
    ("now", "count", "text"),
    [
        (at(9), 1, "Did not run at 2026-11-30 09:00: the playbook was switched off before it was begun."),
        (at(9, 0, 30), 1, "Did not run at 2026-11-30 09:00: the playbook was switched off before it was begun."),
        (at(11, 2), 3, "Did not run 3 times from 2026-11-30 09:00 on: the playbook was switched off before they were"),
    ],
)
def test_what_is_due_and_not_begun_is_one_skipped_row_and_no_push(use: str, now: datetime, count: int, text: str):
    world = World().people()
    playbook = world.playbook()
    world.clock.at = now

    getattr(world.use_playbooks, use)(world.mina, playbook)

    (row,) = world.runs_of(playbook)
    assert (row.status, row.reason_code, row.due, row.count) == (RunStatus.SKIPPED, "switched_off", at(9), count)
    assert row.reason.startswith(text)
    world.tick()
    assert (len(world.runs_of(playbook)), world.push.published) == (1, [])


def test_what_is_not_due_yet_leaves_no_row():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(8, 59, 59)
    world.use_playbooks.disable(world.mina, playbook)
    assert world.runs_of(playbook) == []
    assert world.playbooks.schedule(ACME, playbook).last_at is None


def test_switched_on_again_it_goes_on_behind_what_was_passed_over():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9, 0, 30)
    world.use_playbooks.disable(world.mina, playbook)
    world.use_playbooks.enable(world.mina, playbook)
    world.clock.at = at(10)
    assert world.tick().claimed == 1
    assert rows(world, playbook) == [(RunStatus.QUEUED, "10:00", 1), (RunStatus.SKIPPED, "09:00", 1)]


@pytest.mark.parametrize(("hour", "rest"), [(9, []), (11, [(RunStatus.SKIPPED, "10:00", 2)])])
def test_an_occurrence_that_ran_keeps_its_run_and_only_those_after_it_have_a_row(hour: int, rest: list[object]):
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9)
    world.tick()
    world.deliver()
    (done,) = world.runs_of(playbook)
    # As newer zone data may leave it: the occurrence that ran is due once more.
    seen = world.playbooks.schedule(ACME, playbook)
    again = replace(seen, next=occurrence_of(seen.rule, datetime.fromisoformat("2026-11-30T09:00"), 0))
    world.table.write(Put(schedule_item(ACME, playbook, again)))
    world.clock.at = at(hour, 5)

    off = world.use_playbooks.disable(world.mina, playbook)

    assert off.state is PlaybookState.OFF
    assert world.playbooks.schedule(ACME, playbook).next is None
    assert rows(world, playbook) == [*rest, (RunStatus.COMPLETED, "09:00", 1)]
    assert world.run(done.id) == done
