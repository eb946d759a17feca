"""The sample chat: a messy record in Anthropic Messages form, its results asked from the sample database.

`chat_en.json` and `chat_ko.json` hold the conversation. Dates in them are names (`{{last_monday}}`), a result is the
word `{{result}}`: both are filled here, so that the chat is always about the week before the day it is made.
"""

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from importlib import resources
from typing import Any

import pg8000.exceptions  # type: ignore[import-untyped]  # pg8000 ships no types
import pg8000.native  # type: ignore[import-untyped]  # pg8000 ships no types

from playbooks_local.sample.shop import READER, reason_of

LANGUAGES = ("en", "ko")
_RESULT = "{{result}}"


def sample_chat(
    connection: pg8000.native.Connection, *, today: date, zone: str, language: str = "en"
) -> dict[str, Any]:
    """The record of a chat held on `today`. `connection` is the sample shop's login; `zone` is the person's."""
    text = resources.files("playbooks_local.sample").joinpath(f"chat_{language}.json").read_text("utf-8")
    for name, day in _days(today).items():
        text = text.replace("{{" + name + "}}", day.isoformat())
    record: dict[str, Any] = json.loads(text)
    statements = {block["id"]: block["input"].get("sql", "") for block in _blocks(record, "tool_use")}
    connection.run(f"SET ROLE {READER}")
    connection.run("SELECT set_config('TimeZone', :zone, false)", zone=zone)
    for block in _blocks(record, "tool_result"):
        if block["content"] == _RESULT:
            block["content"], failed = _ask(connection, statements[block["tool_use_id"]])
            if failed:
                block["is_error"] = True
    return record


def _days(today: date) -> dict[str, date]:
    this_monday = today - timedelta(days=today.weekday())
    return {
        "previous_monday": this_monday - timedelta(days=14),
        "last_monday": this_monday - timedelta(days=7),
        "this_monday": this_monday,
    }


def _blocks(record: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    for message in record["messages"]:
        if isinstance(message["content"], list):
            yield from (block for block in message["content"] if block["type"] == kind)


def _ask(connection: pg8000.native.Connection, statement: str) -> tuple[str, bool]:
    """What a query tool answers: rows as JSON objects, or the server's refusal; and whether it is one."""
    connection.run("BEGIN READ ONLY")
    try:
        rows = connection.run(statement)
        names = [column["name"] for column in connection.columns]
        found = [dict(zip(names, row, strict=True)) for row in rows]
        return json.dumps(found, ensure_ascii=False, default=_plain), False
    except pg8000.exceptions.DatabaseError as error:
        return f"ERROR: {reason_of(error)}", True
    finally:
        connection.run("ROLLBACK")


def _plain(value: object) -> float | str:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    return str(value)
