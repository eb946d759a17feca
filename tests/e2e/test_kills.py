"""`kill -9` at the worst moments: what was committed comes to one end, and nothing happens twice."""

import threading
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from playbooks_local.stack import wait_until
from tests.e2e.conftest import ZONE

PLAYBOOKS = 8


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
            installation.stack.invoke("SchedulerName")

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


def test_a_scheduler_that_is_killed_after_its_commit_leaves_one_run_for_each(installation, playbook):
    due = (datetime.now(UTC) + timedelta(seconds=75)).replace(second=0, microsecond=0)
    copies = copies_due_at(installation, playbook, due)
    installation.bell.hold()
    try:
        # The tick's bell is held after its commit, and there it is killed: it never rang.
        assert installation.bell.knocked.wait((due - datetime.now(UTC)).total_seconds() + 75)
        found = {copy: statuses(installation, copy) for copy in copies}
        claimed = [copy for copy in copies if found[copy]]
        assert claimed
        assert all(found[copy] == ["queued"] for copy in claimed)
        assert installation.stack.kill_workers("SchedulerName") >= 1
    finally:
        installation.bell.release()

    deadline = time.monotonic() + 150
    ends: dict[str, list[str]] = {}
    while time.monotonic() < deadline:
        ends = {copy: statuses(installation, copy) for copy in copies}
        if all(found == ["completed"] for found in ends.values()):
            break
        _ignoring(installation.stack.invoke, "SchedulerName")
        time.sleep(3)
    assert all(found == ["completed"] for found in ends.values()), ends


def copies_due_at(installation, playbook, due):
    """Playbooks of one organize step, on and due at one minute: made by converting the chat again and cutting it."""
    local = due.astimezone(ZoneInfo(ZONE)).replace(tzinfo=None).isoformat(timespec="minutes")
    conversation = installation.api.get(f"/v1/playbooks/{playbook}")["conversation"]
    asked = [
        installation.api.post(f"/v1/conversations/{conversation}/playbook", {}, key=f"copy-{n}-{time.time_ns()}")["id"]
        for n in range(PLAYBOOKS)
    ]
    made = []
    for id_ in asked:
        path = f"/v1/conversions/{id_}"
        assert wait_until(lambda path=path: installation.api.get(path)["playbook"], timeout=60)
        made.append(installation.api.get(path)["playbook"])
    for copy in made:
        step = {"id": "s1", "kind": "organize", "instruction": "Say in short that there is nothing to compare."}
        installation.api.put(f"/v1/playbooks/{copy}", {"rev": 1, "title": f"Copy {copy}", "steps": [step]})
        rule = {"start": local, "zone": ZONE, "unit": "days", "interval": 1}
        installation.api.put(f"/v1/playbooks/{copy}/schedule", {"rev": 2, "rule": rule})
        installation.api.post(f"/v1/playbooks/{copy}/enable")
    return made


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
