"""A small HTTP server on a loopback port, in a thread of this process, for what stands beside the emulated AWS."""

import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from playbooks_local.loopback_ports import HOST, require_free


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - the base class types neither
        """Say nothing of a caller who is gone before the answer: a program that was interrupted is one."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """A request handler that is silent, keeps connections open, and reads and writes whole bodies."""

    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing: what matters is kept by the server that is spoken to."""

    def body(self) -> bytes:
        """The request's body; empty without a length."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status: int, body: bytes, content_type: str = "application/json") -> None:
        """Send a whole response."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class LoopbackServer:
    """A context manager: listens on entry, ends its thread on exit. Raises PortInUse for a chosen port."""

    def __init__(self, what: str, handler: Callable[[], type[Handler]], *, port: int | None = None) -> None:
        self._what = what
        self._handler = handler
        self._wanted_port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port it listens on; only while it does."""
        if self._server is None:
            raise RuntimeError(f"{self._what} is not started")
        return self._server.server_port

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://{HOST}:{self.port}"

    def __enter__(self) -> Self:
        port = 0 if self._wanted_port is None else require_free(self._wanted_port, self._what)
        self._server = _Server((HOST, port), self._handler())
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name=self._what, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()
            self._server = None
