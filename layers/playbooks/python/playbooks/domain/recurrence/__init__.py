"""Wall-clock recurrence: when a rule happens, as the clocks of its zone show it.

Standard library and the zone data of the `tzdata` package only; light enough for a function's cold start.
"""

from playbooks.domain.recurrence.occurrence import Occurrence
from playbooks.domain.recurrence.parse import parse_rule, rule_mapping
from playbooks.domain.recurrence.plan import PREVIEWED, next_after, occurrence_of, occurrences
from playbooks.domain.recurrence.rule import HOUR_INTERVALS, MAX_INTERVAL, Rule, Unit, Weekday
from playbooks.domain.recurrence.zone_data import ZoneDataError, probe_zone_data, zone_data_version

__all__ = [
    "HOUR_INTERVALS",
    "MAX_INTERVAL",
    "PREVIEWED",
    "Occurrence",
    "Rule",
    "Unit",
    "Weekday",
    "ZoneDataError",
    "next_after",
    "occurrence_of",
    "occurrences",
    "parse_rule",
    "probe_zone_data",
    "rule_mapping",
    "zone_data_version",
]
