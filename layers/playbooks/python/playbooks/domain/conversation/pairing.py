"""Calls meet their results: by id where the record has ids, by name and order where it has none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from playbooks.domain.conversation.arguments import parse_arguments
from playbooks.domain.conversation.json_record import Problems
from playbooks.domain.conversation.model import ResultState, Role, ToolCall, ToolResult, Turn
from playbooks.errors import Refused

MAX_MESSAGES = 100_000


@dataclass(frozen=True, slots=True)
class CallPart:
    """A call as recorded: `arguments` is an object or text that holds one."""

    name: str
    arguments: object
    id: str | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class ResultPart:
    """An answer as recorded, for the call with this id, or for the oldest open one (of this name) without an id."""

    result: ToolResult
    id: str | None = None
    name: str | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a record, in the order things happened in it."""

    role: Role
    text: str = ""
    parts: tuple[CallPart | ResultPart, ...] = ()
    at: datetime | None = None


@dataclass(slots=True)
class _Pairing:
    problems: Problems
    calls: list[ToolCall] = field(default_factory=list)
    by_id: dict[str, list[int]] = field(default_factory=dict)
    open_with_id: dict[int, None] = field(default_factory=dict)
    open_without_id: dict[int, None] = field(default_factory=dict)

    def add_call(self, part: CallPart) -> int:
        number = len(self.calls)
        arguments, unreadable = parse_arguments(part.arguments)
        if unreadable:
            self.problems.add("unreadable_arguments", part.path, f"The arguments of {part.name} are not an object.")
        self.calls.append(ToolCall(part.id or f"call-{number + 1}", part.name, arguments, None, unreadable))
        if part.id is None:
            self.open_without_id[number] = None
        else:
            self.by_id.setdefault(part.id, []).append(number)
            self.open_with_id[number] = None
        return number

    def add_result(self, part: ResultPart) -> None:
        numbers = self.by_id.get(part.id, []) if part.id is not None else []
        if numbers and numbers[-1] not in self.open_with_id:
            self._contradict(numbers[-1], part.result)
            return
        number = numbers[-1] if numbers else self._by_order(part)
        if number is None:
            self.problems.add("result_without_call", part.path, "A result answers no call in this conversation.")
            return
        self.open_with_id.pop(number, None)
        self.open_without_id.pop(number, None)
        self.calls[number] = replace(self.calls[number], result=part.result)

    def _by_order(self, part: ResultPart) -> int | None:
        """The oldest open call that has no id (of this name); for a result without an id also the only open call."""
        for number in self.open_without_id:
            if part.name is None or self.calls[number].name == part.name:
                return number
        if part.id is None and len(self.open_with_id) == 1 and not self.open_without_id:
            return next(iter(self.open_with_id))
        return None

    def _contradict(self, number: int, second: ToolResult) -> None:
        """Two answers to one call: when they disagree, nobody can tell which is true."""
        first = self.calls[number].result
        if first is not None and first.state is not second.state:
            doubtful = replace(first, state=ResultState.UNKNOWN, inferred=False)
            self.calls[number] = replace(self.calls[number], result=doubtful)


def assemble(messages: Iterable[Message], problems: Problems) -> tuple[Turn, ...]:
    """Messages as turns whose calls carry their results; messages that only bring results leave no turn."""
    pairing = _Pairing(problems)
    drafts: list[tuple[Message, list[int]]] = []
    for message in messages:
        if len(drafts) >= MAX_MESSAGES:
            raise Refused(
                f"The conversation has more than {MAX_MESSAGES:,} messages: export a shorter one.", code="too_large"
            )
        numbers: list[int] = []
        for part in message.parts:
            if isinstance(part, CallPart):
                numbers.append(pairing.add_call(part))
            else:
                pairing.add_result(part)
        if message.text or numbers:
            drafts.append((message, numbers))
    return tuple(_turn(message, [pairing.calls[number] for number in numbers]) for message, numbers in drafts)


def _turn(message: Message, calls: Sequence[ToolCall]) -> Turn:
    return Turn(message.role, message.text, tuple(calls), message.at)
