"""The language model: one request with tools, one answer, as typed values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from playbooks.domain.usage import Usage
from playbooks.errors import PlaybooksError, Unavailable


@dataclass(frozen=True, slots=True)
class Text:
    """Words, of the model or for it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a tool. `arguments` is what it sent, not yet checked against any schema."""

    id: str
    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A vendor's block that must travel back unchanged in the next request (a signed thought, say)."""

    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered; `content` is text, JSON where there is structure."""

    call_id: str
    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What we say: words and the results of the calls of the turn before."""

    parts: tuple[Text | ToolResult, ...]


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """What the model said."""

    parts: tuple[Text | ToolCall | Opaque, ...]

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def text(self) -> str:
        """The words, joined by new lines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text)).strip()


Turn = UserTurn | AssistantTurn


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool offered to the model. `schema` is a flat JSON schema: every property required, none beside them."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question. `must_call` forces a call of that tool."""

    system: str
    turns: tuple[Turn, ...]
    tools: tuple[ToolSpec, ...]
    max_tokens: int = 8_192
    must_call: str | None = None


class StopReason(StrEnum):
    """Why the model stopped. A call in an answer cut at `MAX_TOKENS` may be incomplete and is not made."""

    END = "end"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One answer and what it cost."""

    turn: AssistantTurn
    stop: StopReason
    usage: Usage
    model: str = ""


class ModelBusy(Unavailable):
    """Raised when the model is overloaded, limits the rate or cannot be reached; `retry_after` as the server says."""

    code = "model_busy"

    def __init__(self, message: str, *, retry_after: timedelta | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRejected(PlaybooksError):
    """Raised when the model's service refuses the request for good: key, model id, or size."""

    code = "model_rejected"


class Model(Protocol):
    """A model behind its vendor's client, which makes its own few short retries."""

    def answer(self, request: ModelRequest, *, within: timedelta) -> ModelAnswer:
        """Ask once; ends within the time given. Raises ModelBusy or ModelRejected."""
        ...
