"""The two tools, served over streamable HTTP by the official library, behind a bearer token."""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import asdict
from typing import Any

from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from starlette.responses import JSONResponse

from playbooks_local.mcp_server.outbox import Outbox

# What ASGI calls scope, receive and send.
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_WRITES = ToolAnnotations(read_only_hint=False, idempotent_hint=False, open_world_hint=True)


def application(outbox: Outbox, token: str, path: str) -> Application:
    """The server as an ASGI application; `GET /sent` shows what was carried out, to whoever has the token."""
    server = MCPServer("local tools")

    @server.tool(annotations=_WRITES)
    def add_comment(page: str, text: str, idempotency_key: str = "") -> str:
        """Add a comment to a page of the wiki."""
        return outbox.send("add_comment", {"page": page, "text": text}, idempotency_key)

    @server.tool(annotations=_WRITES)
    def send_mail(to: list[str], subject: str, body: str, idempotency_key: str = "") -> str:
        """Send a mail to one or more people."""
        return outbox.send("send_mail", {"to": to, "subject": subject, "body": body}, idempotency_key)

    return _Guarded(server.streamable_http_app(streamable_http_path=path), token, outbox)


class _Guarded:
    """Lets through who bears the token, and shows what was carried out."""

    def __init__(self, inside: Application, token: str, outbox: Outbox) -> None:
        self._inside = inside
        self._expected = f"Bearer {token}".encode()
        self._outbox = outbox

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inside(scope, receive, send)
        elif not hmac.compare_digest(dict(scope["headers"]).get(b"authorization", b""), self._expected):
            refusal = JSONResponse({"error": "unauthorized"}, 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
        elif scope["path"] == "/sent":
            await JSONResponse([asdict(one) for one in self._outbox.sent])(scope, receive, send)
        else:
            await self._inside(scope, receive, send)
