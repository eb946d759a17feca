"""Errors as problem documents (RFC 9457), in one place: our stable codes, all findings at once."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from playbooks.application.grants import Blocked
from playbooks.errors import Conflict, Finding, NotFound, PlaybooksError, Refused, Unavailable

CONTENT_TYPE = "application/problem+json"
_STATUS: tuple[tuple[type[PlaybooksError], HTTPStatus], ...] = (
    (NotFound, HTTPStatus.NOT_FOUND),
    (Conflict, HTTPStatus.CONFLICT),
    (Blocked, HTTPStatus.FORBIDDEN),
    (Refused, HTTPStatus.UNPROCESSABLE_ENTITY),
    (Unavailable, HTTPStatus.SERVICE_UNAVAILABLE),
)


class Unauthorized(PlaybooksError):
    """Raised when the token is no ID token of a person of a tenant."""

    code = "unauthorized"


def problem(
    status: HTTPStatus, code: str, detail: str, findings: tuple[Finding, ...] = (), *, retryable: bool = False
) -> Response[str]:
    """A problem document."""
    body: dict[str, Any] = {
        "type": f"urn:playbooks:{code}",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
        "code": code,
        "retryable": retryable,
    }
    if findings:
        body["findings"] = [
            {"code": f.code, "path": f.path, "message": f.message, "allowed": list(f.allowed)} for f in findings
        ]
    return Response(status_code=status.value, content_type=CONTENT_TYPE, body=json.dumps(body, ensure_ascii=False))


def known_problem(error: PlaybooksError) -> Response[str]:
    """The answer for an error of ours; what has no status of its own is a fault of ours and says only its code."""
    if isinstance(error, Unauthorized):
        return problem(HTTPStatus.UNAUTHORIZED, error.code, error.message)
    for kind, status in _STATUS:
        if isinstance(error, kind):
            findings = error.findings if isinstance(error, Refused) else ()
            return problem(status, error.code, error.message, findings, retryable=error.retryable)
    if error.retryable:
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, error.code, error.message, retryable=True)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, error.code, "This is a fault of ours; it is in the log.")


def invalid_request(error: RequestValidationError) -> Response[str]:
    """The answer for a request whose shape is wrong."""
    findings = tuple(
        Finding(str(item["type"]), "/" + "/".join(str(part) for part in item["loc"]), str(item["msg"]))
        for item in error.errors()
    )
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_request", "The request has another shape.", findings)
