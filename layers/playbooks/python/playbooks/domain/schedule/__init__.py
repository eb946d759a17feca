"""Schedules: what is due when, and the claim decision. Pure: `now` comes in as an aware datetime."""

from playbooks.domain.schedule.decision import (
    GRACE,
    Block,
    Claim,
    Decision,
    NotDue,
    PreRunCheck,
    Reason,
    Skip,
    SkipReason,
    SwitchOff,
    decide,
    is_late,
    late_at_first_lease,
    lateness_seconds,
    skip_what_is_due,
)
from playbooks.domain.schedule.state import Schedule, change_rule, disable, enable, recompute

__all__ = [
    "GRACE",
    "Block",
    "Claim",
    "Decision",
    "NotDue",
    "PreRunCheck",
    "Reason",
    "Schedule",
    "Skip",
    "SkipReason",
    "SwitchOff",
    "change_rule",
    "decide",
    "disable",
    "enable",
    "is_late",
    "late_at_first_lease",
    "lateness_seconds",
    "recompute",
    "skip_what_is_due",
]
