"""What the store of owed notices promises, whatever table it lies on."""

from dataclasses import replace
from datetime import timedelta

import pytest

from playbooks.adapters.dynamodb.items import notice_ref
from playbooks.adapters.dynamodb.operations import Table
from playbooks.application.ends import ended_notice
from playbooks.domain.ids import RunId
from playbooks.domain.notice import Notice, NoticeKind
from playbooks.domain.run import RunStatus, end
from playbooks.ports.stores.runs import RunCommit
from playbooks.ports.stores.wake_index import SHARDS
from tests.contract.stores.given import NINE, held, work
from tests.contract.stores.racing import race
from tests.world import ACME, MINA, World


@pytest.fixture
def world(table: Table) -> World:
    return World(table=table).people()


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
    assert not any(work(world, shard, NINE + timedelta(days=1)) for shard in range(SHARDS))


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
