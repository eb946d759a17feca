"""The formats of chat records in the words of those who export them."""

from collections.abc import Mapping

_WORDS: Mapping[str, str] = {
    "anthropic_messages": "Anthropic Messages",
    "chatgpt_export": "a ChatGPT export",
    "claude_ai_export": "a claude.ai export",
    "claude_code": "a Claude Code session",
    "dify_messages": "Dify messages",
    "langgraph_state": "a LangGraph state",
    "mcp_jsonrpc": "MCP messages (JSON-RPC)",
    "openai_chat_completions": "OpenAI Chat Completions",
    "openai_responses": "OpenAI Responses",
    "openwebui_export": "an Open WebUI export",
    "ui_messages": "Vercel AI SDK messages",
}


def format_words(name: str) -> str:
    """`Anthropic Messages` for `anthropic_messages`; a name without words as it is."""
    return _WORDS.get(name, name)
