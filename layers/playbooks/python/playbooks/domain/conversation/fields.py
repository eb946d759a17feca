"""Reading fields of unknown shape: each function answers with its type or with nothing."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

_SURROGATES = re.compile("[\ud800-\udfff]")


def mapping(value: object) -> Mapping[str, object]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[object]:
    """The value when it is an array, else an empty one."""
    return value if isinstance(value, list) else ()


def mappings(value: object) -> tuple[Mapping[str, object], ...]:
    """The objects of an array, in order."""
    return tuple(item for item in sequence(value) if isinstance(item, dict))


def text(value: object) -> str:
    """The value when it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def identifier(value: object) -> str | None:
    """A string or integer id as text; nothing for anything else and for an empty string."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def label(value: object) -> str | None:
    """A title or similar as one clean line of at most 200 characters; nothing when it is empty."""
    return " ".join(encodable(text(value)).split())[:200] or None


def encodable(value: str) -> str:
    """The text with what UTF-8 cannot carry (lone surrogates, legal in JSON) replaced by U+FFFD."""
    return _SURROGATES.sub("\ufffd", value)


def instant(value: object) -> datetime | None:
    """An ISO 8601 time, or seconds or milliseconds since 1970, as an aware instant; nothing when it is neither.

    A time without an offset is taken as UTC: it orders turns and is shown, it decides nothing.
    """
    if isinstance(value, str) and len(value) <= 40:
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            return None
        return parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if abs(value) > 100_000_000_000 else value
        try:
            return datetime.fromtimestamp(seconds, UTC)
        except (OverflowError, OSError, ValueError):
            return None
    return None


def joined_text(content: object) -> str:
    """The text of a message: a string, or the text blocks of an array joined by line ends."""
    if isinstance(content, str):
        return encodable(content)
    parts: list[str] = []
    for block in sequence(content):
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, dict) and _is_text(block):
            parts.append(text(block.get("text")))
    return encodable("\n".join(part for part in parts if part))


def _is_text(block: Mapping[str, object]) -> bool:
    kind = block.get("type")
    return kind is None or text(kind) in {"text", "input_text", "output_text"}
