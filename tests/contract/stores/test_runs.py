"""What the store of runs and its ledger promise, whatever table they lie on."""

import time
from dataclasses import replace
from datetime import timedelta

import pytest

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.items import notice_ref
from playbooks.adapters.dynamodb.operations import Put, Table
from playbooks.application.ends import ended_notice
from playbooks.domain.ids import PlaybookId, RunId
from playbooks.domain.run import Run, RunKind, RunStatus, end, leased, progressed, rung
from playbooks.domain.usage import Usage
from playbooks.ports.stores.runs import CallState, Checkpoint, LeaseLost, OutsideCall, RunCommit
from playbooks.ports.stores.wake_index import SHARDS
from tests.contract.stores.given import NINE, TIMES, held, queued, work
from tests.contract.stores.racing import race
from tests.world import ACME, MINA, World


@pytest.fixture
def world(table: Table) -> World:
    return World(table=table).people()


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
    assert not any(work(world, shard, NINE - timedelta(minutes=1)) for shard in range(SHARDS))


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
