"""What a failed call means to the person who has to mend it, as ModelBusy or ModelRejected."""

import email.utils
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

import anthropic

from playbooks.ports.model import ModelBusy, ModelRejected

_RETRYABLE = frozenset({408, 409, 425, 429})
_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Hints:
    """What helps at this service: on a refused key, a missing permission, and an unknown model."""

    service: str
    key: str
    permission: str
    model: str


def may_pass(status: int) -> bool:
    """Whether the same request can succeed later."""
    return status in _RETRYABLE or status >= 500


def retry_after(headers: Mapping[str, str]) -> timedelta | None:
    """How long the server asks to wait (`retry-after-ms`, or `Retry-After` as seconds or date, RFC 9110 10.2.3)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds <= 86_400:
            return timedelta(seconds=seconds)
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    if date is None:
        return None
    return timedelta(seconds=max(0.0, email.utils.mktime_tz(date) - time.time()))


def busy(status: int, headers: Mapping[str, str], hints: Hints) -> ModelBusy:
    """The service limits the rate, is overloaded or failed."""
    wait = retry_after(headers)
    what = {
        408: "took too long to take the request",
        429: "limits how much this key may ask just now",
        529: "is overloaded",
    }.get(status, f"failed on its side (status {status})")
    when = f"; it asks to wait {wait.total_seconds():.0f} seconds" if wait else ""
    return ModelBusy(f"{hints.service} {what}{when}.", retry_after=wait)


def explain(
    error: anthropic.AnthropicError, hints: Hints, redact: Callable[[str], str], seconds: float
) -> ModelBusy | ModelRejected:
    """The error of one call, retries included; `seconds` is the time it had. No key stands in the text."""
    match error:
        case anthropic.APITimeoutError():
            return ModelBusy(f"{hints.service} did not answer within {seconds:.0f} seconds.")
        case anthropic.APIConnectionError():
            return ModelBusy(f"{hints.service} cannot be reached: check the network and the base URL.")
        case anthropic.APIStatusError() if may_pass(error.status_code):
            return busy(error.status_code, error.response.headers, hints)
        case anthropic.APIStatusError():
            return _rejected(error, hints, redact)
        case _:
            return ModelRejected(f"{hints.service} could not be asked: {redact(str(error))[:_SHOWN]}")


def _rejected(error: anthropic.APIStatusError, hints: Hints, redact: Callable[[str], str]) -> ModelRejected:
    said = redact(error.api_message or "").strip()[:_SHOWN]
    match error.status_code:
        case 401:
            what = f"did not accept the key: {hints.key}"
        case 402:
            what = "asks for payment: check the plan and the credit of the account"
        case 403:
            what = f"does not allow this: {hints.permission}"
        case 404:
            what = f"does not know this: {hints.model}"
        case 413:
            what = "takes no request of this size: ask with less material"
        case status:
            what = f"refused the request (status {status})"
    return ModelRejected(f"{hints.service} {what}." + (f" It says: {said}" if said else ""))
