"""A placeholder as it is described: name, type, description, example. Needs no reader of SQL."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playbooks.domain.sql.values import InvalidValue, PlaceholderType, literal
from playbooks.errors import Finding, Refused

MAX_PLACEHOLDERS = 50
MAX_DESCRIPTION = 500

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_FIELDS = ("name", "type", "description", "example")
_TYPES = tuple(kind.value for kind in PlaceholderType)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One `{{name}}` of a saved statement, with a value it could have."""

    name: str
    type: PlaceholderType
    description: str
    example: str | int | float | bool


def parse_placeholders(raw: object) -> tuple[Placeholder, ...]:
    """Placeholders from a list of `{name, type, description, example}`; raises Refused with all findings."""
    if not isinstance(raw, Sequence) or isinstance(raw, (str, bytes)):
        raise Refused(
            "Placeholders are a list.",
            [Finding("invalid_placeholders", "/placeholders", "A list is expected, empty when there are none.")],
            code="invalid_placeholders",
        )
    findings: list[Finding] = []
    if len(raw) > MAX_PLACEHOLDERS:
        findings.append(
            Finding(
                "too_many", "/placeholders", f"At most {MAX_PLACEHOLDERS} placeholders are allowed: {len(raw)} came."
            )
        )
    parsed = [_parse(item, f"/placeholders/{number}", findings) for number, item in enumerate(raw[:MAX_PLACEHOLDERS])]
    good = tuple(item for item in parsed if item is not None)
    findings += [
        Finding("duplicate", "/placeholders", f"{name} is described {count} times: describe it once.")
        for name, count in Counter(item.name for item in good).items()
        if count > 1
    ]
    if findings:
        raise Refused("The placeholders cannot be used as they are.", findings, code="invalid_placeholders")
    return good


def placeholder_mapping(placeholder: Placeholder) -> dict[str, object]:
    """A placeholder as plain data, the inverse of `parse_placeholders` for one."""
    return {
        "name": placeholder.name,
        "type": placeholder.type.value,
        "description": placeholder.description,
        "example": placeholder.example,
    }


def _parse(item: object, path: str, findings: list[Finding]) -> Placeholder | None:
    if not isinstance(item, Mapping):
        findings.append(Finding("invalid_placeholder", path, "Name, type, description and example are expected."))
        return None
    before = len(findings)
    findings += [
        Finding("missing", f"{path}/{field}", f"{field} is missing.") for field in _FIELDS if field not in item
    ]
    findings += [
        Finding("unknown_field", f"{path}/{field}", "A placeholder has no such field.", _FIELDS)
        for field in item
        if field not in _FIELDS
    ]
    name, kind = item.get("name"), item.get("type")
    description, example = item.get("description"), item.get("example")
    if "name" in item and not (isinstance(name, str) and _NAME.match(name)):
        findings.append(
            Finding("invalid_name", f"{path}/name", "A name is a lower-case letter, then up to 39 of a-z, 0-9 and _.")
        )
    if "type" in item and kind not in _TYPES:
        findings.append(Finding("unknown_type", f"{path}/type", "That is not a type of placeholder.", _TYPES))
    if "description" in item and not (
        isinstance(description, str) and description.strip() and len(description) <= MAX_DESCRIPTION
    ):
        findings.append(
            Finding(
                "invalid_description", f"{path}/description", f"Say in 1 to {MAX_DESCRIPTION} characters what it is."
            )
        )
    if "example" in item and kind in _TYPES:
        try:
            literal(PlaceholderType(str(kind)), example)
        except InvalidValue as error:
            findings.append(Finding("invalid_example", f"{path}/example", f"For the type {kind} {error}."))
    if len(findings) > before:
        return None
    if not isinstance(example, (str, int, float, bool)):
        example = str(example)  # a date or Decimal, from YAML
    return Placeholder(str(name), PlaceholderType(str(kind)), str(description), example)
