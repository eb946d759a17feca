"""Playbooks, schedules, runs and notices as items, and back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from playbooks.adapters.dynamodb import keys
from playbooks.adapters.dynamodb.codec import fault_name, instant, pack, parse_instant, unpack
from playbooks.adapters.dynamodb.operations import AllOf, Condition, Equals, Item, Key, Missing
from playbooks.adapters.dynamodb.writing import SCHEMA_VERSION
from playbooks.domain.ids import PlaybookId, TenantId
from playbooks.domain.notice import Notice
from playbooks.domain.playbook import Definition, Playbook, parse_steps, steps_mapping
from playbooks.domain.recurrence import Occurrence, parse_rule, rule_mapping
from playbooks.domain.run import Run
from playbooks.domain.schedule import Schedule
from playbooks.errors import Refused
from playbooks.ports.stores.faults import CorruptItem
from playbooks.ports.stores.notices import NoticeRef

_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)
FREE = "0"
"""`lease_until` of a run that nobody holds; sorts before every instant."""


def item(key: Key, attributes: Mapping[str, Any]) -> Item:
    """An item of the current schema version."""
    return {"PK": key[0], "SK": key[1], "v": SCHEMA_VERSION, **attributes}


def playbook_item(playbook: Playbook) -> Item:
    """A playbook as its item."""
    return item(keys.playbook(playbook.tenant, playbook.id), pack(playbook))


def read_playbook(stored: Mapping[str, Any]) -> Playbook:
    """The inverse of `playbook_item`."""
    return unpack(Playbook, stored)


def definition_item(tenant: TenantId, playbook: PlaybookId, definition: Definition) -> Item:
    """A definition as its item."""
    key = keys.definition(tenant, playbook, definition.version)
    return item(key, {"version": definition.version, "hash": definition.hash, "steps": steps_mapping(definition.steps)})


def read_definition(stored: Mapping[str, Any]) -> Definition:
    """The steps of a stored definition."""
    try:
        return Definition(int(stored["version"]), parse_steps(stored["steps"]))
    except (Refused, *_UNREADABLE) as error:
        raise CorruptItem(
            f"The definition {stored.get('PK')} {stored.get('SK')} cannot be read ({fault_name(error)})."
        ) from error


def schedule_item(tenant: TenantId, playbook: PlaybookId, schedule: Schedule) -> Item:
    """A schedule as its item; in the wake index only while it has a next occurrence."""
    attributes: dict[str, Any] = {
        "rule": rule_mapping(schedule.rule),
        "rule_version": schedule.rule_version,
        "zone_data": schedule.zone_data,
    }
    if schedule.next is not None:
        attributes["next"] = pack(schedule.next)
        attributes["next_at"] = instant(schedule.next.instant)
        attributes |= keys.schedule_wake(tenant, playbook, attributes["next_at"])
    if schedule.last_at is not None:
        attributes["last_at"] = instant(schedule.last_at)
    if schedule.last_run is not None:
        attributes["last_run"] = schedule.last_run
    return item(keys.schedule(tenant, playbook), attributes)


def read_schedule(stored: Mapping[str, Any]) -> Schedule:
    """The inverse of `schedule_item`; a rule that no longer parses is a CorruptItem that says why."""
    try:
        rule = parse_rule(stored["rule"])
    except (Refused, *_UNREADABLE) as error:
        raise CorruptItem(f"The rule of the schedule {stored.get('PK')} does not parse: {error}") from error
    try:
        return Schedule(
            rule=rule,
            rule_version=int(stored["rule_version"]),
            next=unpack(Occurrence, stored["next"]) if "next" in stored else None,
            last_at=parse_instant(stored["last_at"]) if "last_at" in stored else None,
            zone_data=str(stored.get("zone_data", "")),
            last_run=stored.get("last_run"),
        )
    except (CorruptItem, *_UNREADABLE) as error:
        raise CorruptItem(f"The schedule {stored.get('PK')} cannot be read ({fault_name(error)}).") from error


def schedule_as_seen(seen: Schedule) -> Condition:
    """The schedule has not moved since it was read: same next occurrence, rule version and last occurrence."""
    next_at = instant(seen.next.instant) if seen.next is not None else None
    last_at = instant(seen.last_at) if seen.last_at is not None else None
    return AllOf(
        (
            Equals("rule_version", seen.rule_version),
            Equals("next_at", next_at) if next_at else Missing("next_at"),
            Equals("last_at", last_at) if last_at else Missing("last_at"),
        )
    )


def lease_until(run: Run) -> str:
    """`lease_until` as it is stored."""
    return instant(run.lease.until) if run.lease.until is not None else FREE


def run_item(run: Run, *, write_id: str = "") -> Item:
    """A run as its item; in the wake index until it is over, in the run index when it belongs to a playbook."""
    attributes = pack(run)
    attributes.pop("lease", None)
    attributes |= {
        "lease_id": run.lease.id,
        "lease_until": lease_until(run),
        "fence": run.lease.fence,
        "without_progress": run.lease.without_progress,
        "write_id": write_id,
    }
    if run.wake_at is not None and not run.status.over:
        attributes |= keys.work_wake(run.tenant, run.id, keys.META, instant(run.wake_at))
    if run.playbook is not None:
        attributes["runs_pk"] = keys.runs_of_playbook(run.tenant, run.playbook)
        attributes["runs_sk"] = f"{instant(run.due or run.created_at)}#{run.id}"
    return item(keys.run(run.tenant, run.id), attributes)


def read_run(stored: Mapping[str, Any]) -> Run:
    """The inverse of `run_item`."""
    until = stored.get("lease_until", FREE)
    lease: dict[str, Any] = {
        "id": stored.get("lease_id", ""),
        "fence": stored.get("fence", 0),
        "without_progress": stored.get("without_progress", 0),
        "until": None if until == FREE else until,
    }
    return unpack(Run, {**stored, "lease": lease})


def notice_ref(notice: Notice) -> NoticeRef:
    """Where a notice lies: below its run, or below its playbook when there is no run."""
    return NoticeRef(notice.tenant, notice.run, None if notice.run else notice.playbook, notice.id)


def notice_item(notice: Notice) -> Item:
    """A notice as its item; in the wake index while it is owed."""
    attributes = pack(notice)
    ref = notice_ref(notice)
    if notice.due is not None:
        owner = cast("str", ref.run or ref.playbook)
        attributes |= keys.work_wake(notice.tenant, owner, f"NOTE#{notice.id}", instant(notice.due))
    return item(keys.notice(ref), attributes)


def read_notice(stored: Mapping[str, Any]) -> Notice:
    """The inverse of `notice_item`."""
    return unpack(Notice, stored)


def text_or_missing(name: str, value: datetime | None) -> Condition:
    """The attribute is the instant, or not there when there is none."""
    return Missing(name) if value is None else Equals(name, instant(value))
