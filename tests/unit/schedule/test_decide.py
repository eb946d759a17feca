"""The claim decision: what becomes of a schedule that is due."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playbooks.domain.recurrence import next_after, occurrences, zone_data_version
from playbooks.domain.schedule import (
    GRACE,
    Block,
    Claim,
    NotDue,
    PreRunCheck,
    Reason,
    Skip,
    SkipReason,
    SwitchOff,
    decide,
    disable,
    late_at_first_lease,
    lateness_seconds,
)
from tests.unit.schedule.builders import at, on, schedule

FINE = PreRunCheck()
NO_GRANT = Reason("no_grant", "You may no longer use the database shop.")
OVER_LIMIT = Reason("over_limit", "The month's usage limit is reached.")


def test_what_is_due_is_claimed_and_the_schedule_moves_on() -> None:
    held = on()

    decision = decide(held, at("2026-03-02T00:00+00:00"), FINE)

    assert isinstance(decision, Claim)
    assert decision.occurrence == held.next
    after = decision.schedule_after
    assert after.next is not None
    assert after.next.instant == at("2026-03-03T00:00+00:00")
    assert after.last_at == at("2026-03-02T00:00+00:00")
    assert (after.rule, after.rule_version, after.last_run) == (held.rule, 1, None)


def test_nothing_is_due_before_its_time_or_while_off_or_over() -> None:
    held = on()

    assert decide(held, at("2026-03-01T23:59:59.999999+00:00"), FINE) == NotDue()
    assert decide(disable(held), at("2026-03-09T00:00+00:00"), FINE) == NotDue()


def test_late__exactly_ten_minutes_still_runs() -> None:
    decision = decide(on(), at("2026-03-02T00:10:00+00:00"), FINE)

    assert isinstance(decision, Claim)


@pytest.mark.parametrize(("now", "seconds"), [("00:10:00.000001", 601), ("00:10:01", 601), ("00:10:59.5", 660)])
def test_late__anything_more_than_ten_minutes_does_not_run(now: str, seconds: int) -> None:
    held = on()

    decision = decide(held, at(f"2026-03-02T{now}+00:00"), FINE)

    assert isinstance(decision, Skip)
    assert (decision.reason, decision.count, decision.lateness_seconds) == (SkipReason.LATE, 1, seconds)
    assert decision.first == decision.last == held.next
    assert decision.schedule_after.next is not None
    assert decision.schedule_after.next.instant == at("2026-03-03T00:00+00:00")
    assert decision.schedule_after.last_at == at("2026-03-02T00:00+00:00")


def test_late__an_outage_leaves_one_skip_with_the_count_and_goes_on_with_what_is_not_late() -> None:
    held = on(start="2026-03-02T00:00", zone="UTC", unit="hours", interval=1, now="2026-03-01T23:59+00:00")

    decision = decide(held, at("2026-03-02T05:09+00:00"), FINE)

    assert isinstance(decision, Skip)
    assert (decision.count, decision.reason, decision.lateness_seconds) == (5, SkipReason.LATE, 5 * 3600 + 540)
    assert [each.instant.hour for each in (decision.first, decision.last)] == [0, 4]
    after = decision.schedule_after
    assert after.last_at == at("2026-03-02T04:00+00:00")
    assert after.next is not None
    assert after.next.instant == at("2026-03-02T05:00+00:00")
    assert isinstance(decide(after, at("2026-03-02T05:09+00:00"), FINE), Claim)


def test_late__a_one_time_schedule_ends() -> None:
    decision = decide(on(unit="once"), at("2026-03-02T00:11+00:00"), FINE)

    assert isinstance(decision, Skip)
    assert (decision.count, decision.schedule_after.next) == (1, None)


def test_late__comes_before_every_other_reason() -> None:
    check = PreRunCheck(previous_over=False, block=NO_GRANT, switch_off=OVER_LIMIT)

    decision = decide(on(), at("2026-03-02T00:11+00:00"), check)

    assert isinstance(decision, Skip)
    assert decision.reason is SkipReason.LATE


def test_late__a_run_first_taken_up_too_late_does_not_start() -> None:
    occurrence = at("2026-03-02T00:00+00:00")

    assert late_at_first_lease(occurrence, at("2026-03-02T00:10:00+00:00")) is None
    assert late_at_first_lease(occurrence, at("2026-03-02T00:10:01+00:00")) == 601
    assert late_at_first_lease(occurrence, at("2026-03-01T23:59:00+00:00")) is None
    assert lateness_seconds(occurrence, at("2026-03-01T23:59:00+00:00")) == 0


def test_previous_run_not_over__this_occurrence_is_skipped() -> None:
    held = on()

    decision = decide(held, at("2026-03-02T00:00:30+00:00"), PreRunCheck(previous_over=False, block=NO_GRANT))

    assert isinstance(decision, Skip)
    assert (decision.reason, decision.count, decision.lateness_seconds) == (SkipReason.OVERLAP, 1, 30)
    assert decision.first == decision.last == held.next
    assert decision.schedule_after.next is not None
    assert decision.schedule_after.next.instant == at("2026-03-03T00:00+00:00")


def test_a_one_time_schedule_is_over_after_its_occurrence() -> None:
    decision = decide(on(unit="once"), at("2026-03-02T00:00+00:00"), FINE)

    assert isinstance(decision, Claim)
    assert decision.schedule_after.next is None
    assert decide(decision.schedule_after, at("2026-03-02T00:00+00:00"), FINE) == NotDue()


def test_what_blocks_an_occurrence_leaves_the_schedule_on() -> None:
    decision = decide(on(), at("2026-03-02T00:00+00:00"), PreRunCheck(block=NO_GRANT))

    assert isinstance(decision, Block)
    assert decision.reason == NO_GRANT
    assert decision.schedule_after.next is not None


def test_what_switches_the_playbook_off_leaves_nothing_due() -> None:
    decision = decide(on(), at("2026-03-02T00:00+00:00"), PreRunCheck(block=NO_GRANT, switch_off=OVER_LIMIT))

    assert isinstance(decision, SwitchOff)
    assert decision.reason == OVER_LIMIT
    assert decision.schedule_after.next is None
    assert decision.schedule_after.last_at == at("2026-03-02T00:00+00:00")


def test_the_same_nominal_time_is_not_claimed_twice_when_newer_zone_data_puts_it_later() -> None:
    held = on()
    assert held.next is not None
    # An older program took 09:00 in Seoul to be 23:00Z; this one knows it is 00:00Z.
    early = replace(held, next=replace(held.next, instant=at("2026-03-01T23:00+00:00")), zone_data="2025a")

    decision = decide(early, at("2026-03-01T23:00+00:00"), FINE)

    assert isinstance(decision, Claim)
    assert decision.schedule_after.next is not None
    assert decision.schedule_after.next.nominal.day == 3
    assert decision.schedule_after.zone_data == zone_data_version()


def test_preview__the_next_five_are_the_ones_the_scheduler_claims() -> None:
    now = at("2026-03-27T12:00+00:00")
    held = on(start="2026-03-01T02:30", zone="Europe/Berlin", unit="days", now=now.isoformat())
    preview = occurrences(held.rule, now, 5)

    claimed = []
    while len(claimed) < 5:
        now += timedelta(minutes=1)
        decision = decide(held, now, FINE)
        if isinstance(decision, Claim):
            claimed.append(decision.occurrence)
            held = decision.schedule_after

    assert tuple(claimed) == preview
    assert [each.moved for each in preview] == [None, "moved: 02:30 does not exist", None, None, None]
    assert len({each.offset for each in preview}) == 2


@given(
    st.integers(0, 5 * 86_400),
    st.sampled_from([1, 2, 6, 24]),
    st.builds(PreRunCheck, st.booleans(), st.sampled_from([None, NO_GRANT]), st.sampled_from([None, OVER_LIMIT])),
)
def test_every_due_occurrence_is_accounted_for_once(seconds: int, interval: int, check: PreRunCheck) -> None:
    held = on(
        start="2026-03-27T00:30", zone="Europe/Berlin", unit="hours", interval=interval, now="2026-03-27T00:00+00:00"
    )
    now = at("2026-03-27T00:00+00:00") + timedelta(seconds=seconds)
    accounted = []
    while not isinstance(decision := decide(held, now, check), NotDue):
        first = held.next
        assert first is not None
        count = decision.count if isinstance(decision, Skip) else 1
        accounted += [first, *occurrences(held.rule, first.instant, count - 1)]
        held = decision.schedule_after
        assert held.last_at == accounted[-1].instant
        if isinstance(decision, Claim):
            assert now - decision.occurrence.instant <= GRACE
        if isinstance(decision, SwitchOff):
            break
    expected = list(occurrences(held.rule, at("2026-03-27T00:00+00:00"), len(accounted) + 1))
    assert accounted == expected[:-1]
    if held.next is not None:
        assert held.next == expected[-1]
        assert held.next.instant > now


def test_the_decision_changes_nothing_it_was_given() -> None:
    held = on()
    twin = replace(held)

    first = decide(held, at("2026-03-02T00:00+00:00"), FINE)

    assert held == twin
    assert decide(held, at("2026-03-02T00:00+00:00"), FINE) == first


def test_an_unsaved_schedule_that_is_off_has_no_next() -> None:
    assert schedule().next is None
    assert next_after(schedule().rule, at("2026-03-01T00:00+00:00")) is not None
