"""Show a piece of what was sent inside a message or a JSON pointer, whatever it holds."""

MAX_SHOWN = 60
_MAX_INTEGER_BITS = 256


def printable(text: str) -> str:
    """The text, cut to 60 characters, with everything escaped that cannot be encoded or would break a line."""
    cut = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in cut)


def kind_of(value: object) -> str:
    """What a JSON value is called in a message: string, integer, number, boolean, null, list or object."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list() | tuple():
            return "list"
        case _:
            return "object"


def shown(value: object) -> str:
    """Kind and content of a scalar (`string 'abc'`), the kind alone for anything that could be large or deep."""
    if isinstance(value, str):
        return f"string '{printable(value)}'"
    if isinstance(value, bool):
        return f"boolean {str(value).lower()}"
    if isinstance(value, int):
        # The repr of a huge integer is quadratic and, past 4,300 digits, refused by Python.
        return f"integer {value}" if value.bit_length() <= _MAX_INTEGER_BITS else "a huge integer"
    if isinstance(value, float):
        return f"number {value}"
    return kind_of(value)


def pointer(*parts: str | int) -> str:
    """A JSON pointer (RFC 6901) whose parts are made printable, so it can always be encoded and logged."""
    return "".join(f"/{printable(str(part)).replace('~', '~0').replace('/', '~1')}" for part in parts)
