"""LangChain messages, alone or in a LangGraph state, a checkpoint or a state history."""

from collections.abc import Iterator, Mapping

from playbooks.domain.conversation.fields import identifier, instant, joined_text, mapping, mappings, text
from playbooks.domain.conversation.json_record import Record
from playbooks.domain.conversation.model import Conversation, Role
from playbooks.domain.conversation.pairing import CallPart, Message, ResultPart, assemble
from playbooks.domain.conversation.results import judge

NAME = "langgraph_state"

_TYPES = frozenset({"human", "ai", "tool", "system", "function", "chat", "developer", "remove"})
_CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "SystemMessage": "system",
}


def recognizes(record: Record) -> bool:
    """Messages with LangChain's types, or serialised message classes."""
    if record.is_sequence:
        head = record.head()
        return any(_kind(item) for item in head) or any(_has_messages(item) for item in head)
    return _has_messages(record.root)


def _has_messages(state: Mapping[str, object]) -> bool:
    return any(_kind(message) for message in _state_messages(state)[1])


def _kind(message: Mapping[str, object]) -> str:
    """human, ai, tool …; empty when it is not a LangChain message."""
    name = identifier(message.get("type"))
    path = message.get("id")
    if name == "constructor" and isinstance(path, list) and path:
        return _CLASSES.get(text(path[-1]), "")
    if name in _TYPES and ("content" in message or "content" in mapping(message.get("data"))):
        return name or ""
    return _CLASSES.get(name or "", "") if "content" in message else ""


def _state_messages(state: Mapping[str, object]) -> tuple[str, tuple[Mapping[str, object], ...]]:
    """The messages of a state and the place they stand at."""
    for path in (("values",), ("channel_values",), ("checkpoint", "channel_values"), ("state",), ()):
        inner = state
        for key in path:
            inner = mapping(inner.get(key))
        for key in ("messages", "chat_history"):
            if found := mappings(inner.get(key)):
                return "".join(f"/{part}" for part in (*path, key)), found
    return "", ()


def read(record: Record) -> Iterator[Conversation]:
    """The one conversation of the record; of a state history, the newest state."""
    problems = record.problems
    if not record.is_sequence:
        place, messages = _state_messages(record.root)
        thread = mapping(mapping(record.root.get("config")).get("configurable")).get("thread_id")
    elif any(_kind(item) for item in record.head()):
        turns = assemble(
            (message for item in record.elements() for message in _message(mapping(item.value), item.path)), problems
        )
        yield Conversation(NAME, turns=turns, problems=tuple(problems.found))
        return
    else:
        place, messages, thread = _newest_state(record)
    turns = assemble(
        (part for index, message in enumerate(messages) for part in _message(message, f"{place}/{index}")), problems
    )
    yield Conversation(NAME, identifier(thread), None, turns, (), tuple(problems.found))


def _newest_state(record: Record) -> tuple[str, tuple[Mapping[str, object], ...], object]:
    """By its time; without times the first, as a state history is listed newest first."""
    best: tuple[float, str, tuple[Mapping[str, object], ...], object] | None = None
    for element in record.elements():
        state = mapping(element.value)
        place, messages = _state_messages(state)
        at = instant(state.get("created_at"))
        order = at.timestamp() if at is not None else float("-inf")
        if messages and (best is None or order > best[0]):
            thread = mapping(mapping(state.get("config")).get("configurable")).get("thread_id")
            best = (order, f"{element.path}{place}", messages, thread)
    return ("", (), None) if best is None else best[1:]


def _message(message: Mapping[str, object], path: str) -> Iterator[Message]:
    kind = _kind(message)
    for key in ("kwargs", "data"):
        if isinstance(message.get(key), dict):
            message, path = mapping(message[key]), f"{path}/{key}"
    content = message.get("content")
    match kind:
        case "human":
            yield Message(Role.USER, joined_text(content))
        case "ai":
            yield Message(Role.ASSISTANT, joined_text(content), tuple(_calls(message, path)))
        case "tool":
            status = message.get("status")
            flag = None if status is None else status == "error"
            call = identifier(message.get("tool_call_id"))
            result = ResultPart(judge(content, flag), call, identifier(message.get("name")), path)
            yield Message(Role.ASSISTANT, "", (result,))
        case "function":
            result = ResultPart(judge(content, None), None, identifier(message.get("name")), path)
            yield Message(Role.ASSISTANT, "", (result,))
        case _:
            return


def _calls(message: Mapping[str, object], path: str) -> Iterator[CallPart]:
    found = False
    for key in ("tool_calls", "invalid_tool_calls"):
        for index, call in enumerate(mappings(message.get(key))):
            found = True
            arguments = call.get("args") if "args" in call else mapping(call.get("function")).get("arguments")
            name = text(call.get("name")) or text(mapping(call.get("function")).get("name"))
            yield CallPart(name, arguments, identifier(call.get("id")), f"{path}/{key}/{index}")
    extra = mapping(message.get("additional_kwargs"))
    if found:
        return
    for index, call in enumerate(mappings(extra.get("tool_calls"))):
        function = mapping(call.get("function"))
        place = f"{path}/additional_kwargs/tool_calls/{index}"
        yield CallPart(text(function.get("name")), function.get("arguments"), identifier(call.get("id")), place)
    legacy = mapping(extra.get("function_call"))
    if legacy:
        place = f"{path}/additional_kwargs/function_call"
        yield CallPart(text(legacy.get("name")), legacy.get("arguments"), None, place)
