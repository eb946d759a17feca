"""`kill -9` at the worst moments: what was committed comes to one end, and nothing happens twice."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from playbooks_local.stack import wait_until
from tests.e2e.conftest import ZONE

PLAYBOOKS = 100
STEP = {"kind": "organize", "instruction": "Say in short that there is nothing to compare."}
NO_INPUTS = dict.fromkeys(["database", "format", "source", "tool", "approver", "sql"], "")
NO_SCHEDULE = {
    "schedule_kind": "none",
    "schedule_unit": "once",
    "schedule_interval": 0,
    "schedule_time": "",
    "schedule_weekdays": [],
    "schedule_day": "",
    "schedule_zone": "",
}
CALL = {"title": "Nothing to compare", "steps": [{**STEP, **NO_INPUTS}], **NO_SCHEDULE}


@pytest.fixture
def slow_model(installation):
    """A model that takes two seconds, so that there is a middle of a step to be killed in."""
    installation.model.delay = 2.0
    yield installation.model
    installation.model.delay = 0.0


@pytest.fixture
def ticks(installation):
    """The scheduler, invoked every few seconds: the rule's own minute is too slow for a test."""
    over = threading.Event()

    def tick():
        while not over.wait(3):
            _ignoring(installation.stack.invoke, "SchedulerName")

    thread = threading.Thread(target=tick)
    thread.start()
    yield
    over.set()
    thread.join()


def test_a_step_runner_that_is_killed_in_mid_step_ends_in_one_finished_run(installation, playbook, slow_model, ticks):
    installation.stack.recorder.clear()
    answered = slow_model.answered
    run = installation.api.post(f"/v1/playbooks/{playbook}/runs", key=f"kill-{time.time_ns()}")["id"]
    assert wait_until(lambda: slow_model.answered > answered, timeout=60), "the step never asked the model"

    assert installation.stack.kill_workers("StepRunnerName") >= 1
    slow_model.delay = 0.0

    assert wait_until(lambda: shown(installation, run)["status"] == "completed", timeout=150), shown(installation, run)
    steps = shown(installation, run)["steps"]
    assert [step["step"] for step in steps] == [1, 2, 3]
    assert len(steps[0]["queries"]) == 1, "the query was run again after its result was saved"
    assert len(installation.stack.recorder.wait_for(1, 60)) == 1


def test_a_scheduler_killed_after_its_commit_and_runners_killed_at_random_leave_one_finished_run_each(
    installation, playbook, ticks
):
    due = (datetime.now(UTC) + timedelta(seconds=100)).replace(second=0, microsecond=0)
    installation.stack.recorder.clear()
    playbooks = playbooks_due_at(installation, due)
    time.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds() - 5))
    installation.bell.hold()
    try:
        # A tick's bell is held after its commit, and there it is killed: it never rang.
        assert installation.bell.knocked.wait(90)
        found = {one: statuses(installation, one) for one in playbooks}
        claimed = [one for one in playbooks if found[one]]
        assert claimed
        assert all(found[one] == ["queued"] for one in claimed)
        assert installation.stack.kill_workers("SchedulerName") >= 1
    finally:
        installation.bell.release()

    installation.model.delay = 0.3
    chance, killed = random.Random(20), 0
    until = time.monotonic() + 45
    while time.monotonic() < until:
        time.sleep(chance.uniform(0.5, 3))
        killed += installation.stack.kill_workers(chance.choice(["StepRunnerName", "StepRunnerName", "SchedulerName"]))
    installation.model.delay = 0.0
    assert killed > 5

    ends = {}
    assert wait_until(lambda: over(installation, playbooks, ends), timeout=240, every=3), ends
    assert all(found == ["completed"] for found in ends.values()), ends
    pushed = {
        push.platform("GCM")["fcmV1Message"]["message"]["data"]["link"]
        for push in installation.stack.recorder.wait_for(PLAYBOOKS, 90)
    }
    assert len(pushed) == PLAYBOOKS


def playbooks_due_at(installation, due):
    """Playbooks of one step, on and due at one minute."""
    local = due.astimezone(ZoneInfo(ZONE)).replace(tzinfo=None).isoformat(timespec="minutes")
    rule = {"start": local, "zone": ZONE, "unit": "days", "interval": 1}

    def make(number):
        made = installation.api.post("/v1/playbooks", CALL, key=f"kill-{number}-{local}")["id"]
        rev = installation.api.get(f"/v1/playbooks/{made}")["rev"]
        installation.api.put(f"/v1/playbooks/{made}/schedule", {"rev": rev, "rule": rule})
        installation.api.post(f"/v1/playbooks/{made}/enable")
        return made

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(make, range(PLAYBOOKS)))


def over(installation, playbooks, ends):
    """Whether every playbook's run is over; what each came to is put into `ends`."""
    for one in playbooks:
        if ends.get(one) != ["completed"]:
            ends[one] = statuses(installation, one)
    return all(found and not {"queued", "running"} & set(found) for found in ends.values())


def statuses(installation, playbook):
    return [run["status"] for run in installation.api.get(f"/v1/playbooks/{playbook}/runs")["runs"]]


def shown(installation, run):
    return installation.api.get(f"/v1/runs/{run}")


def _ignoring(call, *arguments):
    try:
        call(*arguments)
    except Exception as error:  # noqa: BLE001 - the function was killed, which is the point
        return error
    return None
