"""The stand-in on a loopback port."""

import json
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from playbooks_local.loopback_server import Handler, LoopbackServer
from playbooks_local.standin_model.answers import Answer
from playbooks_local.standin_model.faults import Fault, FaultKind, FaultQueue, WrongFaults, parse_faults
from playbooks_local.standin_model.prompt import read_prompt
from playbooks_local.standin_model.rules import answer
from playbooks_local.standin_model.wire import error, message, objection

MESSAGES = "/v1/messages"
FAULTS = "/stand-in/faults"
MAX_BODY = 32 * 1024 * 1024
_ERRORS = {
    FaultKind.RATE_LIMIT: (429, "rate_limit_error", "The stand-in was told to limit the rate."),
    FaultKind.OVERLOADED: (529, "overloaded_error", "Overloaded"),
    FaultKind.SERVER_ERROR: (500, "api_error", "Internal server error"),
    FaultKind.WRONG_KEY: (401, "authentication_error", "invalid key"),
}


class StandInModel:
    """A context manager: the stand-in listens on entry, on `port` or on a free one. Raises PortInUse.

    `POST /v1/messages` is answered by rule; `POST /stand-in/faults` with a list of faults (see `faults`) says what the
    next requests get instead. `delay` seconds pass before each answer.
    """

    def __init__(self, *, port: int | None = None, faults: Sequence[Fault] = (), delay: float = 0.0) -> None:
        self.faults = FaultQueue(faults)
        self.delay = delay
        self._answered = 0
        self._lock = threading.Lock()
        self._server = LoopbackServer("the stand-in model", self._handler, port=port)

    @property
    def url(self) -> str:
        """The base URL for a client; only while it listens."""
        return self._server.url

    @property
    def answered(self) -> int:
        """How many requests were answered by rule."""
        return self._answered

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    def count(self) -> None:
        """One more answered request."""
        with self._lock:
            self._answered += 1

    def _handler(self) -> type[Handler]:
        model = self

        class MessagesHandler(_MessagesHandler):
            stand_in = model

        return MessagesHandler


class _MessagesHandler(Handler):
    stand_in: StandInModel
    wbufsize = -1  # head and body leave in one write: two would wait for each other's acknowledgement

    def do_POST(self) -> None:  # noqa: N802 - the base class names it so
        if int(self.headers.get("Content-Length") or 0) > MAX_BODY:
            self.close_connection = True
            self._error(413, "request_too_large", "Request exceeds the maximum size")
            return
        try:
            body = json.loads(self.body())
        except ValueError:
            self._error(400, "invalid_request_error", "The body is not JSON")
            return
        path = self.path.partition("?")[0]
        if path == MESSAGES:
            self._messages(body)
        elif path == FAULTS:
            self._take_faults(body)
        else:
            self._error(404, "not_found_error", f"There is no {path} here: {MESSAGES} or {FAULTS}")

    def _take_faults(self, body: object) -> None:
        try:
            faults = parse_faults(body)
        except WrongFaults as wrong:
            self._error(400, "invalid_request_error", wrong.message)
            return
        self.stand_in.faults.add(faults)
        self._send(200, {"faults": len(faults)})

    def _messages(self, body: object) -> None:
        fault = self.stand_in.faults.take()
        if fault is not None and fault.kind is FaultKind.HANG_UP:
            self.close_connection = True
            return
        if fault is not None and fault.kind in _ERRORS:
            status, kind, text = _ERRORS[fault.kind]
            self._error(status, kind, text, retry_after=fault.seconds if status == 429 else None)
            return
        if not self.headers.get("authorization") and not self.headers.get("x-api-key"):
            self._error(401, "authentication_error", "a key is required: Authorization or x-api-key")
            return
        wrong = objection(body)
        if wrong is not None or not isinstance(body, dict):
            self._error(400, "invalid_request_error", wrong or "the body must be a JSON object")
            return
        time.sleep(self.stand_in.delay + (fault.seconds if fault is not None and fault.kind is FaultKind.DELAY else 0))
        if fault is not None and fault.kind is FaultKind.REFUSAL:
            self._send(200, message(Answer("I cannot help with that."), body, refusal=True))
            return
        try:
            said = answer(read_prompt(body))
        except (ValueError, TypeError, LookupError, AttributeError) as problem:
            self._error(400, "invalid_request_error", f"the stand-in does not understand the prompt: {problem}")
            return
        self.stand_in.count()
        self._send(200, message(said, body, cut=fault is not None and fault.kind is FaultKind.CUT))

    def _error(self, status: int, kind: str, text: str, *, retry_after: float | None = None) -> None:
        self._send(status, error(kind, text), {"retry-after": f"{retry_after:g}"} if retry_after is not None else {})

    def _send(self, status: int, value: object, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)
