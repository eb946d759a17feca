"""The connection to a tool server: to one address, without redirects, proxies or unpacking, and counted."""

import json
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2

from playbooks.adapters.mcp_tools.addresses import Endpoint
from playbooks.ports.tools import ToolCaps

CALL = "tools/call"


class Barred(httpx2.TransportError):
    """Raised to stop an exchange that may not go on; `Exchange.barred` keeps why."""


@dataclass(slots=True)
class Exchange:
    """What is known about one operation, however it ends."""

    call_sent: bool = False
    """The first byte of the call's request was handed to the network."""
    call_status: int | None = None
    """HTTP status of the answer to the call."""
    status: int | None = None
    """HTTP status of the last answer."""
    barred: str = ""
    received: int = 0
    calls: int = 0


class PinnedTransport(httpx2.AsyncBaseTransport):
    """Sends every request to the endpoint's address, under its name (Host, SNI and certificate)."""

    def __init__(self, endpoint: Endpoint, exchange: Exchange, caps: ToolCaps, context: ssl.SSLContext) -> None:
        self._endpoint, self._exchange, self._caps = endpoint, exchange, caps
        self._inner = httpx2.AsyncHTTPTransport(verify=context, trust_env=False, retries=0)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; raises Barred for what is out of bounds."""
        body = await request.aread()
        is_call = _is_call(body)
        self._check(request, len(body), is_call=is_call)

        async def trace(event: str, _info: Any) -> None:
            if is_call and event.endswith("send_request_headers.started"):
                self._exchange.call_sent = True

        inner = httpx2.Request(
            request.method,
            request.url.copy_with(host=self._endpoint.address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": self._endpoint.host, "trace": trace},
        )
        response = await self._inner.handle_async_request(inner)
        self._exchange.status = response.status_code
        if is_call:
            self._exchange.call_status = response.status_code
        if 300 <= response.status_code < 400:
            await response.aclose()
            self._bar("the server sends us on to another address, which is not followed")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            self._bar("the server answers in a packed form that was not asked for")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Counted(response, self),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the connection."""
        await self._inner.aclose()

    def count(self, size: int) -> None:
        """Count what came; raises Barred when it is too much."""
        self._exchange.received += size
        if self._exchange.received > self._caps.response_bytes:
            self._bar(f"the server answers with more than {self._caps.response_bytes // 1024:,} KB")

    def _check(self, request: httpx2.Request, size: int, *, is_call: bool) -> None:
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        if (url.scheme, url.host, port) != (self._endpoint.scheme, self._endpoint.host, self._endpoint.port):
            self._bar("a request was to go to another address")
        if size > self._caps.request_bytes:
            self._bar(f"the request is larger than {self._caps.request_bytes // 1024:,} KB")
        if is_call:
            self._exchange.calls += 1
            if self._exchange.calls > 1:
                self._bar("the call was to be sent a second time")

    def _bar(self, why: str) -> None:
        self._exchange.barred = self._exchange.barred or why
        raise Barred(why)


class _Counted(httpx2.AsyncByteStream):
    """The body of an answer, counted while it is read."""

    def __init__(self, response: httpx2.Response, transport: PinnedTransport) -> None:
        self._response, self._transport = response, transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._response.aiter_raw():
            self._transport.count(len(piece))
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


def _is_call(body: bytes) -> bool:
    try:
        message = json.loads(body) if body else None
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("method") == CALL
