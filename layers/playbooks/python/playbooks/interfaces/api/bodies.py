"""What requests carry."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Body(BaseModel):
    """A request body: nothing beside what is named, nothing converted in silence."""

    model_config = ConfigDict(extra="forbid", strict=True)


class StepBody(Body):
    """One step; empty inputs may be saved."""

    id: Annotated[str, Field(min_length=1, max_length=40)]
    kind: str
    instruction: str = ""
    inputs: dict[str, str] = Field(default_factory=dict)
    may_end_run: bool = False
    pin_sql: bool = True


class PlaybookBody(Body):
    """Title and steps of a playbook at the `rev` that was loaded."""

    rev: int
    title: str
    steps: Annotated[list[StepBody], Field(max_length=200)]


class RestoreBody(Body):
    """Which former version of a saved query is to come back, for a playbook at the `rev` that was loaded."""

    rev: int
    version: Annotated[int, Field(ge=1)]


class RuleBody(Body):
    """A wall-clock rule: `start` as the clock of the zone shows it, once without `unit`."""

    start: str
    zone: str
    unit: str | None = None
    interval: Any = None
    weekdays: list[str] | None = None
    until: str | None = None

    def mapping(self) -> dict[str, object]:
        """As the rule's own parser takes it, which has all findings."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


class ScheduleBody(Body):
    """A rule for a playbook at the `rev` that was loaded."""

    rev: int
    rule: RuleBody


class DeviceBody(Body):
    """A phone's token."""

    platform: Literal["apns", "fcm"]
    token: str


class ConvertBody(Body):
    """How to convert: the zone its schedule is to have, and the language it is told in."""

    zone: str | None = None
    language: Literal["en", "ko"] | None = None
