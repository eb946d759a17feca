"""The ledger of outside calls, and what a worker does when one goes wrong."""

from datetime import timedelta

import pytest

from playbooks.application.agent_loop import WorkFailed
from playbooks.application.lease import HeldRun
from playbooks.application.outside_calls import call_once
from playbooks.application.steps.context import StepContext, StepWork
from playbooks.domain.run import Outcome, RunStatus
from playbooks.errors import Unavailable
from playbooks.ports.model import ToolCall, ToolResult
from playbooks.ports.stores.runs import CallState
from tests.world import ACME, World, steps

CALL = ToolCall("toolu_1", "send_mail", {"to": "team"})


class Gone(BaseException):
    """The process is killed."""


class Mail:
    """An outside tool that answers, stays silent, or takes the process with it."""

    def __init__(self, *, takes_key: bool, fate: str = "answers") -> None:
        self.takes_key, self.fate = takes_key, fate
        self.sent: list[str] = []

    def step(self, held: HeldRun, _context: StepContext) -> StepWork:
        result = call_once(held, CALL, takes_key=self.takes_key, make=self._make)
        return StepWork(Outcome.DONE, result.content)

    def _make(self, key: str) -> ToolResult:
        fate, self.fate = self.fate, "answers"
        self.sent.append(key)
        if fate == "killed":
            raise Gone
        if fate == "silent":
            raise Unavailable("no answer")
        return ToolResult(CALL.id, "sent")


def run_with(mail: Mail) -> tuple[World, str]:
    world = World(execute=mail.step).people()
    world.playbook(steps=steps(1))
    run = world.use_runs.run_now(world.mina, "p1", "key")
    return world, run.id


def deliver(world: World, run: str) -> None:
    try:
        world.worker.work(ACME, run, until=world.clock.now() + timedelta(seconds=900))
    except Gone:
        world.clock.forward(minutes=6)


@pytest.mark.parametrize("takes_key", [True, False])
def test_a_call_that_answers_is_made_once_and_its_result_kept(takes_key: bool):
    mail = Mail(takes_key=takes_key)
    world, run = run_with(mail)
    deliver(world, run)
    assert world.run(run).status is RunStatus.COMPLETED
    assert len(mail.sent) == 1
    kept = world.runs.call(ACME, run, 0, CALL.id)
    assert (kept.state, kept.result, kept.tool) == (CallState.DONE, "sent", "send_mail")


def test_a_kill_after_the_call_repeats_it_under_the_same_key():
    """F17"""
    mail = Mail(takes_key=True, fate="killed")
    world, run = run_with(mail)
    deliver(world, run)
    deliver(world, run)
    assert world.run(run).status is RunStatus.COMPLETED
    assert len(mail.sent) == 2
    assert len(set(mail.sent)) == 1


def test_a_kill_after_a_call_without_a_key_ends_the_run_and_asks_a_person_to_look():
    """F17"""
    mail = Mail(takes_key=False, fate="killed")
    world, run = run_with(mail)
    deliver(world, run)
    deliver(world, run)
    found = world.run(run)
    assert (found.status, found.reason_code) == (RunStatus.FAILED, "outcome_unknown")
    assert "Check this by hand" in found.reason
    assert len(mail.sent) == 1
    assert world.runs.call(ACME, run, 0, CALL.id).state is CallState.UNKNOWN
    assert "Check this by hand" in world.push.published[-1][1].body


def test_silence_of_a_tool_without_a_key_is_not_asked_again():
    mail = Mail(takes_key=False, fate="silent")
    world, run = run_with(mail)
    deliver(world, run)
    assert world.run(run).reason_code == "outcome_unknown"
    assert len(mail.sent) == 1


def test_silence_of_a_tool_with_a_key_is_asked_again_later_under_the_same_key():
    mail = Mail(takes_key=True, fate="silent")
    world, run = run_with(mail)
    deliver(world, run)
    assert world.run(run).status is RunStatus.RUNNING
    world.clock.forward(minutes=2)
    deliver(world, run)
    assert world.run(run).status is RunStatus.COMPLETED
    assert len(set(mail.sent)) == 1


def test_a_result_too_long_to_keep_is_cut_and_says_so():
    class Chatty(Mail):
        def _make(self, key: str) -> ToolResult:
            return ToolResult(CALL.id, "가" * 400_000)

    world, run = run_with(Chatty(takes_key=False))
    deliver(world, run)
    assert world.runs.call(ACME, run, 0, CALL.id).result.endswith("… (cut)")


# --- the worker around it


def test_a_step_that_kills_every_worker_fails_after_three_leases_with_one_push():
    """F22"""
    leases = []

    def poison(held: HeldRun, _context: StepContext) -> StepWork:
        leases.append(held.run.lease.fence)
        raise Gone

    world = World(execute=poison).people()
    world.playbook(steps=steps(1))
    run = world.use_runs.run_now(world.mina, "p1", "key").id
    for _ in range(6):
        deliver(world, run)
    assert leases == [1, 2, 3]
    assert (world.run(run).status, world.run(run).reason_code) == (RunStatus.FAILED, "no_progress")
    assert len(world.push.published) == 1


def test_a_second_message_for_a_run_under_work_does_nothing():
    """F12, F13"""
    worked = []

    def slow(held: HeldRun, _context: StepContext) -> StepWork:
        worked.append(held.run.lease.fence)
        world.worker.work(ACME, held.run.id, until=world.clock.now() + timedelta(seconds=900))
        return StepWork(Outcome.DONE, "done")

    world = World(execute=slow).people()
    world.playbook(steps=steps(1))
    run = world.use_runs.run_now(world.mina, "p1", "key").id
    deliver(world, run)
    deliver(world, run)
    assert worked == [1]


def test_a_worker_that_wakes_after_its_lease_is_over_writes_pushes_and_rings_nothing():
    """F19"""

    def stalls(held: HeldRun, _context: StepContext) -> StepWork:
        if held.run.lease.fence == 1:
            world.clock.forward(minutes=6)
            world.worker.work(ACME, held.run.id, until=world.clock.now() + timedelta(seconds=900))
        return StepWork(Outcome.DONE, f"done under fence {held.run.lease.fence}")

    world = World(execute=stalls).people()
    world.playbook(steps=steps(1))
    run = world.use_runs.run_now(world.mina, "p1", "key").id
    world.doorbell.rings.clear()
    deliver(world, run)
    assert world.run(run).reason == "done under fence 2"
    assert [message.body for _, message in world.push.published] == ["Completed: done under fence 2"]
    assert world.doorbell.rings == []
    assert ("lease_lost", {"run": run}) in world.telemetry.events


def test_effects_that_follow_each_other_without_a_save_move_the_lease_and_stay_without_progress():
    seen = []

    def two_long_calls(held: HeldRun, _context: StepContext) -> StepWork:
        for _ in range(2):
            held.check_time()
            world.clock.forward(seconds=230)
            seen.append(held.run.lease.until - world.clock.now())
        return StepWork(Outcome.DONE, "done")

    world = World(execute=two_long_calls).people()
    world.playbook(steps=steps(1))
    run = world.use_runs.run_now(world.mina, "p1", "key").id
    deliver(world, run)
    assert min(seen) > timedelta(0)
    assert world.run(run).lease.without_progress == 1


def test_a_worker_whose_time_is_nearly_over_saves_frees_and_rings():
    """F15"""

    def long_work(held: HeldRun, _context: StepContext) -> StepWork:
        for _ in range(4):
            held.check_time()
            world.clock.forward(seconds=220)
        return StepWork(Outcome.DONE, "done")

    world = World(execute=long_work).people()
    world.playbook(steps=steps(1))
    run = world.use_runs.run_now(world.mina, "p1", "key").id
    world.doorbell.rings.clear()
    deliver(world, run)
    found = world.run(run)
    assert (found.lease.until, found.wake_at) == (None, world.clock.now())
    assert [name for _, name, _ in world.doorbell.rings] == [run]


def test_a_bell_that_fails_after_a_step_leaves_the_run_to_the_tick():
    """F21"""
    world = World().people()
    world.playbook(steps=steps(2))
    run = world.use_runs.run_now(world.mina, "p1", "key").id
    ring, world.doorbell.ring = world.doorbell.ring, _silent
    deliver(world, run)
    world.doorbell.ring = ring
    world.doorbell.rings.clear()
    assert (world.run(run).cursor, world.run(run).wake_at) == (1, world.clock.now())
    world.tick()
    world.deliver()
    assert world.run(run).status is RunStatus.COMPLETED


def _silent(_runs):
    raise Unavailable("SQS did not take the doorbells")


def test_a_run_first_taken_up_too_late_is_skipped_even_when_the_first_to_see_it_died():
    world = World().people()
    playbook = world.playbook(steps=steps(1))
    world.clock.at = world.clock.at.replace(hour=9)
    world.tick()
    (run,) = world.runs_of(playbook)
    world.clock.forward(minutes=10, seconds=1)
    commit, world.runs.commit = world.runs.commit, _killed
    deliver(world, run.id)
    world.runs.commit = commit
    deliver(world, run.id)
    found = world.run(run.id)
    assert (found.status, found.reason_code, found.late_seconds > 600) == (RunStatus.SKIPPED, "late", True)


def _killed(_commit):
    raise Gone


def test_a_step_that_fails_for_good_ends_the_run_with_its_reason():
    def fails(_held: HeldRun, _context: StepContext) -> StepWork:
        raise WorkFailed("The model declined to do this.", code="model_refused")

    world = World(execute=fails).people()
    world.playbook(steps=steps(1))
    run = world.use_runs.run_now(world.mina, "p1", "key").id
    deliver(world, run)
    assert (world.run(run).status, world.run(run).reason_code) == (RunStatus.FAILED, "model_refused")


def test_a_push_service_that_throttles_gets_the_notice_ten_times_and_is_then_given_up():
    from playbooks.ports.push import PushThrottled

    def throttles(_device, _message):
        raise PushThrottled("patience")

    world = World().people()
    world.playbook(steps=steps(1))
    run = world.use_runs.run_now(world.mina, "p1", "key").id
    world.push.publish = throttles
    deliver(world, run)
    for _ in range(400):
        world.clock.forward(minutes=1)
        world.tick()
    (note,) = [item for item in world.table.items() if item["SK"] == "NOTE#completed"]
    assert (note["tries"], "sent_at" in note, "wake_pk" in note) == (10, False, False)
    assert world.telemetry.counts["NoticesGivenUp"] == 1
