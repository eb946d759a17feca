"""What the store of schedules promises, whatever table it lies on."""

import time
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import schedule_item
from playbooks.adapters.dynamodb.operations import Put, Table
from playbooks.application.claims import move_for
from playbooks.domain.ids import PlaybookId
from playbooks.domain.playbook import PlaybookState
from playbooks.domain.schedule import PreRunCheck, Reason, decide
from playbooks.ports.stores.schedules import GroupFault, MoveRefusal, ScheduleMove, ZoneProgress
from playbooks.ports.stores.wake_index import SHARDS, ScheduleRef
from tests.contract.stores.given import NINE, work
from tests.contract.stores.racing import race
from tests.world import ACME, World

CHECK = PreRunCheck()


@pytest.fixture
def world(table: Table) -> World:
    return World(table=table).people()


def claim(world: World, playbook: PlaybookId, now: datetime = NINE, check: PreRunCheck = CHECK) -> ScheduleMove:
    (due,) = world.schedules.load_due([ScheduleRef(ACME, playbook)])
    assert due.schedule is not None
    assert due.playbook is not None
    move = move_for(decide(due.schedule, now, check), due.schedule, due.playbook, due.definition, now)
    assert move is not None
    return move


def test_one_of_eight_schedulers_claims_an_occurrence(world: World):
    """F03"""
    for number in range(8):
        playbook = world.playbook(f"p{number}")
        move = claim(world, playbook)
        answers = race(lambda _racer, move=move: _commit(world, [move]))
        assert answers.count(None) == 1
        assert {answer for answer in answers if answer is not None} <= {"schedule_moved", "conflict"}
        assert [run.id for run in world.runs_of(playbook)] == [move.run.id]


def _commit(world: World, moves: list[ScheduleMove]) -> str | None:
    for attempt in range(20):
        refusal = world.schedules.commit(moves)
        if refusal is None:
            return None
        if refusal.fault is GroupFault.CONDITION:
            return refusal.moves[0].value
        time.sleep(0.002 * attempt)
    return "conflict"


def test_a_refused_group_writes_nothing_and_says_what_became_of_each_move(world: World):
    names = [world.playbook(f"p{number}") for number in range(4)]
    moves = [claim(world, name) for name in names]
    assert world.schedules.commit([moves[1]]) is None
    world.runs.create(moves[2].run)

    refusal = world.schedules.commit(moves)

    assert refusal.fault is GroupFault.CONDITION
    assert refusal.moves == (
        MoveRefusal.HELD,
        MoveRefusal.SCHEDULE_MOVED,
        MoveRefusal.RUN_EXISTS,
        MoveRefusal.HELD,
    )
    assert world.runs_of(names[0]) == []
    assert world.playbooks.schedule(ACME, names[3]).next.instant == NINE


@pytest.mark.parametrize(
    "change",
    [
        {"next": None},
        {"rule_version": 2},
        {"last_at": NINE - timedelta(hours=1)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_claim_is_refused_when_any_part_of_what_was_read_has_changed(world: World, change):
    playbook = world.playbook()
    move = claim(world, playbook)
    world.table.write(Put(schedule_item(ACME, playbook, replace(move.seen, **change))))
    assert world.schedules.commit([move]).moves == (MoveRefusal.SCHEDULE_MOVED,)
    assert world.runs_of(playbook) == []


def test_fifty_claims_pass_in_one_transaction_and_are_found_aswork(world: World):
    names = [world.playbook(f"p{number}") for number in range(50)]
    assert world.schedules.commit([claim(world, name) for name in names]) is None
    found = [run for shard in range(SHARDS) for run in work(world, shard, NINE + timedelta(minutes=1))]
    assert len(found) == 50
    assert not any(work(world, shard, NINE + timedelta(seconds=59)) for shard in range(SHARDS))


def test_a_switch_off_is_refused_when_the_playbook_was_changed_meanwhile(world: World):
    playbook = world.playbook()
    move = claim(world, playbook, check=PreRunCheck(switch_off=Reason("no_steps", "It has no steps.")))
    found = world.playbooks.playbook(ACME, playbook)
    world.playbooks.save(replace(found, title="Another", rev=found.rev + 1), seen_rev=found.rev)

    assert world.schedules.commit([move]).moves == (MoveRefusal.OTHER,)

    again = claim(world, playbook, check=PreRunCheck(switch_off=Reason("no_steps", "It has no steps.")))
    assert world.schedules.commit([again]) is None
    assert world.playbooks.playbook(ACME, playbook).state is PlaybookState.OFF
    assert world.playbooks.schedule(ACME, playbook).next is None


def test_an_item_that_cannot_be_read_is_named_and_the_others_are_loaded(world: World):
    good, rule, run = world.playbook("good"), world.playbook("rule"), world.playbook("run")
    for name, broken in ((rule, {"rule": "every monday"}), (run, {"last_run": "a#b"})):
        item = world.table.get(keys.schedule(ACME, name))
        world.table.write(Put({**item, **broken}))
    found = world.schedules.load_due([ScheduleRef(ACME, name) for name in (good, rule, run, PlaybookId("none"))])
    assert [bool(due.problem) for due in found] == [False, True, True, True]
    assert "does not parse" in found[1].problem


def test_schedules_that_are_on_are_walked_through_from_where_the_walk_stopped(world: World, monkeypatch):
    monkeypatch.setattr("playbooks.adapters.dynamodb.schedules.ZONES_PAGE", 2)
    names = {world.playbook(f"p{number}") for number in range(7)}
    world.playbook("off", on=False)
    seen: list[PlaybookId] = []
    for shard in range(SHARDS):
        after = ""
        while True:
            page, after = world.schedules.scheduled(shard, after)
            seen += [due.ref.playbook for due in page]
            if not after:
                break
            world.use_playbooks.disable(world.mina, page[-1].ref.playbook)
    assert sorted(seen) == sorted(names)


def test_the_place_in_the_zone_walk_is_kept_by_the_first_that_writes_it(world: World):
    first, second = world.schedules.zones(), ZoneProgress("2026g", 3, "place")
    assert first == ZoneProgress()
    assert world.schedules.save_zones(first, second)
    assert not world.schedules.save_zones(first, ZoneProgress("2026g", 9))
    assert world.schedules.zones() == second
    assert world.schedules.save_zones(second, ZoneProgress("2026g", SHARDS))
    assert world.schedules.zones().over
