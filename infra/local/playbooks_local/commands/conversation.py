"""`playbooks conversation FILE`: what a chat record holds, what would be kept of it and why the rest would not."""

import argparse
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from playbooks.domain.conversation import (
    SEVERAL,
    Collected,
    Conversation,
    ConversationListing,
    ExecutorTools,
    collect,
    list_conversations,
    read_conversation,
)
from playbooks.errors import Refused
from playbooks_local.format_words import format_words
from playbooks_local.record_file import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CONTROL = re.compile(r"[^\n\t\x20-\x7e\xa0-\U0010ffff]")
"""What a terminal would obey instead of show."""
_NOTHING_USED = "No tool was used in it, so there is nothing to repeat."
_NOTHING_KEPT = "No query of it could be confirmed; its query steps would write their SQL on the first run."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What follows the command's name."""
    parser.add_argument("file", type=Path, help="a record of any client: its format is detected")
    parser.add_argument("--pick", metavar="ID", help="one conversation of an archive, by its id")
    parser.add_argument(
        "--tool", action="append", default=[], metavar="NAME", help="a tool that runs SQL, beside the known; may repeat"
    )


def run(arguments: argparse.Namespace, write: "Callable[[str], object]" = print) -> int:
    """Print what was found; 0 when the record can be read. Raises Refused with what is wrong with it."""
    data = read_record(arguments.file)
    tools = ExecutorTools(names=frozenset(arguments.tool))
    try:
        conversation = read_conversation(data, pick=arguments.pick)
    except Refused as refused:
        if refused.code != SEVERAL:
            raise
        lines = _archive(list_conversations(data, tools))
    else:
        lines = _conversation(conversation, collect(conversation, tools))
    for line in lines:
        write(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", line))
    return 0


def _archive(listings: tuple[ConversationListing, ...]) -> "Iterator[str]":
    yield f"{len(listings)} conversations; see one with --pick ID:"
    width = max(len(item.id) for item in listings)
    for item in listings:
        day = f"{item.updated_at:%Y-%m-%d}" if item.updated_at else "no date   "
        queries = f"{item.queries} quer{'y' if item.queries == 1 else 'ies'}"
        yield f"  {item.id:{width}}  {day}  {queries:>10}  {item.title or ''}".rstrip()


def _conversation(conversation: Conversation, collected: Collected) -> "Iterator[str]":
    title, read_as = conversation.title or "Conversation", format_words(conversation.format)
    yield f"{title} ({read_as}, {len(conversation.turns)} turns)"
    if not collected.used_tools:
        yield _NOTHING_USED
    elif not collected.kept:
        yield _NOTHING_KEPT
    for query in collected.kept:
        how = ", by its rows: the format has no error field" if query.inferred else ""
        yield f"kept {query.number} (ran in {query.tool}{how})"
        yield textwrap.indent(query.statement, "    ")
        if query.literal_dates:
            yield f"    holds the dates {', '.join(query.literal_dates)}, which the first run will replace"
    for item in collected.dropped:
        yield f"dropped ({item.reason_code}): {item.reason}"
        yield textwrap.indent(item.statement, "    ")
    for problem in conversation.problems:
        yield f"left out: {problem.message}"
