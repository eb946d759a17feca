"""What a request carries when its shape is not a model's: the bytes of a file, or one JSON object of any depth."""

import base64
import binascii
import json
from collections.abc import Mapping

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from playbooks.domain.conversation.json_record import parse_text
from playbooks.errors import Finding, Refused


def sent_bytes(event: APIGatewayProxyEventV2) -> bytes:
    """The body's bytes as they were sent; empty when there are none."""
    body = event.body or ""
    try:
        return base64.b64decode(body) if event.is_base64_encoded else body.encode()
    except (binascii.Error, UnicodeEncodeError) as error:
        raise _not_json("The body cannot be decoded.") from error


def sent_object(event: APIGatewayProxyEventV2) -> Mapping[str, object]:
    """The JSON object of the body, bounded in depth and number of values; raises Refused (`invalid_json`)."""
    parsed = parse_text(sent_bytes(event).decode("utf-8", "replace"))
    if parsed is None or not isinstance(parsed.value, dict):
        raise _not_json("The body must be one JSON object with the arguments of the tool.")
    try:
        json.dumps(parsed.value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _not_json("A text holds half a character (a lone surrogate).") from error
    return parsed.value


def _not_json(message: str) -> Refused:
    return Refused(message, [Finding("invalid_json", "/body", message)], code="invalid_json")
