"""What a schedule promises, a test for each row; the rows about claims are in tests/unit/schedule."""

from datetime import datetime, timedelta

import pytest

from playbooks.domain.recurrence import HOUR_INTERVALS, Occurrence, Rule, next_after, occurrences, parse_rule
from playbooks.errors import Refused


def rule(start: str, zone: str, **more: object) -> Rule:
    return parse_rule({"start": start, "zone": zone, **more})


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def instants(found: tuple[Occurrence, ...]) -> list[str]:
    return [f"{each.instant:%Y-%m-%dT%H:%MZ}" for each in found]


def locals_(found: tuple[Occurrence, ...]) -> list[str]:
    return [f"{each.local:%m-%d %H:%M}" for each in found]


def test_anchor__occurrences_are_counted_from_the_start_never_from_the_previous_run() -> None:
    every_28_days = rule("2026-01-07T10:00", "Asia/Shanghai", unit="days", interval=28)

    asked_in_between = next_after(every_28_days, at("2026-02-20T11:11:11.5+00:00"))
    assert asked_in_between == occurrences(every_28_days, at("2026-01-07T02:00+00:00"), 2)[1]
    months = occurrences(rule("2021-08-31T09:00", "UTC", unit="months"), at("2021-08-31T09:00+00:00"), 7)
    assert [each.nominal.day for each in months] == [30, 31, 30, 31, 31, 28, 31]


def test_gap__a_time_that_does_not_exist_runs_once_moved_forward_by_the_gap() -> None:
    daily = rule("2016-03-01T02:30", "Europe/Berlin", unit="days")

    found = occurrences(daily, at("2016-03-26T01:30+00:00"), 2)
    assert locals_(found) == ["03-27 03:30", "03-28 02:30"]
    assert [each.moved for each in found] == ["moved: 02:30 does not exist", None]
    assert [each.offset for each in found] == [timedelta(hours=2)] * 2


def test_gap__a_move_to_another_date_says_which_date_is_missing() -> None:
    nuuk = rule("2024-03-01T23:30", "America/Nuuk", unit="days")

    moved = next_after(nuuk, at("2024-03-30T12:00+00:00"))
    assert moved is not None
    assert (moved.moved, moved.local) == ("moved: 2024-03-30 23:30 does not exist", datetime(2024, 3, 31, 0, 30))


def test_overlap__a_repeated_time_runs_once_at_its_first_pass() -> None:
    daily = rule("2015-10-01T02:30", "Europe/Berlin", unit="days")

    found = occurrences(daily, at("2015-10-24T12:00+00:00"), 2)
    assert instants(found) == ["2015-10-25T00:30Z", "2015-10-26T01:30Z"]
    assert [(each.pass_, each.moved) for each in found] == [(0, "first of two 02:30"), (0, None)]


def test_29th_to_31st__the_last_day_of_a_shorter_month_and_back_to_the_anchor_day_after() -> None:
    monthly = rule("2026-01-31T09:00", "Asia/Seoul", unit="months")

    found = occurrences(monthly, at("2026-01-31T00:00+00:00"), 3)
    assert locals_(found) == ["02-28 09:00", "03-31 09:00", "04-30 09:00"]
    assert [each.moved for each in found] == ["last day of month", None, "last day of month"]


def test_february_29__is_the_28th_in_common_years_and_the_29th_again_in_leap_years() -> None:
    yearly = rule("2096-02-29T00:00", "UTC", unit="years", interval=4)

    found = occurrences(yearly, at("2096-02-29T00:00+00:00"), 2)
    assert instants(found) == ["2100-02-28T00:00Z", "2104-02-29T00:00Z"]


def test_every_n_weeks__week_0_is_the_monday_week_of_the_first_picked_weekday_on_or_after_the_start() -> None:
    # The start is a Sunday: its own Monday-week holds no picked day any more, so the next one is week 0.
    found = occurrences(
        rule("2023-09-03T15:00", "UTC", unit="weeks", interval=2, weekdays=["mon", "thu"]),
        at("2023-09-03T15:00+00:00"),
        4,
    )
    assert locals_(found) == ["09-04 15:00", "09-07 15:00", "09-18 15:00", "09-21 15:00"]
    # The start is a Wednesday: Monday of week 0 is over and does not come back before week 2.
    found = occurrences(
        rule("2023-09-06T15:00", "UTC", unit="weeks", interval=2, weekdays=["mon", "thu"]),
        at("2023-09-01T00:00+00:00"),
        3,
    )
    assert locals_(found) == ["09-07 15:00", "09-18 15:00", "09-21 15:00"]


@pytest.mark.parametrize("interval", [0, 5, 7, 9, 10, 11, 13, 23, 25, 48])
def test_hours__an_interval_that_does_not_divide_the_day_is_refused_with_the_list(interval: int) -> None:
    with pytest.raises(Refused) as refusal:
        rule("2026-01-01T00:00", "UTC", unit="hours", interval=interval)

    assert refusal.value.findings[0].allowed == tuple(map(str, HOUR_INTERVALS))


def test_hours__slots_stay_on_the_wall_clock_on_both_sides_of_a_change() -> None:
    every_6_hours = rule("2025-01-01T03:00", "America/New_York", unit="hours", interval=6)

    found = occurrences(every_6_hours, at("2025-03-08T13:00+00:00"), 5)
    assert [text[6:] for text in locals_(found)] == ["09:00", "15:00", "21:00", "03:00", "09:00"]


def test_hours__a_gap_slot_moves_and_coinciding_runs_collapse_into_the_one_that_exists() -> None:
    hourly = rule("2025-01-01T00:00", "Antarctica/Troll", unit="hours", interval=1)

    found = occurrences(hourly, at("2025-03-30T00:00+00:00"), 3)
    assert locals_(found) == ["03-30 03:00", "03-30 04:00", "03-30 05:00"]
    assert [(each.nominal.hour, each.moved) for each in found] == [(3, None), (4, None), (5, None)]


@pytest.mark.parametrize(("interval", "passes"), [(1, [0, 1, 0]), (2, [0, 0, 0])])
def test_hours__a_repeated_slot_runs_again_only_when_the_interval_has_passed(interval: int, passes: list[int]) -> None:
    hours = rule("2025-01-01T01:00", "America/New_York", unit="hours", interval=interval)

    found = occurrences(hours, at("2025-11-02T04:30+00:00"), 3)
    assert [each.pass_ for each in found] == passes
    assert found[0].moved == "first of two 01:00"
    if interval == 1:
        assert (found[1].nominal, found[1].moved) == (found[0].nominal, "second of two 01:00")


def test_hours__the_interval_counts_from_the_occurrence_before_not_from_the_first_pass() -> None:
    # 02:00 went back to 23:00: slots 23:00 and 01:00 were repeated three hours after they had run.
    every_2_hours = rule("2010-01-01T01:00", "Antarctica/Casey", unit="hours", interval=2)

    found = occurrences(every_2_hours, at("2010-03-04T11:00+00:00"), 5)
    assert instants(found)[:4] == ["2010-03-04T12:00Z", "2010-03-04T14:00Z", "2010-03-04T17:00Z", "2010-03-04T19:00Z"]
    assert [each.pass_ for each in found] == [0, 0, 1, 0, 0]


def test_set__a_missing_day_yields_one_run() -> None:
    daily = rule("2011-12-01T09:00", "Pacific/Apia", unit="days")

    found = occurrences(daily, at("2011-12-29T18:00+00:00"), 3)
    assert instants(found) == ["2011-12-29T19:00Z", "2011-12-30T19:00Z", "2011-12-31T19:00Z"]
    assert [f"{each.nominal:%m-%d}" for each in found] == ["12-29", "12-31", "01-01"]


def test_until__is_the_last_local_date_and_then_the_rule_has_ended() -> None:
    daily = rule("2026-03-02T23:30", "Asia/Seoul", unit="days", until="2026-03-04")

    assert locals_(occurrences(daily, at("2026-01-01T00:00+00:00"), 9)) == [
        "03-02 23:30",
        "03-03 23:30",
        "03-04 23:30",
    ]
    assert next_after(daily, at("2026-03-04T14:30+00:00")) is None


@pytest.mark.parametrize(
    "more",
    [
        {"unit": "hours"},
        {"unit": "days"},
        {"unit": "days", "interval": 366},
        {"unit": "weeks", "interval": 52, "weekdays": ["mon"]},
        {"unit": "months"},
        {"unit": "years", "interval": 10},
    ],
)
def test_the_calendar_ends_without_an_error(more: dict) -> None:
    endless = rule("2199-12-31T23:59", "Pacific/Kiritimati", **more)
    for before_the_end in (0, 1, 2, 3, 5, 100, 365, 3660):
        instant = at("9999-12-31T23:59:59+00:00") - timedelta(days=before_the_end)
        found = next_after(endless, instant)
        assert found is None or found.instant > instant
    assert found is not None


@pytest.mark.parametrize("more", [{}, {"unit": "hours"}, {"unit": "days"}, {"unit": "months"}])
@pytest.mark.parametrize("zone", ["America/New_York", "Pacific/Kiritimati"])
def test_the_calendar_begins_without_an_error(zone: str, more: dict) -> None:
    found = rule("2026-03-02T09:00", zone, **more)
    first = next_after(found, at("2026-01-01T00:00+00:00"))
    assert first is not None

    for beginning in ("0001-01-01T00:00+00:00", "0001-01-01T00:00+14:00", "0001-01-03T00:00-12:00"):
        assert next_after(found, at(beginning)) == first
    assert next_after(found, at("9999-12-31T23:59-14:00")) is None


@pytest.mark.parametrize("more", [{}, {"unit": "hours"}, {"unit": "days"}, {"unit": "months"}])
def test_a_naive_instant_is_a_type_error(more: dict) -> None:
    with pytest.raises(TypeError, match="aware"):
        next_after(rule("2026-01-01T00:00", "UTC", **more), datetime(2026, 1, 1))


def test_an_instant_in_any_zone_gives_the_same_answer() -> None:
    daily = rule("2026-03-02T09:00", "America/New_York", unit="days")

    assert next_after(daily, at("2026-11-01T13:59+00:00")) == next_after(daily, at("2026-11-01T22:59+09:00"))
    assert next_after(daily, at("2026-07-01T13:00+00:00")) == next_after(daily, at("2026-07-02T03:00+14:00"))
