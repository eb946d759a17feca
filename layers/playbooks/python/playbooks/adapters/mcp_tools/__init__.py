"""Tools of MCP servers over streamable HTTP."""

import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from playbooks.adapters.mcp_tools.addresses import (
    Address,
    Endpoint,
    Resolve,
    endpoint,
    is_public_address,
    system_resolve,
)
from playbooks.errors import PlaybooksError
from playbooks.ports.tools import (
    CallOutcome,
    NotSent,
    RegisteredTool,
    ToolCaps,
    ToolDescription,
    ToolServerRefused,
    ToolServerUnreachable,
)

if TYPE_CHECKING:
    from mcp import Client

    from playbooks.adapters.mcp_tools.wire import Exchange

_T = TypeVar("_T")
_PAGES = 20


class McpTools:
    """`Tools` over the official MCP library, which is loaded by the first operation.

    A name is resolved once and the connection goes to that address: a name server that answers differently the
    second time is not asked again. `allow_loopback` is for the local stack.
    """

    def __init__(
        self,
        *,
        allow_loopback: bool = False,
        resolve: Resolve = system_resolve,
        is_public: Callable[[Address], bool] = is_public_address,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._allow_loopback = allow_loopback
        self._resolve = resolve
        self._is_public = is_public
        self._tls = tls

    def call(
        self,
        tool: RegisteredTool,
        arguments: Mapping[str, Any],
        *,
        token: str | None = None,
        idempotency_key: str | None = None,
        caps: ToolCaps | None = None,
    ) -> CallOutcome:
        """Send one call, at most once, and tell what is known about it."""
        # The library costs more than half a second to import: only a step that calls a service pays for it.
        from playbooks.adapters.mcp_tools.outcomes import answered, failed
        from playbooks.adapters.mcp_tools.wire import Exchange

        sent = dict(arguments)
        if tool.key_argument is not None and idempotency_key is not None:
            sent[tool.key_argument] = idempotency_key
        try:
            place = self._endpoint(tool.url, tool.allowed_hosts)
        except PlaybooksError as error:
            return NotSent(error.message, error.retryable)
        exchange = Exchange()

        async def ask(client: "Client") -> CallOutcome:
            from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult

            # Not `call_tool`: it sends again in some cases, and throws away an answer that does not fit its schema.
            request = CallToolRequest(params=CallToolRequestParams(name=tool.remote_name, arguments=sent))
            result = await client.session.send_request(request, CallToolResult)
            return answered(result.content, result.structured_content, is_error=bool(result.is_error))

        try:
            return self._run(place, exchange, token, caps or ToolCaps(), ask)
        except Exception as error:  # noqa: BLE001 - whatever it was, what is known about the call is in `exchange`
            return failed(exchange, error)

    def describe(
        self,
        url: str,
        allowed_hosts: Sequence[str],
        *,
        token: str | None = None,
        caps: ToolCaps | None = None,
    ) -> tuple[ToolDescription, ...]:
        """The tools a server offers; raises ToolServerRefused, ToolServerUnreachable."""
        from playbooks.adapters.mcp_tools.wire import Exchange

        place = self._endpoint(url, allowed_hosts)
        exchange = Exchange()

        async def ask(client: "Client") -> tuple[ToolDescription, ...]:
            found: list[ToolDescription] = []
            cursor: str | None = None
            for _ in range(_PAGES):
                page = await client.list_tools(cursor=cursor)
                found += [_described(tool) for tool in page.tools]
                cursor = page.next_cursor
                if cursor is None:
                    break
            return tuple(found)

        try:
            return self._run(place, exchange, token, caps or ToolCaps(), ask)
        except Exception as error:
            if exchange.barred or exchange.status in {401, 403}:
                why = exchange.barred or f"it refuses our token (HTTP {exchange.status})"
                raise ToolServerRefused(f"The tool server {place.host} cannot be used: {why}.") from error
            raise ToolServerUnreachable(f"The tool server {place.host} did not answer as one.") from error

    def _endpoint(self, url: str, allowed_hosts: Sequence[str]) -> Endpoint:
        return endpoint(
            url,
            allowed_hosts,
            resolve=self._resolve,
            is_public=self._is_public,
            allow_loopback=self._allow_loopback,
        )

    def _run(
        self,
        place: Endpoint,
        exchange: "Exchange",
        token: str | None,
        caps: ToolCaps,
        ask: Callable[["Client"], Awaitable[_T]],
    ) -> _T:
        """One operation in one event loop within its seconds. An answer that came is kept, whatever follows it."""
        import anyio

        got: list[_T] = []

        async def operate() -> None:
            with anyio.fail_after(caps.seconds):
                async with self._client(place, exchange, token, caps) as client:
                    got.append(await ask(client))

        _silence()
        try:
            anyio.run(operate)
        except Exception:
            if not got:
                raise
        return got[0]

    @asynccontextmanager
    async def _client(
        self, place: Endpoint, exchange: "Exchange", token: str | None, caps: ToolCaps
    ) -> "AsyncIterator[Client]":
        import httpx2
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        from playbooks.adapters.mcp_tools.wire import PinnedTransport

        headers = {"Accept-Encoding": "identity"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        transport = PinnedTransport(place, exchange, caps, self._tls or ssl.create_default_context())
        async with httpx2.AsyncClient(
            transport=transport, headers=headers, timeout=caps.seconds, trust_env=False, follow_redirects=False
        ) as http:
            streams = streamable_http_client(
                place.url, http_client=http, terminate_on_close=False, max_sse_event_size=caps.response_bytes
            )
            async with Client(streams, cache=None) as client:
                yield client


def _described(tool: Any) -> ToolDescription:
    hints = tool.annotations
    return ToolDescription(
        tool.name,
        (tool.description or "")[:4_000],
        tool.input_schema,
        hints.read_only_hint if hints else None,
        hints.idempotent_hint if hints else None,
    )


def _silence() -> None:
    """The libraries log what is sent and received; that is personal data and secrets, and belongs in no log."""
    for name in ("mcp", "httpx2", "httpcore2", "client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
