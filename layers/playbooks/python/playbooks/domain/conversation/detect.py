"""Which client recorded a conversation, told from its content: a person never names the format."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from playbooks.domain.conversation.fields import encodable
from playbooks.domain.conversation.json_record import Record
from playbooks.domain.conversation.model import Conversation
from playbooks.domain.conversation.readers import (
    anthropic_messages,
    chatgpt_export,
    claude_ai_export,
    claude_code,
    dify_messages,
    langgraph_state,
    mcp_jsonrpc,
    openai_chat,
    openai_responses,
    openwebui_export,
    ui_messages,
)
from playbooks.errors import Refused


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: how it is recognised and how its conversations are read, one after the other."""

    name: str
    recognizes: Callable[[Record], bool]
    read: Callable[[Record], Iterator[Conversation]]


READERS = tuple(
    Reader(module.NAME, module.recognizes, module.read)
    for module in (
        chatgpt_export,
        claude_ai_export,
        claude_code,
        openwebui_export,
        dify_messages,
        mcp_jsonrpc,
        ui_messages,
        openai_responses,
        langgraph_state,
        anthropic_messages,
        openai_chat,
    )
)
"""The most telling marks first; plain messages, which several formats share, last."""


def detect(record: Record) -> Reader:
    """The reader of a record; raises Refused with what was found and what can be read."""
    for reader in READERS:
        if reader.recognizes(record):
            return reader
    raise Refused(
        f"This is not a chat record that can be read: {_found(record)}. {UNDERSTOOD}", code="not_a_conversation"
    )


UNDERSTOOD = (
    "Understood are Anthropic Messages, OpenAI Chat Completions and Responses, exports of ChatGPT, claude.ai, Claude "
    "Code and Open WebUI, LangChain and LangGraph messages, AI SDK UI messages, Dify messages and MCP JSON-RPC logs."
)


def _found(record: Record) -> str:
    for value in record.head():
        keys = ", ".join(encodable(key)[:40] for key in list(value)[:8]) or "none"
        return f"it holds objects with the fields {keys}"
    return "it holds no object that could be a message"
