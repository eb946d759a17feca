"""A door in front of SQS that can be held shut: a test sees what stands when a bell was never rung."""

import http.client
import threading
from urllib.parse import urlsplit

from playbooks_local.loopback_server import Handler, LoopbackServer

_HOP_BY_HOP = {"connection", "keep-alive", "content-length", "transfer-encoding"}
HOLD_SECONDS = 30


class HeldBell(LoopbackServer):
    """Functions reach it as their SQS endpoint; `upstream` is the emulator's address."""

    def __init__(self) -> None:
        super().__init__("the held bell", self._handler_class)
        self.upstream = ""
        self._open = threading.Event()
        self._open.set()
        self.knocked = threading.Event()

    def hold(self) -> None:
        """Let nobody through until `release`; a caller that is killed meanwhile never rang."""
        self.knocked.clear()
        self._open.clear()

    def release(self) -> None:
        """Let everybody through again. Who waited is answered with an error: the message was not sent."""
        self._open.set()

    def _handler_class(self) -> type[Handler]:
        bell = self

        class BellHandler(Handler):
            def do_POST(self) -> None:  # noqa: N802 - the base class looks for this name
                body = self.body()
                if not bell._open.is_set():
                    bell.knocked.set()
                    bell._open.wait(HOLD_SECONDS)
                    self.answer(503, b"{}", "application/x-amz-json-1.0")
                    return
                status, kind, answer = bell._forward(self.path, dict(self.headers), body)
                self.answer(status, answer, kind)

        return BellHandler

    def _forward(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection(urlsplit(self.upstream).netloc, timeout=30)
        try:
            kept = {name: value for name, value in headers.items() if name.lower() not in _HOP_BY_HOP}
            connection.request("POST", path, body, kept)
            response = connection.getresponse()
            return response.status, response.headers.get("Content-Type", ""), response.read()
        finally:
            connection.close()
