"""What the stores promise, whatever table they lie on."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import notice_ref, schedule_item
from playbooks.adapters.dynamodb.operations import Put, Table
from playbooks.application.claims import move_for
from playbooks.application.ends import ended_notice
from playbooks.domain.ids import PlaybookId, RunId
from playbooks.domain.notice import Notice, NoticeKind
from playbooks.domain.playbook import PlaybookState
from playbooks.domain.run import LeaseTimes, Run, RunKind, RunStatus, end, leased, progressed, rung
from playbooks.domain.schedule import PreRunCheck, Reason, decide
from playbooks.domain.usage import Usage
from playbooks.ports.stores.runs import CallState, Checkpoint, LeaseLost, OutsideCall, RunCommit
from playbooks.ports.stores.schedules import GroupFault, MoveRefusal, ScheduleMove, ZoneProgress
from playbooks.ports.stores.wake_index import SHARDS, ScheduleRef
from tests.contract.stores.racing import race
from tests.world import ACME, MINA, World

TIMES = LeaseTimes()
NINE = datetime(2026, 11, 30, 9, tzinfo=UTC)
CHECK = PreRunCheck()


@pytest.fixture
def world(table: Table) -> World:
    return World(table=table).people()


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


def claim(world: World, playbook: PlaybookId, now: datetime = NINE, check: PreRunCheck = CHECK) -> ScheduleMove:
    (due,) = world.schedules.load_due([ScheduleRef(ACME, playbook)])
    assert due.schedule is not None
    assert due.playbook is not None
    move = move_for(decide(due.schedule, now, check), due.schedule, due.playbook, due.definition, now)
    assert move is not None
    return move


# --- schedules


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


def test_fifty_claims_pass_in_one_transaction_and_are_found_as_work(world: World):
    names = [world.playbook(f"p{number}") for number in range(50)]
    assert world.schedules.commit([claim(world, name) for name in names]) is None
    found = [run for shard in range(SHARDS) for run in _work(world, shard, NINE + timedelta(minutes=1))]
    assert len(found) == 50
    assert not any(_work(world, shard, NINE + timedelta(seconds=59)) for shard in range(SHARDS))


def _work(world: World, shard: int, until: datetime):
    page = world.runs.due_work(shard, until)
    return [*page.runs, *page.notices]


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


# --- runs


def test_a_run_is_created_once(world: World):
    run = queued(world)
    assert not world.runs.create(replace(run, title="Another"))
    assert world.run(run.id).title == "Report"


def test_one_of_eight_workers_gets_the_lease(world: World):
    for number in range(8):
        seen = queued(world, f"r{number}")
        candidates = [leased(seen, f"lease-{racer}", NINE, TIMES) for racer in range(8)]
        won = race(lambda racer, seen=seen, mine=candidates: world.runs.lease(seen, mine[racer], NINE))
        assert sum(won) == 1
        assert world.run(seen.id).lease.id == f"lease-{won.index(True)}"


def test_a_lease_whose_answer_was_lost_is_known_again(world: World):
    seen = queued(world)
    mine = leased(seen, "mine", NINE, TIMES)
    assert world.runs.lease(seen, mine, NINE)
    assert world.runs.lease(seen, mine, NINE)
    assert not world.runs.lease(seen, leased(seen, "other", NINE, TIMES), NINE)


def test_a_lease_ends_only_when_it_is_over_by_more_than_the_clocks_may_differ(world: World):
    """F20"""
    mine = held(world)
    early, late = mine.lease.until + timedelta(seconds=30), mine.lease.until + timedelta(seconds=31)
    assert not world.runs.lease(mine, leased(mine, "next", early, TIMES), early)
    assert world.runs.lease(mine, leased(mine, "next", late, TIMES), late)


def test_a_running_run_without_a_lease_time_is_not_free(world: World):
    """F18"""
    mine = held(world)
    item = world.table.get(keys.run(ACME, mine.id))
    del item["lease_until"]
    world.table.write(Put(item))
    seen = world.run(mine.id)
    later = NINE + timedelta(hours=1)
    assert not world.runs.lease(seen, leased(seen, "next", later, TIMES), later)


def test_a_commit_under_an_old_fence_writes_nothing(world: World):
    """F19"""
    mine = held(world)
    later = mine.lease.until + timedelta(minutes=1)
    assert world.runs.lease(mine, leased(mine, "next", later, TIMES), later)
    over = end(mine, RunStatus.COMPLETED, "done", later)
    with pytest.raises(LeaseLost):
        world.runs.commit(RunCommit(over, mine.lease, Checkpoint(0, 0, {"json": "{}"}), notice=ended_notice(over)))
    assert world.runs.checkpoints(ACME, mine.id, 0) == []
    assert world.notices.notice(notice_ref(ended_notice(over))) is None
    assert world.run(mine.id).status is RunStatus.RUNNING


def test_a_commit_that_does_not_know_of_the_one_before_it_is_refused(world: World):
    mine = held(world)
    saved = progressed(mine, NINE + timedelta(seconds=9), TIMES, usage=Usage(10, 5, 1), progress="")
    world.runs.commit(RunCommit(saved, mine.lease, Checkpoint(0, 0, {"json": "{}"})))
    stale = progressed(mine, NINE + timedelta(seconds=20), TIMES, usage=Usage(), progress="")
    with pytest.raises(LeaseLost):
        world.runs.commit(RunCommit(stale, mine.lease))
    assert world.run(mine.id).usage == Usage(10, 5, 1)


def test_an_end_is_one_transaction_with_notice_usage_and_the_playbooks_last_ends(world: World):
    playbook = world.playbook("p1")
    mine = held(world)
    over = end(replace(mine, usage=Usage(100, 20, 3)), RunStatus.COMPLETED, "done", NINE)
    world.runs.commit(RunCommit(over, mine.lease, notice=ended_notice(over)))
    assert world.run(mine.id) == over
    assert world.notices.notice(notice_ref(ended_notice(over))).body == "Completed: done"
    assert [recent.run for recent in world.playbooks.playbook(ACME, playbook).recent] == [mine.id]
    month = world.table.get(keys.usage(ACME, MINA, "2026-11"))
    assert (month["runs"], month["input_tokens"], month["output_tokens"]) == (1, 100, 20)
    assert not any(_work(world, shard, NINE - timedelta(minutes=1)) for shard in range(SHARDS))


def test_a_playbook_that_is_gone_or_cannot_be_read_does_not_hold_up_an_end(world: World):
    world.playbook("p1")
    world.table.write(Put({**world.table.get(keys.playbook(ACME, PlaybookId("p1"))), "recent": "none"}))
    for name in ("r1", "r2"):
        mine = held(world, name)
        world.runs.commit(RunCommit(end(mine, RunStatus.COMPLETED, "done", NINE), mine.lease))
        assert world.run(mine.id).status is RunStatus.COMPLETED


def test_eight_ends_of_one_playbook_at_once_all_pass_and_all_count(world: World):
    world.playbook("p1")
    runs = [held(world, f"r{number}") for number in range(8)]

    def finish(racer: int) -> None:
        over = end(runs[racer], RunStatus.COMPLETED, "done", NINE)
        patient = World(table=world.table)
        patient.runs._transactions._pause = lambda attempt: time.sleep(0.004 * 2**attempt)
        patient.runs.commit(RunCommit(over, runs[racer].lease, notice=ended_notice(over)))

    race(finish)

    assert all(world.run(run.id).status is RunStatus.COMPLETED for run in runs)
    assert world.table.get(keys.usage(ACME, MINA, "2026-11"))["runs"] == 8


def test_a_run_past_its_time_ends_only_as_it_was_seen_and_only_once(world: World):
    run = queued(world)
    ended = end(run, RunStatus.FAILED, "too late", NINE, "deadline")
    assert not world.runs.expire(replace(run, wake_at=NINE + timedelta(minutes=5)), ended, None)
    assert world.runs.expire(run, ended, ended_notice(ended))
    assert not world.runs.expire(run, ended, ended_notice(ended))
    assert world.table.get(keys.usage(ACME, MINA, "2026-11"))["runs"] == 1


def test_a_cancelled_run_keeps_what_it_cost_and_shuts_its_worker_out(world: World):
    mine = held(world)
    saved = progressed(mine, NINE + timedelta(seconds=9), TIMES, usage=Usage(10, 5, 1), progress="reading")
    world.runs.commit(RunCommit(saved, mine.lease, Checkpoint(0, 0, {"json": "{}"})))
    ended = end(mine, RunStatus.CANCELLED, "Cancelled.", NINE)
    cancelled = replace(ended, lease=replace(ended.lease, fence=mine.lease.fence + 1))
    assert world.runs.cancel(cancelled)
    assert not world.runs.cancel(cancelled)
    found = world.run(mine.id)
    assert (found.status, found.usage, found.wake_at) == (RunStatus.CANCELLED, Usage(10, 5, 1), None)
    with pytest.raises(LeaseLost):
        world.runs.commit(RunCommit(saved, saved.lease))


def test_a_ring_moves_the_time_once_for_all_who_saw_it(world: World):
    run = queued(world)
    assert sum(race(lambda _racer: world.runs.ring(run, rung(run, NINE)))) == 1
    found = world.run(run.id)
    assert (found.rings, found.wake_at) == (1, NINE + timedelta(seconds=120))


def test_rings_come_less_and_less_often_and_a_lease_begins_anew():
    run = Run(ACME, RunId("r"), RunKind.NOW, RunStatus.QUEUED, MINA, "", NINE)
    waits = []
    for _ in range(9):
        run = rung(run, NINE)
        waits.append((run.wake_at - NINE).total_seconds())
    assert waits == [120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600]
    assert leased(run, "mine", NINE, TIMES).rings == 0


# --- the ledger


def test_a_call_is_started_once_and_answered_once(world: World):
    """F17"""
    mine = held(world)
    call = OutsideCall(0, "toolu_1", "send_mail", "hash", "key", CallState.STARTED, NINE)
    run = progressed(mine, NINE + timedelta(seconds=1), TIMES, usage=Usage(), progress="")
    world.runs.commit(RunCommit(run, mine.lease, call=call))
    assert world.runs.call(ACME, mine.id, 0, "toolu_1") == call
    assert world.runs.call(ACME, mine.id, 0, "toolu_2") is None
    again = progressed(run, NINE + timedelta(seconds=2), TIMES, usage=Usage(), progress="")
    with pytest.raises(LeaseLost):
        world.runs.commit(RunCommit(again, run.lease, call=call))
    done = replace(call, state=CallState.DONE, ended_at=NINE, result="sent")
    world.runs.commit(RunCommit(again, run.lease, call=done))
    assert world.runs.call(ACME, mine.id, 0, "toolu_1") == done
    later = progressed(again, NINE + timedelta(seconds=3), TIMES, usage=Usage(), progress="")
    with pytest.raises(LeaseLost):
        world.runs.commit(RunCommit(later, again.lease, call=replace(done, state=CallState.UNKNOWN)))


# --- notices


def owed(world: World) -> Notice:
    mine = held(world)
    over = end(mine, RunStatus.COMPLETED, "done", NINE)
    notice = ended_notice(over)
    world.runs.commit(RunCommit(over, mine.lease, notice=notice))
    return notice


def test_one_of_eight_sends_a_notice(world: World):
    ref = notice_ref(owed(world))
    claimed = race(lambda _racer: world.notices.claim(ref, NINE))
    assert sum(notice is not None for notice in claimed) == 1


def test_a_claim_of_a_notice_lasts_a_minute_and_the_old_one_cannot_be_settled_then(world: World):
    """F26"""
    notice = owed(world)
    ref = notice_ref(notice)
    first = world.notices.claim(ref, NINE)
    assert world.notices.claim(ref, NINE + timedelta(seconds=60)) is None
    second = world.notices.claim(ref, NINE + timedelta(seconds=61))
    assert second.tries == 2
    assert not world.notices.settle(first, replace(first, due=NINE + timedelta(minutes=2)))
    assert world.notices.settle(second, replace(second, due=None, sent_at=NINE))
    assert world.notices.claim(ref, NINE + timedelta(hours=1)) is None
    assert not any(_work(world, shard, NINE + timedelta(days=1)) for shard in range(SHARDS))


def test_a_notice_is_not_claimed_before_it_is_due(world: World):
    notice = owed(world)
    ref = notice_ref(notice)
    first = world.notices.claim(ref, NINE)
    later = NINE + timedelta(minutes=2)
    assert world.notices.settle(first, replace(first, due=later))
    assert world.notices.claim(ref, later - timedelta(seconds=1)) is None
    assert world.notices.claim(ref, later) is not None


def test_a_notice_that_nobody_owes_cannot_be_claimed(world: World):
    notice = Notice(ACME, MINA, NoticeKind.FAILED, "", "", None, RunId("none"), "failed", due=NINE)
    assert world.notices.claim(notice_ref(notice), NINE) is None


# --- phones


def test_a_phone_has_one_owner_and_the_former_one_loses_it_in_the_same_write(world: World):
    """F31"""
    from playbooks.application.identity import Caller
    from playbooks.domain.ids import UserId
    from playbooks.ports.push import Platform

    joon = Caller(ACME, UserId("joon"))
    world.use_devices.register(joon, Platform.FCM, "TOKEN-OF-MINA")
    assert world.devices.of_user(ACME, MINA) == []
    assert [device.token for device in world.devices.of_user(ACME, joon.user)] == ["TOKEN-OF-MINA"]
