"""The product and the oracle give the same occurrences around clock changes in every zone of the package."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from playbooks.domain.recurrence import HOUR_INTERVALS, Rule, Unit, Weekday, next_after, parse_rule
from tests.unit.recurrence import package_zones
from tests.unit.recurrence.oracle import DAY, MINUTE, Expected, Walk, expected

CASES = json.loads((Path(__file__).parents[2] / "cases" / "schedule.json").read_text("utf-8"))
BEFORE, AFTER = 4 * DAY, 3 * DAY
WARM_UP = 2 * DAY + 12 * 3600
"""What a walk does not know of its first days: passes and slots before it. Its last day may lack what moves there."""
WALKS_A_ZONE = 3
RULES_A_WALK = 12
ALL_WEEKDAYS = tuple(Weekday)


def test_20_000_random_rules_around_clock_changes_in_all_zones_of_the_package() -> None:
    chosen = random.Random(20_260_302)
    rules = 0
    occurrences_seen = moved_seen = repeated_seen = 0
    for same_clock in package_zones.names_by_clock():
        for change in _places(same_clock[0], chosen):
            start = (change - BEFORE) // MINUTE * MINUTE
            walk = Walk(package_zones.zone(same_clock[0]), start, start + BEFORE + AFTER)
            for name in same_clock * RULES_A_WALK:
                rule = _random_rule(name, change, chosen)
                after = walk.start + WARM_UP + chosen.randrange(2 * DAY + 12 * 3600)
                found, wanted = _both(rule, walk, after, walk.end - DAY)
                assert found == wanted, f"{rule} after {datetime.fromtimestamp(after, UTC)}"
                rules += 1
                occurrences_seen += len(wanted)
                moved_seen += sum(not each.exists for each in wanted)
                repeated_seen += sum(each.pass_ for each in wanted)
    assert rules >= 20_000
    assert occurrences_seen > 100_000
    assert moved_seen > 300, "the rules do not meet the gaps"
    assert repeated_seen > 300, "the rules do not meet the repeated hours"


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_oracle_agrees_with_the_published_cases(case: dict[str, object]) -> None:
    stated = dict(case["rule"])
    stated["start"] = stated.pop("start_local")
    rule = parse_rule({**stated, "zone": case["zone"]})
    after = _seconds(case["after_utc"])
    instants = [_seconds(text) for text in case["expected_utc"]]
    found: list[int] = []
    # Years apart and nothing in between: walk round each expected instant, and the days after `after`.
    for place in (after, *instants):
        walk = Walk(package_zones.zone(rule.zone), place - WARM_UP, place + 2 * DAY)
        found += [each.at for each in expected(rule, walk) if after < each.at <= instants[-1] and each.at >= place]
    assert sorted(set(found)) == instants


def _both(rule: Rule, walk: Walk, after: int, end: int) -> tuple[list[Expected], list[Expected]]:
    wanted = [each for each in expected(rule, walk) if after < each.at <= end]
    found = []
    instant = datetime.fromtimestamp(after, UTC)
    while (occurrence := next_after(rule, instant)) is not None:
        instant = occurrence.instant
        at = round(instant.timestamp())
        if at > end:
            break
        exists = occurrence.moved is None or "does not exist" not in occurrence.moved
        found.append(Expected(at, occurrence.nominal, occurrence.pass_, exists))
        assert occurrence.local == (instant + occurrence.offset).replace(tzinfo=None)
        assert occurrence.offset == instant.astimezone(package_zones.zone(rule.zone)).utcoffset()
    return found, wanted


def _places(name: str, chosen: random.Random) -> Iterator[int]:
    listed = [change.at for change in package_zones.changes(name) if change.at > -86_400 * 365 * 70]
    recent = [at for at in listed if at > 0]
    for number in range(WALKS_A_ZONE):
        among = recent if recent and number else listed
        yield chosen.choice(among) if among else chosen.randrange(0, 2**32)


def _random_rule(name: str, change: int, chosen: random.Random) -> Rule:
    zone = package_zones.zone(name)
    shown = datetime.fromtimestamp(change + chosen.randrange(-4, 4) * 900, UTC).astimezone(zone).replace(tzinfo=None)
    target = shown + timedelta(minutes=chosen.choice((-120, -90, -60, -30, -15, -1, 0, 0, 1, 15, 30, 60, 90, 120)))
    target = target.replace(second=0) + timedelta(days=chosen.randrange(-1, 2))
    unit = chosen.choice((*Unit, Unit.HOURS, Unit.HOURS, Unit.DAYS, None))
    weekdays: frozenset[Weekday] = frozenset()
    until = target.date() + timedelta(days=chosen.randrange(0, 3)) if chosen.random() < 0.15 else None
    interval = 1
    match unit:
        case None:
            return Rule(target, name, None)
        case Unit.HOURS:
            interval = chosen.choice((1, 1, *HOUR_INTERVALS))
            start = target - timedelta(hours=interval * chosen.choice((0, 1, 2, 30, 3000)))
        case Unit.DAYS:
            interval = chosen.choice((1, 1, 1, 2, 3, 7, 28, 366))
            start = target - timedelta(days=interval * chosen.choice((0, 1, 2, 40)))
        case Unit.WEEKS:
            interval = chosen.choice((1, 1, 2, 3, 52))
            weekdays = frozenset(chosen.sample(ALL_WEEKDAYS, chosen.randrange(1, 8)))
            start = target - timedelta(days=chosen.choice((0, 3, 7 * interval, 7 * interval * 10 + 5)))
        case Unit.MONTHS | Unit.YEARS:
            interval = chosen.choice((1, 2, 3, 10))
            months = interval * (12 if unit is Unit.YEARS else 1) * chosen.choice((0, 1, 2, 5))
            start = _months_before(target, months, chosen)
    if until is not None and until < start.date():
        until = None
    return Rule(start, name, unit, interval, weekdays, until)


def _months_before(target: datetime, months: int, chosen: random.Random) -> datetime:
    year, month = divmod(target.year * 12 + target.month - 1 - months, 12)
    days = [day for day in (target.day, chosen.choice((target.day, 29, 30, 31))) if _exists(year, month + 1, day)]
    day = days[-1] if days else 28
    return target.replace(year=year, month=month + 1, day=day)


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _seconds(text: object) -> int:
    return round(datetime.fromisoformat(str(text)).timestamp())
