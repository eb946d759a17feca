"""Schedules for the tests, in words."""

from dataclasses import replace
from datetime import datetime, timedelta

from playbooks.domain.recurrence import parse_rule
from playbooks.domain.schedule import Schedule, change_rule, enable


def at(text: str) -> datetime:
    """An aware instant, `2026-03-02T00:00+00:00`."""
    return datetime.fromisoformat(text)


def schedule(start: str = "2026-03-02T09:00", zone: str = "Asia/Seoul", **more: object) -> Schedule:
    """A schedule that is off; daily unless more is said."""
    more = more or {"unit": "days"}
    if more.get("unit") == "once":
        more = {}
    return change_rule(None, parse_rule({"start": start, "zone": zone, **more}), at("2026-01-01T00:00+00:00"))


def on(now: str = "2026-03-01T00:00+00:00", **parts: object) -> Schedule:
    """A schedule that was enabled at `now`."""
    return enable(schedule(**parts), at(now))


def older(held: Schedule, *, by: timedelta, zone_data: str = "2025a") -> Schedule:
    """The schedule as an older program left it, which took its next occurrence to be `by` later."""
    assert held.next is not None
    return replace(held, zone_data=zone_data, next=replace(held.next, instant=held.next.instant + by))
