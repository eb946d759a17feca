"""What an exchange says about its call: answered, turned away, or unknown."""

import json
from collections.abc import Sequence
from typing import Any

from mcp.shared.exceptions import MCPError

from playbooks.adapters.mcp_tools.wire import Exchange
from playbooks.ports.tools import Answered, CallOutcome, NotSent, OutcomeUnknown

MAX_CONTENT = 200_000
_SOME_TIME = frozenset({408, 409, 425, 429})
_UNTOUCHED = frozenset({-32601, -32602})
"""JSON-RPC: no such method, invalid parameters. A server says so before it runs anything."""
_OWN_WORDS = frozenset({-32000, -32001, -32600, -32603, -32700})
"""Codes the client library gives to what went wrong on the way; a server's own of that kind says as little."""


def answered(content: Sequence[Any], structured: Any, *, is_error: bool) -> Answered:
    """The text of a result; what is no text is named by its kind."""
    texts = [_shown(block) for block in content]
    if not texts and structured is not None:
        texts = [json.dumps(structured, ensure_ascii=False)]
    whole = "\n".join(texts)
    return Answered(whole if len(whole) <= MAX_CONTENT else whole[:MAX_CONTENT] + " … (cut)", is_error)


def failed(exchange: Exchange, error: BaseException) -> CallOutcome:
    """What became of a call whose exchange ended in an error."""
    status = exchange.call_status if exchange.call_sent else exchange.status
    if not exchange.call_sent:
        if exchange.barred:
            return NotSent(f"The call was not made: {exchange.barred}.")
        if status in {401, 403}:
            return NotSent(
                f"The tool server refuses our token ({status}): the administrator registers it again.",
            )
        return NotSent(
            f"The tool server did not take the call ({_cause(error, status)}): nothing was sent to the tool.",
            retryable=True,
        )
    if exchange.barred:
        return _barred(exchange)
    if status is not None and 400 <= status < 500 and status != 408:
        return NotSent(f"The tool server turned the call away (HTTP {status}).", retryable=status in _SOME_TIME)
    problem = _json_rpc(error)
    if status == 200 and problem is not None:
        if problem.code in _UNTOUCHED:
            return NotSent(f"The tool server does not take this call: {problem.message[:500]}")
        if problem.code not in _OWN_WORDS:
            return Answered(problem.message[:2_000], is_error=True)
    return OutcomeUnknown(
        f"The call was sent and no answer came that says what became of it ({_cause(error, status)})."
    )


def _barred(exchange: Exchange) -> CallOutcome:
    if exchange.call_status is not None and 300 <= exchange.call_status < 400:
        return NotSent(f"The call was turned away: {exchange.barred}. The administrator registers the right address.")
    return OutcomeUnknown(f"The call was sent, and its answer was not read to the end: {exchange.barred}.")


def _shown(block: Any) -> str:
    match getattr(block, "type", ""):
        case "text":
            return str(block.text)
        case "resource_link":
            return f"({block.name}: {block.uri})"
        case "resource" if hasattr(block.resource, "text"):
            return str(block.resource.text)
        case kind:
            return f"({kind or 'content'} of the kind {getattr(block, 'mime_type', None) or 'unknown'}, not shown)"


def _json_rpc(error: BaseException) -> MCPError | None:
    for one in _leaves(error):
        if isinstance(one, MCPError):
            return one
    return None


def _cause(error: BaseException, status: int | None) -> str:
    if status is not None and status >= 400:
        return f"HTTP {status}"
    names = dict.fromkeys(type(one).__name__ for one in _leaves(error))
    return ", ".join(list(names)[:3])


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]
