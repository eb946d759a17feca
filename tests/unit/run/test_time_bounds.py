"""When a run is given up, from the pure rules."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from playbooks.domain.ids import RunId, TenantId, UserId
from playbooks.domain.run import (
    MAX_LEASES,
    LeaseTimes,
    Outcome,
    Run,
    RunKind,
    RunStatus,
    StepOutcome,
    decide,
    gone_in_circles,
    is_free,
    leased,
    overdue,
    progressed,
    renewed,
)
from playbooks.domain.usage import Usage

NINE = datetime(2026, 11, 30, 9, tzinfo=UTC)
TIMES = LeaseTimes()
QUEUED = Run(TenantId("acme"), RunId("r"), RunKind.NOW, RunStatus.QUEUED, UserId("mina"), "Report", NINE, step_count=2)


@pytest.mark.parametrize(("hours", "reason"), [(6, None), (6.01, "queued_too_long")])
def test_a_run_waits_for_its_first_worker_at_most_six_hours(hours: float, reason: str | None):
    assert overdue(QUEUED, NINE + timedelta(hours=hours)) == reason


@pytest.mark.parametrize(("hours", "reason"), [(9, None), (9.01, "deadline")])
def test_the_deadline_counts_from_the_first_lease_whatever_leases_follow(hours: float, reason: str | None):
    run = leased(QUEUED, "a", NINE + timedelta(hours=3), TIMES)
    run = leased(run, "b", NINE + timedelta(hours=8), TIMES)
    assert overdue(run, NINE + timedelta(hours=hours)) == reason


def test_a_run_that_waits_for_an_approval_has_the_approvals_time_and_not_its_own():
    run = leased(QUEUED, "a", NINE, TIMES)
    waiting = replace(run, status=RunStatus.WAITING, wake_at=NINE + timedelta(days=3))
    assert overdue(waiting, NINE + timedelta(days=2)) is None
    assert overdue(waiting, NINE + timedelta(days=3)) == "approval_expired"


def test_a_run_that_is_over_is_never_late():
    assert overdue(replace(QUEUED, status=RunStatus.COMPLETED), NINE + timedelta(days=9)) is None


def test_the_fourth_lease_without_a_checkpoint_is_one_too_many():
    run = QUEUED
    counts = []
    for _ in range(4):
        run = leased(run, "a", NINE, TIMES)
        counts.append(gone_in_circles(run))
    assert counts == [False, False, False, True]


def test_a_checkpoint_begins_the_count_anew_and_a_moved_lease_does_not():
    run = leased(leased(leased(QUEUED, "a", NINE, TIMES), "b", NINE, TIMES), "c", NINE, TIMES)
    assert gone_in_circles(leased(renewed(run, NINE, TIMES), "d", NINE, TIMES))
    saved = progressed(run, NINE, TIMES, usage=Usage(), progress="")
    assert not gone_in_circles(leased(saved, "d", NINE, TIMES))


def test_a_step_that_is_over_begins_the_count_anew():
    run = leased(leased(leased(QUEUED, "a", NINE, TIMES), "b", NINE, TIMES), "c", NINE, TIMES)
    after, _ = decide(run, StepOutcome(Outcome.DONE, "done"), NINE)
    assert not gone_in_circles(leased(after, "d", NINE, TIMES))
    assert (after.lease.fence, after.lease.until, after.wake_at) == (3, None, NINE)


def test_leases_that_all_save_something_come_to_an_end_too():
    run = QUEUED
    for _ in range(MAX_LEASES):
        run = progressed(leased(run, "a", NINE, TIMES), NINE, TIMES, usage=Usage(), progress="")
    assert not gone_in_circles(run)
    assert gone_in_circles(leased(run, "a", NINE, TIMES))


@pytest.mark.parametrize("status", [status for status in RunStatus if status.over] + [RunStatus.WAITING])
def test_only_a_queued_or_running_run_is_free(status: RunStatus):
    assert not is_free(replace(QUEUED, status=status), NINE + timedelta(days=1))
