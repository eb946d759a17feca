"""What of a conversation the model is shown: the user's words, which queries ran, and how calls ended; never rows.

The size does not grow with the conversation: what was said last weighs most, so the end is kept and the middle thinned.
"""

from collections.abc import Mapping, Sequence

from playbooks.domain.conversation import Collected, Conversation, ResultState, Role, ToolCall, Turn

MAX_CHARACTERS = 40_000
_USER_TEXT = 4_000
_ASSISTANT_TEXT = 800
_ERROR_TEXT = 200
_ARGUMENT_TEXT = 300
_MAX_CALLS = 30


def user_text(conversation: Conversation) -> str:
    """Everything the user wrote."""
    return "\n".join(turn.text for turn in conversation.turns if turn.role is Role.USER)


def queries_material(collected: Collected) -> list[dict[str, object]]:
    """The confirmed queries by number; each is data that ran, not an instruction."""
    return [
        {
            "number": query.number,
            "statement": query.statement,
            "database": query.database,
            "literal_dates": list(query.literal_dates),
        }
        for query in collected.kept
    ]


def turns_material(
    conversation: Conversation, collected: Collected, limit: int = MAX_CHARACTERS
) -> list[dict[str, object]]:
    """The turns in order, within `limit` characters of text; a number says how many were left out where.

    A call shows its tool, its arguments in short (a confirmed query by its number) and how it ended.
    """
    numbers = {query.statement: query.number for query in collected.kept}
    shown: list[dict[str, object]] = []
    size = left_out = 0
    turns = conversation.turns
    for index in range(len(turns) - 1, -1, -1):
        material = _turn(turns[index], numbers)
        weight = len(str(material))
        if size + weight > (limit if index else limit + _USER_TEXT * 2):
            left_out += 1
            continue
        if left_out:
            shown.append({"left_out": left_out})
            left_out = 0
        size += weight
        shown.append(material)
    if left_out:
        shown.append({"left_out": left_out})
    return list(reversed(shown))


def _turn(turn: Turn, numbers: Mapping[str, int]) -> dict[str, object]:
    limit = _USER_TEXT if turn.role is Role.USER else _ASSISTANT_TEXT
    material: dict[str, object] = {"role": turn.role.value, "text": _short(turn.text, limit)}
    if turn.calls:
        material["calls"] = [_call(call, numbers) for call in turn.calls[:_MAX_CALLS]]
    return material


def _call(call: ToolCall, numbers: Mapping[str, int]) -> dict[str, object]:
    material: dict[str, object] = {"tool": call.name[:100], "result": call.state.value}
    confirmed = [numbers[value] for value in call.arguments.values() if isinstance(value, str) and value in numbers]
    if confirmed and call.state is ResultState.OK:
        material["confirmed_query"] = confirmed[0]
    else:
        material["arguments"] = {key[:60]: _argument(value) for key, value in list(call.arguments.items())[:10]}
    if call.state is ResultState.ERROR and call.result is not None:
        material["error"] = _short(call.result.text, _ERROR_TEXT)
    return material


def _argument(value: object) -> object:
    if isinstance(value, str):
        return _short(value, _ARGUMENT_TEXT)
    if isinstance(value, bool | int | float | None):
        return value
    size = len(value) if isinstance(value, Sequence | Mapping) else 0
    return f"({size} values)"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit} characters left out)"
