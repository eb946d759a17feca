"""Tools of other systems: called once, with an answer that says what is known about the call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from playbooks.errors import PlaybooksError, Unavailable


class ToolServerRefused(PlaybooksError):
    """Raised when a registered address may not be spoken to, or its server refuses us: the administrator looks."""

    code = "tool_server_refused"


class ToolServerUnreachable(Unavailable):
    """Raised when a tool server does not answer, or answers what no tool server does."""

    code = "tool_server_unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredTool:
    """A tool as the administrator registered it.

    `name` is what a step names, `remote_name` what its server calls it. `allowed_hosts` are host names
    (`tools.example.com`, with `:port` where it is not 443) of which the `url` must have one. Whether it `writes` is
    the administrator's word, whatever the server hints. `key_argument` is the argument that takes an idempotency key,
    None for a tool that has none. `clear_fields` are JSON pointers that masking leaves alone.
    """

    name: str
    remote_name: str
    url: str
    allowed_hosts: tuple[str, ...]
    secret: str | None = None
    """Name of the secret that holds its bearer token."""
    writes: bool = True
    key_argument: str | None = None
    clear_fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """What a server says of one of its tools. The hints are hints: they decide nothing."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    read_only_hint: bool | None = None
    idempotent_hint: bool | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The tool answered; `is_error` when it says that it could not do it. `content` is text from outside: data."""

    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class NotSent:
    """The call failed for sure: it never left, or it was turned away before any tool saw it.

    `retryable` says whether the same call may succeed later without anything being changed.
    """

    reason: str
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class OutcomeUnknown:
    """The call left and no answer came that says what became of it: it may have been carried out or not."""

    reason: str


CallOutcome = Answered | NotSent | OutcomeUnknown


@dataclass(frozen=True, slots=True)
class ToolCaps:
    """Limits of one operation, connecting included."""

    seconds: float = 60.0
    request_bytes: int = 1024 * 1024
    response_bytes: int = 1024 * 1024
    """Of all answers of the operation together, as they come over the wire."""


class Tools(Protocol):
    """Speaks to tool servers. One operation is one connection; nothing is repeated."""

    def call(
        self,
        tool: RegisteredTool,
        arguments: Mapping[str, Any],
        *,
        token: str | None = None,
        idempotency_key: str | None = None,
        caps: ToolCaps | None = None,
    ) -> CallOutcome:
        """Send one call, at most once; `arguments` leave as they are (they were masked before).

        The key goes into the argument the tool takes it in, and is left out for a tool that takes none. Never raises
        for what the network or the server does.
        """
        ...

    def describe(
        self,
        url: str,
        allowed_hosts: Sequence[str],
        *,
        token: str | None = None,
        caps: ToolCaps | None = None,
    ) -> tuple[ToolDescription, ...]:
        """The tools a server offers; raises ToolServerRefused, ToolServerUnreachable."""
        ...
