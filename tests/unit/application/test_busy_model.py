"""A model that is busy: the run is given back for as long as the server asks, then goes on, and only once."""

import itertools
from contextlib import suppress
from datetime import timedelta

import pytest

from playbooks.application.steps.context import StepWork
from playbooks.domain.run import MAX_LEASES_WITHOUT_PROGRESS, MAX_RUNNING, Outcome, RunStatus
from playbooks.domain.usage import Usage
from playbooks.ports.model import ModelBusy
from tests.world import World, steps


class Killed(BaseException):
    """The worker is gone in mid-step."""


class Busy:
    """A step whose model is busy so many times, asking to wait so long."""

    def __init__(self, times, retry_after):
        self.times, self.retry_after, self.asked = times, retry_after, 0

    def __call__(self, held, context):
        self.asked += 1
        if self.asked <= self.times:
            raise ModelBusy("The model is overloaded.", retry_after=self.retry_after)
        return StepWork(Outcome.DONE, "done")


def started(busy):
    world = World(execute=busy).people()
    playbook = world.playbook(steps=steps(1), on=False)
    run = world.use_runs.run_now(world.mina, playbook, "key")
    world.deliver()
    return world, run.id


@pytest.mark.parametrize("asked", [timedelta(seconds=1), timedelta(seconds=120), timedelta(hours=1)])
def test_the_run_waits_as_long_as_the_server_asks_and_is_rung_by_the_tick(asked):
    busy = Busy(1, asked)
    world, run = started(busy)
    waiting = world.run(run)
    assert (waiting.status, waiting.lease.until, waiting.wake_at) == (
        RunStatus.RUNNING,
        None,
        world.clock.now() + asked,
    )
    world.clock.forward(seconds=asked.total_seconds() - 0.5)
    world.tick()
    assert (world.deliver(), busy.asked) == (0, 1)
    world.clock.forward(seconds=0.5)
    world.tick()
    world.deliver()
    assert (world.run(run).status, busy.asked) == (RunStatus.COMPLETED, 2)


def test_waits_that_the_server_asks_for_are_no_going_in_circles():
    busy = Busy(MAX_LEASES_WITHOUT_PROGRESS * 3, timedelta(minutes=1))
    world, run = started(busy)
    for _ in range(busy.times):
        world.clock.forward(minutes=1)
        world.tick()
        world.deliver()
    assert world.run(run).status is RunStatus.COMPLETED


def test_a_wait_after_something_was_saved_earns_no_more_tries_than_there_are():
    def saves_then_busy(held, _context):
        held.save(0, {}, usage=Usage())
        raise ModelBusy("The model is overloaded.", retry_after=timedelta(seconds=30))

    world, run = started(saves_then_busy)
    assert world.run(run).lease.without_progress == 0


def test_leases_that_were_lost_still_count_when_the_server_asks_to_wait_between_them():
    asked = itertools.count()

    def kills_then_busy(_held, _context):
        if next(asked) % 2 == 0:
            raise Killed
        raise ModelBusy("The model is overloaded.", retry_after=timedelta(seconds=30))

    world = World(execute=kills_then_busy).people()
    run = world.use_runs.run_now(world.mina, world.playbook(steps=steps(1), on=False), "key")
    for _ in range(MAX_LEASES_WITHOUT_PROGRESS * 2 + 1):
        with suppress(Killed):
            world.deliver()
        world.clock.forward(minutes=10)
        world.tick()
    world.deliver()
    ended = world.run(run.id)
    assert (ended.status, ended.reason_code) == (RunStatus.FAILED, "no_progress")


def test_a_server_that_never_says_how_long_ends_the_run_after_several_tries_with_its_words():
    world, run = started(Busy(100, None))
    for _ in range(MAX_LEASES_WITHOUT_PROGRESS):
        world.clock.forward(minutes=15)
        world.tick()
        world.deliver()
    ended = world.run(run)
    assert (ended.status, ended.reason_code) == (RunStatus.FAILED, "no_progress")
    assert "overloaded" in ended.reason


def test_a_wait_never_outlives_the_run():
    world, run = started(Busy(100, timedelta(hours=20)))
    assert world.run(run).wake_at == world.clock.now() + MAX_RUNNING
    world.clock.forward(hours=6, minutes=1)
    world.tick()
    world.deliver()
    assert (world.run(run).status, world.run(run).reason_code) == (RunStatus.FAILED, "deadline")


def test_after_success_a_second_ring_asks_nothing():
    busy = Busy(1, timedelta(seconds=30))
    world, run = started(busy)
    world.clock.forward(seconds=31)
    world.tick()
    world.doorbell.rings *= 3
    world.deliver()
    assert (world.run(run).status, busy.asked) == (RunStatus.COMPLETED, 2)
