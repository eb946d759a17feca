"""A real MCP server for the local stack: two tools that change something outside, and a memory of what came.

with LocalMcpServer() as server:
    server.url                    # http://127.0.0.1:…/mcp, bearer token `server.token`
    server.wait_for(1, 10)        # what `send_mail` and `add_comment` carried out
"""

import contextlib
import threading
import time
from types import TracebackType
from typing import Self

import uvicorn

from playbooks.errors import PlaybooksError
from playbooks_local.loopback_ports import HOST, free_port, require_free
from playbooks_local.mcp_server.outbox import Outbox, Sent
from playbooks_local.mcp_server.tools import application

PATH = "/mcp"
_PATIENCE = 10.0


class McpServerFailed(PlaybooksError):
    """Raised when the server does not come up."""

    code = "mcp_server_failed"


class LocalMcpServer:
    """A context manager: listens on entry, ends its thread on exit. Raises PortInUse for a chosen port."""

    def __init__(self, *, port: int | None = None, token: str = "local-tool-token") -> None:  # noqa: S107 - local only
        self.token = token
        self._wanted_port = port
        self._port = 0
        self._outbox = Outbox()
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Its address; only while it listens."""
        if self._server is None:
            raise RuntimeError("the MCP server is not started")
        return f"http://{HOST}:{self._port}{PATH}"

    @property
    def sent(self) -> tuple[Sent, ...]:
        """What was carried out, in order; a call repeated under its key stands here once."""
        return self._outbox.sent

    def wait_for(self, count: int, timeout: float) -> tuple[Sent, ...]:
        """Wait until at least `count` calls were carried out; returns what there is after `timeout` seconds."""
        return self._outbox.wait_for(count, timeout)

    def clear(self) -> None:
        """Forget what came, and its keys."""
        self._outbox.clear()

    def __enter__(self) -> Self:
        self._port = free_port() if self._wanted_port is None else require_free(self._wanted_port, "the MCP server")
        app = application(self._outbox, self.token, PATH)
        self._server = uvicorn.Server(
            uvicorn.Config(app, host=HOST, port=self._port, log_level="critical", access_log=False, lifespan="on")
        )
        self._thread = threading.Thread(target=self._server.run, name="the MCP server", daemon=True)
        self._thread.start()
        deadline = time.monotonic() + _PATIENCE
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self._end()
                raise McpServerFailed(f"the MCP server did not start on port {self._port}: is something else there?")
            time.sleep(0.01)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._server.force_exit = True
            with contextlib.suppress(RuntimeError):
                self._thread.join(_PATIENCE)
        self._server = None
