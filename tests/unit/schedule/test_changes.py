"""Enabling, changing and recomputing: always later than now, never before what was claimed."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playbooks.domain.recurrence import next_after, occurrence_of, parse_rule, rule_mapping, zone_data_version
from playbooks.domain.schedule import (
    Claim,
    PreRunCheck,
    Schedule,
    change_rule,
    decide,
    disable,
    enable,
    recompute,
)
from playbooks.errors import Refused
from tests.unit.schedule.builders import at, older, on, schedule

NOW = st.datetimes(datetime(2025, 1, 1), datetime(2028, 1, 1)).map(lambda now: at(f"{now.isoformat()}+00:00"))


def test_enable_after_the_start__recurring_from_the_next_occurrence() -> None:
    enabled = enable(schedule(), at("2026-05-05T00:00+00:00"))

    assert enabled.next is not None
    assert enabled.next.instant == at("2026-05-06T00:00+00:00")


@pytest.mark.parametrize("now", ["2026-03-02T00:00+00:00", "2026-03-02T00:00:01+00:00", "2030-01-01T00:00+00:00"])
def test_enable_after_the_start__one_time_cannot_be_enabled(now: str) -> None:
    with pytest.raises(Refused) as refusal:
        enable(schedule(unit="once"), at(now))

    assert refusal.value.code == "start_in_past"
    assert refusal.value.findings[0].path == "/schedule/start"
    assert "2026-03-02 09:00 (Asia/Seoul)" in refusal.value.message


def test_a_recurring_schedule_whose_last_day_is_over_cannot_be_enabled() -> None:
    with pytest.raises(Refused) as refusal:
        enable(schedule(unit="days", until="2026-04-01"), at("2026-05-01T00:00+00:00"))

    assert refusal.value.code == "schedule_over"
    assert "2026-04-01" in refusal.value.message


def test_the_past__a_clock_that_went_back_does_not_repeat_what_was_claimed() -> None:
    claimed = decide(on(), at("2026-03-02T00:00+00:00"), PreRunCheck())
    assert isinstance(claimed, Claim)

    enabled = enable(disable(claimed.schedule_after), at("2026-02-01T00:00+00:00"))

    assert enabled.next is not None
    assert enabled.next.instant == at("2026-03-03T00:00+00:00")


def test_the_past__a_changed_rule_is_due_later_than_now_and_than_what_was_claimed() -> None:
    held = replace(on(), last_at=at("2026-03-05T00:00+00:00"))
    hourly = parse_rule({"start": "2026-01-01T00:00", "zone": "UTC", "unit": "hours"})

    changed = change_rule(held, hourly, at("2026-03-04T10:10+00:00"))

    assert changed.next is not None
    assert changed.next.instant == at("2026-03-05T01:00+00:00")


@pytest.mark.parametrize("more", [{"zone": "Asia/Tokyo"}, {"interval": 2}, {"start": "2026-03-02T09:01"}])
def test_a_change_of_rule_or_zone_makes_a_new_version(more: dict) -> None:
    held = on()
    changed = parse_rule({**rule_mapping(held.rule), **more})

    assert change_rule(held, changed, at("2026-03-01T00:00+00:00")).rule_version == 2


def test_a_change_while_off_leaves_it_off() -> None:
    changed = change_rule(schedule(), on(zone="UTC").rule, at("2026-03-01T00:00+00:00"))

    assert (changed.rule_version, changed.next) == (2, None)


def test_a_change_while_on_to_a_rule_that_is_over_is_refused() -> None:
    past = parse_rule({"start": "2020-01-01T09:00", "zone": "UTC"})

    with pytest.raises(Refused, match="choose a later time"):
        change_rule(on(), past, at("2026-03-01T00:00+00:00"))


@given(NOW)
def test_saving_the_same_rule_again_moves_nothing(now: datetime) -> None:
    """A title that changes saves the schedule as it is: no new version, no other anchor, the same next."""
    held = on()

    assert change_rule(held, parse_rule(rule_mapping(held.rule)), now) is held


@given(st.lists(st.tuples(st.booleans(), NOW), min_size=1, max_size=6), st.sampled_from(["hours", "days", "months"]))
def test_enabling_and_disabling_never_yields_an_occurrence_in_the_past(steps: list, unit: str) -> None:
    held = schedule(unit=unit, start="2025-06-30T02:30", zone="Europe/Berlin")
    for turn_on, now in steps:
        held = enable(held, now) if turn_on else disable(held)
        assert (held.next is not None) == turn_on
        if held.next is not None:
            assert held.next.instant > now
            decision = decide(held, held.next.instant, PreRunCheck())
            assert isinstance(decision, Claim)
            before, held = held.last_at, decision.schedule_after
            assert held.last_at is not None
            assert before is None or held.last_at > before


def test_zone_data__the_same_version_recomputes_nothing() -> None:
    held = on()

    assert recompute(held, at("2026-03-01T00:00+00:00")) is held


def test_zone_data__an_older_program_does_not_touch_what_a_newer_one_computed() -> None:
    held = older(on(), by=timedelta(hours=1), zone_data="2999z")

    assert recompute(held, at("2026-03-01T00:00+00:00")) is held


@pytest.mark.parametrize("hours", [-2, -1, 1, 2])
def test_zone_data__a_newer_version_keeps_the_nominal_time_and_moves_the_instant(hours: int) -> None:
    held = on()

    recomputed = recompute(older(held, by=timedelta(hours=hours)), at("2026-03-01T00:00+00:00"))

    assert recomputed.next == held.next
    assert recomputed.zone_data == zone_data_version()


def test_zone_data__what_newer_data_puts_into_the_past_gives_way_to_the_next() -> None:
    stored = older(on(), by=timedelta(hours=1))

    recomputed = recompute(stored, at("2026-03-02T00:30+00:00"))

    assert recomputed.next is not None
    assert recomputed.next.instant == at("2026-03-03T00:00+00:00")


def test_zone_data__what_was_claimed_is_not_due_again() -> None:
    stored = replace(older(on(), by=timedelta(hours=1)), last_at=at("2026-03-02T00:00+00:00"))

    recomputed = recompute(stored, at("2026-03-01T00:00+00:00"))

    assert recomputed.next is not None
    assert recomputed.next.instant == at("2026-03-03T00:00+00:00")


def test_zone_data__what_is_due_already_is_left_to_the_claim_decision() -> None:
    stored = older(on(), by=timedelta(hours=-1))

    assert recompute(stored, at("2026-03-02T00:05+00:00")) is stored


def test_zone_data__what_is_due_by_old_data_only_waits_for_its_true_time() -> None:
    stored = older(on(), by=timedelta(hours=-1))

    recomputed = recompute(stored, at("2026-03-01T23:05+00:00"))

    assert recomputed.next is not None
    assert recomputed.next.instant == at("2026-03-02T00:00+00:00")


def test_zone_data__a_schedule_that_is_off_notes_the_version() -> None:
    recomputed = recompute(replace(schedule(), zone_data="2025a"), at("2026-03-01T00:00+00:00"))

    assert (recomputed.next, recomputed.zone_data) == (None, zone_data_version())


@given(NOW, st.integers(-2000, 2000), st.none() | NOW)
def test_zone_data__recomputing_never_goes_into_the_past(now: datetime, minutes: int, last: datetime | None) -> None:
    enabled = enable(schedule(start="2025-01-01T02:30", zone="Europe/Berlin", unit="days"), now)
    stored = replace(older(enabled, by=timedelta(minutes=minutes)), last_at=last)

    recomputed = recompute(stored, now)

    assert recomputed.next is not None
    assert recomputed is stored or recomputed.next.instant > max(now, last or now)
    assert recomputed is not stored or stored.next is None or stored.next.instant <= now


def test_zone_data__a_stored_second_pass_keeps_its_place() -> None:
    hourly = on(start="2026-01-01T00:30", zone="Europe/Berlin", unit="hours", now="2026-10-25T01:00+00:00")
    assert hourly.next is not None
    assert (hourly.next.pass_, hourly.next.moved) == (1, "second of two 02:30")

    recomputed = recompute(older(hourly, by=timedelta(minutes=-10)), at("2026-10-25T01:00+00:00"))

    assert recomputed.next == hourly.next


def test_a_repeated_hours_second_pass_that_newer_data_took_away_gives_way_to_what_follows() -> None:
    rule = parse_rule({"start": "2026-01-01T00:30", "zone": "Asia/Seoul", "unit": "hours"})

    found = occurrence_of(rule, at("2026-03-02T02:30+00:00").replace(tzinfo=None), 1)

    assert found == next_after(rule, at("2026-03-01T17:29+00:00"))


def test_a_first_schedule_is_off_and_of_version_1() -> None:
    held = schedule()

    assert held == Schedule(held.rule, 1, None, None, zone_data_version(), None)
