"""Schedules, periods and dates in words, by cases."""

import json
from datetime import date
from pathlib import Path

import pytest

from playbooks_local.standin_model.headers import header
from playbooks_local.standin_model.moving_dates import dated, shifted
from playbooks_local.standin_model.periods import find_period
from playbooks_local.standin_model.requirement import read_requirement
from playbooks_local.standin_model.schedule_words import find_schedule


def cases(name):
    return json.loads(Path(__file__).with_name(name).read_text())


@pytest.mark.parametrize(("text", "expected"), cases("schedule_words.json"))
def test_a_schedule_is_read_from_words(text, expected):
    found = find_schedule(text)
    told = "none"
    if found is not None:
        days = ",".join(found.weekdays) or "-"
        told = f"{found.kind} {found.unit} {found.interval} {found.time or '-'} {days} {found.day or '-'}"
    assert told == expected


@pytest.mark.parametrize("case", cases("moved_dates.json"), ids=lambda case: case["name"])
def test_dates_move_to_the_period_that_is_due(case):
    places = dated(case["sql"])
    if case["kept"] is None:
        assert places is None
        return
    assert places.text == case["kept"]
    days = list(places.days.values())
    today = date.fromisoformat(case["today"])
    moved = shifted(days, find_period(case["ask"]), today, inclusive=places.inclusive)
    assert places.filled(dict(zip(places.days, moved, strict=True))) == case["moved"]


@pytest.mark.parametrize(
    ("text", "today", "first", "after"),
    [
        ("last week", "2026-11-30", "2026-11-23", "2026-11-30"),
        ("지난주", "2026-11-29", "2026-11-16", "2026-11-23"),
        ("this week", "2026-12-02", "2026-11-30", "2026-12-07"),
        ("last month", "2026-03-31", "2026-02-01", "2026-03-01"),
        ("지난 분기", "2026-11-30", "2026-07-01", "2026-10-01"),
        ("작년", "2026-11-30", "2025-01-01", "2026-01-01"),
        ("yesterday", "2027-01-01", "2026-12-31", "2027-01-01"),
        ("최근 30일", "2026-11-30", "2026-10-31", "2026-11-30"),
    ],
)
def test_a_period_has_its_days(text, today, first, after):
    assert find_period(text).days(date.fromisoformat(today)) == (date.fromisoformat(first), date.fromisoformat(after))


@pytest.mark.parametrize(
    ("texts", "groups"),
    [
        (["sales by region", "no, not by region: by department"], ["department"]),
        (["sales by region", "group it by product instead of region"], ["product"]),
        (["지역별 매출", "지역별 말고 부서별로"], ["department"]),
        (["sales by department and month"], ["department", "month"]),
        (["sales by region", "thanks, great"], ["region"]),
        (["how many orders are there"], []),
    ],
)
def test_the_last_word_decides_what_is_grouped_by(texts, groups):
    assert [term.english for term in read_requirement(texts).groups] == groups


@pytest.mark.parametrize(
    ("column", "language", "shown"),
    [
        ("sales_week_before", "en", "Sales week before"),
        ("sales_week_before", "ko", "그 전주 매출"),
        ("department", "ko", "부서"),
        ("total_sales", "ko", "합계 매출"),
        ("zorp_x", "ko", "zorp_x"),
    ],
)
def test_headers_are_for_a_reader(column, language, shown):
    assert header(column, language) == shown
