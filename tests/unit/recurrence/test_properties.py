"""Laws of recurrence, over rules and instants that hypothesis makes up."""

import itertools
from datetime import UTC, date, datetime, timedelta

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from playbooks.domain.recurrence import (
    HOUR_INTERVALS,
    MAX_INTERVAL,
    Rule,
    Unit,
    Weekday,
    next_after,
    occurrence_of,
    occurrences,
    parse_rule,
    rule_mapping,
)
from tests.unit.recurrence import package_zones

ZONES = st.sampled_from([name for name in package_zones.names() if "/" in name])
STARTS = st.datetimes(datetime(1970, 1, 2), datetime(2199, 12, 31)).map(
    lambda start: start.replace(second=0, microsecond=0, fold=0)
)
INSTANTS = st.datetimes(datetime(1970, 1, 2), datetime(2400, 1, 1), timezones=st.just(UTC))


@st.composite
def rules(draw: st.DrawFn, *, repeating: bool = False) -> Rule:
    unit = draw(st.sampled_from(Unit) if repeating else st.sampled_from((None, *Unit)))
    start, zone = draw(STARTS), draw(ZONES)
    if unit is None:
        return Rule(start, zone, None)
    interval = draw(st.sampled_from(HOUR_INTERVALS) if unit is Unit.HOURS else st.integers(1, MAX_INTERVAL[unit]))
    weekdays = draw(st.frozensets(st.sampled_from(Weekday), min_size=1)) if unit is Unit.WEEKS else frozenset()
    until = (
        None if repeating else draw(st.none() | st.integers(7, 4000).map(lambda days: start.date() + timedelta(days)))
    )
    return Rule(
        start, zone, unit, interval, weekdays, until if until is None or until.year < 2200 else date(2199, 12, 31)
    )


@given(rules(), INSTANTS)
def test_occurrences_are_strictly_increasing_and_later_than_what_was_asked(rule: Rule, instant: datetime) -> None:
    found = [instant, *(each.instant for each in occurrences(rule, instant, 12))]

    assert all(earlier < later for earlier, later in itertools.pairwise(found))


@given(rules(repeating=True), INSTANTS)
def test_next_after_never_returns_its_argument_nor_skips_what_lies_before_it(rule: Rule, instant: datetime) -> None:
    found = next_after(rule, instant)
    assert found is not None

    assert found.instant > instant
    assert next_after(rule, found.instant - timedelta.resolution) == found
    following = next_after(rule, found.instant)
    assert following is not None
    assert following.instant > found.instant


@given(rules(repeating=True), st.integers(0, 200 * 365 * 24 * 60), st.integers(1, 30))
@settings(max_examples=200)
def test_there_is_no_drift_over_200_years(rule: Rule, minutes: int, asked: int) -> None:
    """Stepping from occurrence to occurrence arrives where a fresh question does, and keeps to the anchor."""
    instant = rule.start.replace(tzinfo=UTC) + timedelta(minutes=minutes)
    assume(instant.year < 2400)
    stepped = occurrences(rule, instant, asked)[-1]

    fresh = next_after(Rule(**rule_fields(rule)), stepped.instant - timedelta(microseconds=1))
    assert fresh == stepped
    assert stepped.nominal.minute == rule.start.minute
    if rule.unit is not Unit.HOURS:
        assert stepped.nominal.time() == rule.start.time()
    if rule.unit in (Unit.MONTHS, Unit.YEARS):
        months = (stepped.nominal.year - rule.start.year) * 12 + stepped.nominal.month - rule.start.month
        assert months % (rule.interval * (12 if rule.unit is Unit.YEARS else 1)) == 0
        tomorrow = stepped.nominal + timedelta(days=1)
        assert stepped.nominal.day == rule.start.day or (stepped.nominal.day < rule.start.day and tomorrow.day == 1)


@given(rules(repeating=True), st.integers(0, 2400))
@example(parse_rule({"start": "2026-01-31T09:00", "zone": "America/New_York", "unit": "months"}), 2399)
def test_the_clock_on_the_wall_shows_the_nominal_time_unless_a_reason_is_given(rule: Rule, months: int) -> None:
    instant = rule.start.replace(tzinfo=UTC) + timedelta(days=30 * months)
    assume(instant.year < 2400)
    found = next_after(rule, instant)
    assert found is not None

    assert found.instant.astimezone(package_zones.zone(rule.zone)).replace(tzinfo=None, fold=0) == found.local
    moved = found.moved or ""
    assert (found.local != found.nominal) == ("does not exist" in moved)
    assert (found.pass_ == 1) == ("second of two" in moved)


@given(rules(repeating=True), st.lists(INSTANTS, min_size=2, max_size=6), st.integers(0, 400))
def test_what_a_rule_was_asked_before_changes_no_answer(rule: Rule, asked: list[datetime], days: int) -> None:
    asked += [instant + timedelta(days) for instant in asked]

    for instant in asked:
        assert next_after(rule, instant) == next_after(Rule(**rule_fields(rule)), instant)


@given(rules(), INSTANTS)
def test_a_stored_occurrence_is_found_again_by_its_nominal_time_and_pass(rule: Rule, instant: datetime) -> None:
    found = next_after(rule, instant)
    assume(found is not None)

    assert occurrence_of(rule, found.nominal, found.pass_) == found


@given(rules())
def test_a_rule_and_its_mapping_are_inverse(rule: Rule) -> None:
    assume(rule.until is None or next_after(rule, rule.start.replace(tzinfo=UTC) - timedelta(days=2)) is not None)

    assert parse_rule(rule_mapping(rule)) == rule


def rule_fields(rule: Rule) -> dict:
    return {name: getattr(rule, name) for name in ("start", "zone", "unit", "interval", "weekdays", "until")}
