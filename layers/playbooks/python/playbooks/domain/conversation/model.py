"""A conversation as one typed value, whatever client recorded it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from playbooks.errors import Finding


class ResultState(StrEnum):
    """What became of a tool call: it answered well, it failed, nobody can tell, or it never answered."""

    OK = "ok"
    ERROR = "error"
    UNKNOWN = "unknown"
    NONE = "none"


class Role(StrEnum):
    """Who speaks in a turn."""

    USER = "user"
    ASSISTANT = "assistant"


class LeftOutReason(StrEnum):
    """Why a call is not on the active path."""

    OTHER_BRANCH = "other_branch"
    SIDECHAIN = "sidechain"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered.

    `text` is the beginning of the answer (at most `results.PREVIEW` characters) and `cut` says that there was more;
    `inferred` says that the format has no error field and the state was read from the body alone.
    """

    state: ResultState
    text: str = ""
    cut: bool = False
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call. `name` is as recorded; `unreadable` holds arguments that are not an object, as recorded."""

    id: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    result: ToolResult | None = None
    unreadable: str = ""

    @property
    def state(self) -> ResultState:
        """The state of its result; none when there is no result."""
        return ResultState.NONE if self.result is None else self.result.state


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said, and the calls it made, in order. `at` carries an offset when it is known at all."""

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A call that the record holds but the active path does not."""

    call: ToolCall
    why: LeftOutReason


@dataclass(frozen=True, slots=True)
class Conversation:
    """A record on its active path. `problems` name malformed parts by their place; the rest was read."""

    format: str
    id: str | None = None
    title: str | None = None
    turns: tuple[Turn, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    problems: tuple[Finding, ...] = ()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every call on the active path, in order."""
        return tuple(call for turn in self.turns for call in turn.calls)


@dataclass(frozen=True, slots=True)
class ConversationListing:
    """One conversation of an archive: enough for a person to pick it. `queries` counts its confirmed queries."""

    format: str
    id: str
    title: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    queries: int = 0
