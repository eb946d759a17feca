"""The tick over a table in memory."""

from datetime import UTC, datetime

import pytest

from playbooks.application.dispatch_due import TickFailed
from playbooks.domain.ids import PlaybookId
from playbooks.domain.playbook import PlaybookState, Step, StepKind
from playbooks.domain.recurrence import parse_rule
from playbooks.domain.run import RunStatus
from playbooks.ports.directory import Person
from tests.world import ACME, MINA, World, hourly


def at(hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 11, 30, hour, minute, second, tzinfo=UTC)


def test_an_occurrence_that_is_due_becomes_one_queued_run_and_the_schedule_moves_on():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9, 0, 20)

    report = world.tick()

    (run,) = world.runs_of(playbook)
    assert (report.claimed, run.status, run.due) == (1, RunStatus.QUEUED, at(9))
    assert world.doorbell.rings == [(ACME, run.id, run.kind)]
    schedule = world.playbooks.schedule(ACME, playbook)
    assert schedule.next.instant == at(10)
    assert (schedule.last_at, schedule.last_run) == (at(9), run.id)


def test_a_doubled_tick_claims_nothing_again():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9, 1)
    world.tick()
    assert world.tick().claimed == 0
    assert len(world.runs_of(playbook)) == 1


def test_a_run_is_worked_to_its_end_and_its_owner_is_told_once():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9)
    world.tick()

    assert world.deliver() == 2  # one doorbell a step

    (run,) = world.runs_of(playbook)
    assert (run.status, run.reason) == (RunStatus.COMPLETED, "part 2 done")
    assert [(message.title, message.body) for _, message in world.push.published] == [
        ("Report p1", "Completed: part 2 done")
    ]
    assert world.playbooks.playbook(ACME, playbook).recent[-1].run == run.id
    world.clock.forward(minutes=5)
    world.tick()
    assert len(world.push.published) == 1


def test_an_outage_leaves_one_skipped_row_with_the_count_and_one_notice_and_goes_on():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(12, 5)

    world.tick()

    claimed, skipped = world.runs_of(playbook)
    assert (skipped.status, skipped.count, skipped.due) == (RunStatus.SKIPPED, 3, at(9))
    assert (claimed.status, claimed.due) == (RunStatus.QUEUED, at(12))
    assert [message.body for _, message in world.push.published] == [
        "Did not run 3 times from 2026-11-30 09:00 on: the schedule was held up."
    ]


def test_what_is_due_behind_a_late_occurrence_is_claimed_in_the_same_tick_before_it_is_late_too():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(10, 9, 30)

    report = world.tick()

    claimed, skipped = world.runs_of(playbook)
    assert (report.claimed, report.skipped) == (1, 1)
    assert (skipped.status, skipped.due, skipped.count) == (RunStatus.SKIPPED, at(9), 1)
    assert (claimed.status, claimed.due) == (RunStatus.QUEUED, at(10))
    world.clock.at = at(10, 10)
    world.deliver()
    assert world.run(claimed.id).status is RunStatus.COMPLETED


def test_a_run_that_is_not_over_makes_the_next_occurrence_skipped():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9)
    world.tick()
    world.clock.at = at(10)

    world.tick()

    assert [run.status for run in world.runs_of(playbook)] == [RunStatus.SKIPPED, RunStatus.QUEUED]


def test_a_person_who_lost_the_grant_blocks_the_occurrence_and_the_playbook_stays_on():
    world = World().people()
    query = Step("s1", StepKind.QUERY_DATABASE, "sales by department last week", {"database": "shop"})
    playbook = world.playbook(steps=(query,))
    world.workspace.register_person(ACME, Person(MINA, "Mina", frozenset()))
    world.clock.at = at(9)

    assert world.tick().blocked == 1

    (run,) = world.runs_of(playbook)
    assert (run.status, run.reason_code) == (RunStatus.BLOCKED, "grant_gone")
    assert "may not read the database shop any more" in world.push.published[0][1].body
    assert world.playbooks.playbook(ACME, playbook).state is PlaybookState.ON


def test_a_definition_that_misses_inputs_turns_the_playbook_off_and_says_why():
    world = World().people()
    playbook = world.playbook(on=False)
    seen = world.playbooks.playbook(ACME, playbook)
    world.use_playbooks.enable(world.mina, playbook)
    # The definition loses its inputs behind the engine's back, as an older version could have stored it.
    world.table.write(_empty_definition(playbook, seen.definition_version))
    world.clock.at = at(9)

    report = world.tick()

    found = world.playbooks.playbook(ACME, playbook)
    (row,) = world.runs_of(playbook)
    assert (report.switched_off, report.blocked, found.state) == (1, 0, PlaybookState.OFF)
    assert (row.status, row.due, row.reason) == (RunStatus.BLOCKED, at(9), found.off_reason)
    assert len(world.push.published) == 1
    assert "misses something it needs (step 1)" in found.off_reason
    assert "was turned off" in world.push.published[0][1].body
    world.clock.at = at(10)
    assert world.tick().claimed == 0


def test_a_schedule_that_cannot_be_read_is_named_and_the_others_go_on():
    world = World().people()
    good, bad = world.playbook("good"), world.playbook("bad")
    item = world.table.get((f"T#acme#PB#{bad}", "SCHED"))
    from playbooks.adapters.dynamodb.operations import Put

    world.table.write(Put({**item, "rule": {"start": "yesterday", "zone": "Mars"}}))
    world.clock.at = at(9)

    with pytest.raises(TickFailed):
        world.tick()

    assert [run.status for run in world.runs_of(good)] == [RunStatus.QUEUED]
    assert [fields["playbook"] for name, fields in world.telemetry.events if name == "unreadable_schedule"] == ["bad"]


def test_a_lost_doorbell_is_rung_again_within_a_minute():
    world = World().people()
    playbook = world.playbook()
    world.clock.at = at(9)
    world.tick()
    world.doorbell.rings.clear()
    world.clock.at = at(9, 1)

    assert world.tick().rung == 1

    world.deliver()
    assert world.runs_of(playbook)[0].status is RunStatus.COMPLETED


def test_a_one_time_schedule_ends_after_its_run():
    world = World().people()
    playbook = world.playbook(rule=parse_rule({"start": "2026-11-30T09:00", "zone": "UTC"}))
    world.clock.at = at(9)
    world.tick()
    assert world.playbooks.schedule(ACME, playbook).next is None


def test_many_schedules_are_claimed_in_groups():
    world = World().people()
    for number in range(130):
        world.playbook(f"p{number}", rule=hourly())
    requests: list[str] = []
    world.table.on_request = requests.append
    world.clock.at = at(9)

    assert world.tick().claimed == 130

    assert requests.count("transact") <= 16  # at most one a shard: each holds fewer than 50 here


def _empty_definition(playbook: PlaybookId, version: int):
    from playbooks.adapters.dynamodb.operations import Update

    step = {"id": "s1", "kind": "organize", "instruction": "", "inputs": {}, "may_end_run": False, "pin_sql": True}
    return Update((f"T#acme#PB#{playbook}", f"DEF#{version:04d}"), {"steps": [step]})
