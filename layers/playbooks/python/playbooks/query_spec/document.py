"""Read a spec given as JSON text."""

import json

from playbooks.errors import Finding
from playbooks.query_spec.errors import QuerySpecError
from playbooks.query_spec.limits import Limits


def read_json(text: str | bytes, limits: Limits) -> object:
    """Parse JSON (RFC 8259: no NaN) of at most `max_bytes`; of a repeated key the last one counts.

    Raises QuerySpecError with invalid_json, too_large or too_deep.
    """
    # A character is at least one byte, so the cheap count refuses a huge text before it is encoded.
    size = len(text)
    if size <= limits.max_bytes and isinstance(text, str) and not text.isascii():
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > limits.max_bytes:
        raise _refusal("too_large", f"at most {limits.max_bytes} bytes; this spec is larger")
    try:
        parsed: object = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise _refusal("too_deep", f"groups may nest at most {limits.max_depth} deep; flatten the tree") from None
    except json.JSONDecodeError as error:
        raise _refusal("invalid_json", f"not valid JSON: {error.msg} at character {error.pos}") from None
    except UnicodeDecodeError:
        raise _refusal("invalid_json", "not valid JSON: the bytes are not UTF-8") from None
    except ValueError as error:
        # An integer of more than 4,300 digits, or a constant JSON does not have.
        raise _refusal("invalid_json", f"not valid JSON: {str(error)[:80]}") from None
    return parsed


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def _refusal(code: str, message: str) -> QuerySpecError:
    return QuerySpecError([Finding(code, "", message)])
