"""Rules are read at one edge, and what is wrong is said all at once."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from playbooks.domain.recurrence import MAX_INTERVAL, Rule, Unit, Weekday, next_after, parse_rule, rule_mapping
from playbooks.errors import Refused

REFUSED = json.loads((Path(__file__).parents[2] / "cases" / "schedule_refused.json").read_text("utf-8"))
DAILY = {"start": "2026-03-02T09:00", "zone": "Europe/Berlin", "unit": "days", "interval": 1}


@pytest.mark.parametrize("case", REFUSED, ids=[case["id"] for case in REFUSED])
def test_a_rule_that_cannot_be_used_is_refused_with_every_finding(case: dict) -> None:
    with pytest.raises(Refused) as refusal:
        parse_rule(case["rule"])

    findings = refusal.value.findings
    assert refusal.value.code == "invalid_rule"
    assert sorted([each.code, each.path] for each in findings) == sorted(case["findings"])
    assert all(each.message.endswith((".", "?", "…")) and len(each.message) < 200 for each in findings)
    if "says" in case:
        assert any(case["says"] in each.message for each in findings)
    if "allowed" in case:
        assert list(findings[0].allowed) == case["allowed"]


@pytest.mark.parametrize("field", ["start", "zone", "unit", "interval", "weekdays", "until"])
@pytest.mark.parametrize(
    "value", ["x" * 1_000_000, 10**5000, ["x" * 1_000_000] * 100_000], ids=["text", "number", "list"]
)
def test_a_huge_value_is_refused_in_a_short_sentence(field: str, value: object) -> None:
    with pytest.raises(Refused) as refusal:
        parse_rule({**DAILY, field: value})

    findings = refusal.value.findings
    assert any(each.path.startswith(f"/{field}") for each in findings)
    assert all(len(each.message) + len(each.path) < 250 for each in findings)
    assert len(findings) < 30


def test_a_field_with_a_huge_name_is_refused_in_a_short_sentence() -> None:
    with pytest.raises(Refused) as refusal:
        parse_rule({**DAILY, "x" * 1_000_000: 1})

    assert len(refusal.value.findings[0].message) + len(refusal.value.findings[0].path) < 250


def test_of_many_unknown_fields_only_the_first_are_named() -> None:
    with pytest.raises(Refused) as refusal:
        parse_rule({**DAILY, **{f"x{number}": 1 for number in range(100_000)}})

    assert [each.path for each in refusal.value.findings] == [f"/x{number}" for number in range(10)]


@pytest.mark.parametrize("value", [None, [], "every day", 3])
def test_what_is_not_an_object_is_refused(value: object) -> None:
    with pytest.raises(Refused, match="cannot be used"):
        parse_rule(value)


def test_a_rule_is_read_as_it_is_written() -> None:
    rule = parse_rule(
        {
            "start": "2026-03-02T09:00",
            "zone": "Europe/Berlin",
            "unit": "weeks",
            "interval": 2,
            "weekdays": ["wed", "mon"],
            "until": "2027-01-01",
        }
    )

    start = datetime.fromisoformat("2026-03-02T09:00")
    days = frozenset({Weekday.MON, Weekday.WED})
    assert rule == Rule(start, "Europe/Berlin", Unit.WEEKS, 2, days, date(2027, 1, 1))


@pytest.mark.parametrize("unit", Unit)
def test_the_largest_interval_is_accepted(unit: Unit) -> None:
    weekdays = {"weekdays": ["mon"]} if unit is Unit.WEEKS else {}

    assert parse_rule({**DAILY, "unit": unit.value, "interval": MAX_INTERVAL[unit], **weekdays}).interval > 9


@pytest.mark.parametrize("absent", [{}, {"unit": None, "interval": None, "weekdays": None, "until": None}])
def test_without_a_unit_it_happens_once(absent: dict) -> None:
    rule = parse_rule({"start": "2026-03-02T09:00", "zone": "UTC", **absent})

    first = next_after(rule, datetime(2026, 1, 1, tzinfo=UTC))
    assert first is not None
    assert next_after(rule, first.instant) is None


def test_a_start_in_a_gap_is_accepted_and_shown_moved() -> None:
    rule = parse_rule({**DAILY, "start": "2027-03-28T02:30"})

    first = next_after(rule, datetime(2027, 1, 1, tzinfo=UTC))
    assert first is not None
    assert (first.nominal, first.local - first.nominal) == (rule.start, timedelta(hours=1))
    assert first.moved == "moved: 02:30 does not exist"


@pytest.mark.parametrize("zone", ["UTC", "Etc/UTC", "Asia/Calcutta", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
def test_iana_names_that_browsers_send_are_accepted(zone: str) -> None:
    assert parse_rule({**DAILY, "zone": zone}).zone == zone


@pytest.mark.parametrize(
    "more",
    [
        {"unit": None, "interval": None},
        {"unit": "hours", "interval": 6},
        {"unit": "weeks", "weekdays": ["sun", "mon"], "until": "2026-12-31"},
        {"unit": "months", "interval": 60},
        {"unit": "years", "interval": 10},
    ],
)
def test_a_rule_and_its_mapping_are_inverse(more: dict) -> None:
    rule = parse_rule({**DAILY, **more})

    mapping = rule_mapping(rule)
    assert parse_rule(json.loads(json.dumps(mapping))) == rule
    assert rule_mapping(parse_rule(mapping)) == mapping
