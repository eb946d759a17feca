"""The arguments of a call: an object, or text that holds one, encoded once or more often."""

import json
from collections.abc import Mapping

from playbooks.domain.conversation.json_record import parse_text

_LAYERS = 4


def parse_arguments(raw: object) -> tuple[Mapping[str, object], str]:
    """The arguments as a mapping, and as recorded when they cannot be read.

    A plain string that is not JSON is one unnamed argument: it comes back under the key `input`.
    """
    value = raw
    for _ in range(_LAYERS):
        if isinstance(value, dict):
            return value, ""
        if value is None or value == "":
            return {}, ""
        if not isinstance(value, str):
            break
        parsed = parse_text(value)
        if parsed is None:
            if value.lstrip()[:1] in {"{", "[", '"'}:
                return {}, value
            return {"input": value}, ""
        value = parsed.value
    if isinstance(value, str):
        return {"input": value}, ""
    return {}, raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False, default=str)
