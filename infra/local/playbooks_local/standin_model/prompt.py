"""What a request holds, read as the model reads it: blocks of the opening, tools, and what was called so far."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

_BLOCK = re.compile(r"<(?P<name>[a-z_]+)(?P<attributes>[^>]*)>\n(?P<body>.*?)\n</(?P=name)>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call and what it answered."""

    tool: str
    arguments: Mapping[str, Any]
    result: str
    is_error: bool

    @property
    def data(self) -> Mapping[str, Any]:
        """The result as a JSON object; empty when it is none."""
        try:
            value = json.loads(self.result)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request. `blocks` are those of the first message: text, or the JSON value of a data block."""

    blocks: Mapping[str, Any]
    tools: Mapping[str, Mapping[str, Any]]
    exchanges: Sequence[Exchange]
    said_last: str
    """Our words in the last message."""

    def properties(self, tool: str) -> Mapping[str, Any]:
        """The properties of a tool's schema; empty for a tool that is not offered."""
        found: Mapping[str, Any] = self.tools.get(tool, {}).get("properties", {})
        return found

    @property
    def today(self) -> date:
        """The local day of `<now>` or `<today>`."""
        text = str(self.blocks.get("now") or self.blocks.get("today") or "")
        found = re.search(r"\d{4}-\d{2}-\d{2}", text)
        if found is None:
            raise ValueError("the prompt does not say what day it is")
        return date.fromisoformat(found[0])


def read_prompt(body: Mapping[str, Any]) -> Prompt:
    """The parts of a Messages API request."""
    messages = body["messages"]
    results = {block["tool_use_id"]: block for message in messages for block in _blocks(message, "tool_result")}
    exchanges = []
    for message in messages:
        for block in _blocks(message, "tool_use"):
            result = results.get(block["id"])
            if result is not None:
                failed = result.get("is_error") is True
                exchanges.append(Exchange(block["name"], block["input"], _text(result.get("content")), failed))
    return Prompt(
        blocks=_tagged(_text(messages[0]["content"])),
        tools={tool["name"]: tool["input_schema"] for tool in body.get("tools", [])},
        exchanges=exchanges,
        said_last=_text(messages[-1]["content"]),
    )


def _blocks(message: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    content = message["content"]
    return [block for block in content if block.get("type") == kind] if isinstance(content, list) else []


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "")) for block in content if block.get("type") == "text")
    return ""


def _tagged(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for match in _BLOCK.finditer(text):
        body = match["body"]
        found[match["name"]] = _json(body) if 'kind="data"' in match["attributes"] else body
    return found


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text
