"""A playbook's schedule: when it is next due, and what every change and recomputation does to that.

Whatever is computed lies later than now and later than the last occurrence claimed or skipped, so neither an edit,
nor newer zone data, nor a clock that went back can run an occurrence twice.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from playbooks.domain.recurrence import (
    Occurrence,
    Rule,
    next_after,
    occurrence_of,
    zone_data_version,
)
from playbooks.errors import Finding, Refused


@dataclass(frozen=True, slots=True)
class Schedule:
    """A rule and where it stands.

    `rule_version` grows with each change of rule or zone. `next` is there only while the playbook is on and the
    rule has not ended. `last_at` is the instant of the last occurrence claimed or skipped. `zone_data` is the IANA
    version `next` was computed with. `last_run` is the id of the last run claimed.
    """

    rule: Rule
    rule_version: int
    next: Occurrence | None
    last_at: datetime | None
    zone_data: str
    last_run: str | None


def enable(schedule: Schedule, now: datetime) -> Schedule:
    """Due at the first occurrence later than now; Refused when there is none (a one-time schedule in the past)."""
    upcoming = next_after(schedule.rule, _never_back(schedule, now))
    if upcoming is None:
        raise _over(schedule.rule)
    return replace(schedule, next=upcoming, zone_data=zone_data_version())


def disable(schedule: Schedule) -> Schedule:
    """Never due; the rule, its version and what was last claimed stay."""
    return replace(schedule, next=None)


def change_rule(schedule: Schedule | None, rule: Rule, now: datetime) -> Schedule:
    """The schedule with this rule; a new version when rule or zone differ, the same schedule when they do not.

    None makes a first schedule, which is off. One that is on is due at the new rule's first occurrence later than
    now and than the last one claimed; Refused when there is none.
    """
    if schedule is None:
        return Schedule(rule, 1, None, None, zone_data_version(), None)
    if rule == schedule.rule:
        return schedule
    changed = replace(schedule, rule=rule, rule_version=schedule.rule_version + 1)
    return changed if schedule.next is None else enable(changed, now)


def recompute(schedule: Schedule, now: datetime) -> Schedule:
    """The schedule under this program's zone data, when that is newer than what `next` was computed with.

    The stored nominal time keeps its place: only its instant moves. What newer data puts into the past gives way to
    the first occurrence later than now. An occurrence that is due already under both stays as it is: it is the
    claim decision's to account for, and dropping it here would leave no row.
    """
    version = zone_data_version()
    if version <= schedule.zone_data:
        return schedule
    stored = schedule.next
    if stored is None:
        return replace(schedule, zone_data=version)
    moved = occurrence_of(schedule.rule, stored.nominal, stored.pass_)
    earliest = _never_back(schedule, now)
    if moved is None or moved.instant <= earliest:
        if stored.instant <= now:
            return schedule
        moved = next_after(schedule.rule, earliest)
    return replace(schedule, next=moved, zone_data=version)


def moved_on(schedule: Schedule, accounted: Occurrence, following: Occurrence | None) -> Schedule:
    """The schedule after `accounted` was claimed or skipped, due at `following`."""
    return replace(schedule, next=following, last_at=accounted.instant, zone_data=zone_data_version())


def _never_back(schedule: Schedule, now: datetime) -> datetime:
    return now if schedule.last_at is None else max(now, schedule.last_at)


def _over(rule: Rule) -> Refused:
    if rule.unit is None:
        when = f"{rule.start:%Y-%m-%d %H:%M} ({rule.zone})"
        finding = Finding(
            "start_in_past", "/schedule/start", f"It was to run once, at {when}, and that is over: choose a later time."
        )
    else:
        finding = Finding(
            "schedule_over", "/schedule/until", f"Its last day, {rule.until}, is over: choose a later one or none."
        )
    return Refused(finding.message, [finding], code=finding.code)
