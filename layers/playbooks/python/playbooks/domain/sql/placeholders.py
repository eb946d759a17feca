"""Placeholders."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from playbooks.errors import Finding


class PlaceholderType(StrEnum):
    """What a value for a placeholder is and how it is written into the statement."""

    INTEGER = "integer"
    NUMBER = "number"
    STRING = "string"
    DATE = "date"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One `{{name}}` of a saved statement, with a value it could have."""

    name: str
    type: PlaceholderType
    description: str
    example: str | int | float | bool


def parse_placeholders(raw: object) -> tuple[Placeholder, ...]:
    raise NotImplementedError


def render(statement: str, placeholders: tuple[Placeholder, ...], values: Mapping[str, object]) -> str:
    raise NotImplementedError


def check_submission(
    statement: str, placeholders: tuple[Placeholder, ...], *, extra_functions: frozenset[str] = frozenset()
) -> tuple[Finding, ...]:
    raise NotImplementedError
