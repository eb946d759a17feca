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
class _Open:
    call: ToolCall
    given_id: str | None


@dataclass(slots=True)
class _Pairing:
    problems: Problems
    calls: list[_Open] = field(default_factory=list)
    waiting: dict[str, list[int]] = field(default_factory=dict)
    unnamed: list[int] = field(default_factory=list)
    early: dict[str, ResultPart] = field(default_factory=dict)

    def add_call(self, part: CallPart) -> int:
        number = len(self.calls)
        arguments, unreadable = parse_arguments(part.arguments)
        if unreadable:
            self.problems.add("unreadable_arguments", part.path, f"The arguments of {part.name} are not an object.")
        call = ToolCall(part.id or f"call-{number + 1}", part.name, arguments, None, unreadable)
        self.calls.append(_Open(call, part.id))
        if part.id is None:
            self.unnamed.append(number)
        elif part.id in self.early:
            self._close(number, self.early.pop(part.id))
        else:
            self.waiting.setdefault(part.id, []).append(number)
        return number

    def add_result(self, part: ResultPart) -> None:
        number = self._number_for(part)
        if number is not None:
            self._close(number, part)
        elif part.id is not None and part.id not in self.waiting:
            self.early[part.id] = part
        else:
            self.problems.add("result_without_call", part.path, "A result answers no call in this conversation.")

    def _number_for(self, part: ResultPart) -> int | None:
        """The last open call of an id (ids are reused by some frameworks), else the first open one without an id."""
        if part.id is not None:
            numbers = self.waiting.get(part.id, [])
            still_open = [number for number in numbers if self.calls[number].call.result is None]
            if numbers and not still_open:
                self._contradicted(numbers[-1], part)
                return None
            return still_open[-1] if still_open else None
        named = [n for n in self.unnamed if part.name in {None, self.calls[n].call.name}]
        number = next(iter(named), None)
        if number is not None:
            self.unnamed.remove(number)
        return number

    def _contradicted(self, number: int, part: ResultPart) -> None:
        """Two answers to one call: when they disagree, nobody can tell which is true."""
        first = self.calls[number].call.result
        if first is not None and first.state is not part.result.state:
            doubtful = replace(first, state=ResultState.UNKNOWN, inferred=False)
            self.calls[number].call = replace(self.calls[number].call, result=doubtful)

    def _close(self, number: int, part: ResultPart) -> None:
        opened = self.calls[number]
        opened.call = replace(opened.call, result=part.result)

    def finish(self) -> None:
        for part in self.early.values():
            self.problems.add("result_without_call", part.path, "A result answers no call in this conversation.")


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
    pairing.finish()
    return tuple(_turn(message, [pairing.calls[number].call for number in numbers]) for message, numbers in drafts)


def _turn(message: Message, calls: Sequence[ToolCall]) -> Turn:
    return Turn(message.role, message.text, tuple(calls), message.at)
