"""What the stand-in answers: a short sentence and at most one call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """`said` is the progress sentence; without a tool it is the whole answer."""

    said: str
    tool: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


def finish(said: str, outcome: str, summary: str, **more: object) -> Answer:
    """The end of a step."""
    return Answer(said, "finish_step", {"outcome": outcome, "summary": summary, **more})
