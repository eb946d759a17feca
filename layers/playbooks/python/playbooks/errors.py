"""The one root of every error a caller can meet.

`code` is stable and documented: programs may branch on it. `retryable` says whether the same call can succeed
later without anything being changed. The message is for a person and says what happened and what would help.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


class PlaybooksError(Exception):
    """Raised for every refusal or failure the product knows; anything else is a fault of ours."""

    code: str = "error"
    retryable: bool = False
    loggable: bool = False
    """Whether the message may stand in a log: it holds our own words and ids, no text of a person, a row or a model."""

    def __init__(self, message: str, *, code: str | None = None, values: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.values = values
        """What the message names when `language.reasons` has a sentence for the code, so that it can be said in another
        language; None for a message that stands for itself."""
        if code is not None:
            self.code = code


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with something a person or a model sent; all findings are given at once.

    `path` is a JSON pointer (RFC 6901) into what was sent; `allowed` lists accepted values where there is a short one.
    """

    code: str
    path: str
    message: str
    allowed: tuple[str, ...] = ()


class Refused(PlaybooksError):
    """Raised when what was sent cannot be accepted as it is; carries every finding."""

    code = "refused"

    def __init__(self, message: str, findings: Iterable[Finding] = (), *, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.findings = tuple(findings)


class NotFound(PlaybooksError):
    """Raised when the object does not exist or is not the caller's: the two look the same."""

    code = "not_found"


class Conflict(PlaybooksError):
    """Raised when the object is not in the state the request needs; the message says what to do first."""

    code = "conflict"


class Unavailable(PlaybooksError):
    """Raised when something outside (a database, the model, AWS) did not answer; trying again may succeed."""

    code = "unavailable"
    retryable = True
    loggable = True
