"""Which confirmed query answers the final requirement, judged by its words and by when it ran."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from playbooks_local.standin_model.requirement import Requirement
from playbooks_local.standin_model.vocabulary import Term

_CATALOG = re.compile(r"\b(?:information_schema|pg_catalog)\s*\.|\bpg_[a-z_]+\b", re.IGNORECASE)
_TABLE = re.compile(r"\bFROM\s+(?:\"?[a-z_]\w*\"?\.)?\"?(?P<table>[a-z_]\w*)\"?", re.IGNORECASE)


def pick_queries(
    wish: Requirement, queries: Sequence[Mapping[str, Any]], turns: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The queries of the steps, in order: one that has every grouping, else the last one for each of them.

    A query fits when its statement has the grouping's name in it; where none is named that way, a query fits that ran
    after the user changed the wish for the last time. Questions about the catalogue answer nothing.
    """
    asked = [query for query in queries if not _CATALOG.search(str(query["statement"]))]
    late = _ran_late(turns, wish.last_change)
    whole = [query for query in asked if all(_has(query, term) for term in wish.groups)]
    if whole and wish.groups:
        return [whole[-1]]
    picked: list[Mapping[str, Any]] = []
    for term in wish.groups:
        fitting = [query for query in asked if _has(query, term)]
        if fitting and fitting[-1] not in picked:
            picked.append(fitting[-1])
    if picked:
        return picked
    recent = [query for query in asked if query["number"] in late]
    return recent[-1:] or ([] if wish.groups else asked[-1:])


def main_table(statement: str) -> str:
    """The table that stands first after FROM; empty when there is none."""
    found = _TABLE.search(statement)
    return found["table"] if found else ""


def _has(query: Mapping[str, Any], term: Term) -> bool:
    words = re.findall(r"[a-z]+", str(query["statement"]).lower())
    return any(word.startswith(column) for word in words for column in term.columns)


def _ran_late(turns: Sequence[Mapping[str, Any]], last_change: int) -> set[int]:
    """Numbers of the queries that ran after the user's text of this index."""
    numbers: set[int] = set()
    said = -1
    for turn in turns:
        if turn.get("role") == "user" and str(turn.get("text", "")).strip():
            said += 1
        for call in turn.get("calls", []):
            if said >= last_change and isinstance(call.get("confirmed_query"), int):
                numbers.add(call["confirmed_query"])
    return numbers
