"""What the Query Spec refuses, and how it says so to a person or to the model that repairs it."""

from collections.abc import Iterable

from playbooks.errors import Finding, PlaybooksError, Refused

_NAMED_IN_MESSAGE = 3


class QuerySpecError(Refused):
    """Raised when a spec cannot be answered exactly as it stands; `findings` holds every reason at once.

    Codes of a finding: not_object, invalid_json, too_large, too_deep, too_many_nodes, too_many_fields,
    too_many_order_by, unknown_field, missing_field, bad_group, empty_group, unknown_column, unknown_operator,
    operator_not_allowed, not_sortable, bad_direction, duplicate_order_by, limit_out_of_range, offset_out_of_range,
    null_value, unexpected_value, type_mismatch, empty_in, null_in_list, in_too_long, between_needs_two,
    between_reversed, bad_string, string_too_long, bad_pattern, pattern_too_complex, value_not_in_choices,
    value_out_of_range, bad_uuid, bad_datetime, bad_date, unsupported_on_target.
    """

    code = "query_spec"

    def __init__(self, findings: Iterable[Finding]) -> None:
        found = tuple(findings)
        named = "; ".join(f"{item.path or 'the spec'}: {item.message}" for item in found[:_NAMED_IN_MESSAGE])
        more = len(found) - _NAMED_IN_MESSAGE
        super().__init__(named + (f"; and {more} more" if more > 0 else ""), found)

    def feedback(self) -> str:
        """All findings, one a line with what would be accepted: the text to give back to the model."""
        lines = []
        for item in self.findings:
            allowed = f" Allowed: {', '.join(item.allowed)}." if item.allowed else ""
            lines.append(f"- {item.path or '(whole spec)'} [{item.code}] {item.message}.{allowed}")
        return "\n".join(lines)


class CatalogueError(PlaybooksError):
    """Raised when a catalogue contradicts itself or the store it describes: a mistake of set-up, not of a spec."""

    code = "bad_catalogue"


class ScopeError(PlaybooksError):
    """Raised when the caller's identity does not give every scope column a value: nothing is searched without it."""

    code = "scope_incomplete"


class RowError(Refused):
    """Raised when a row cannot be stored so that both stores would answer alike; nothing of it is written."""

    code = "bad_row"
