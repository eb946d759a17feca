"""Dates that stand in a statement as literals: a saved query with one keeps reporting the same week."""

import re
from datetime import date

from playbooks.domain.sql.lexer import Kind, LexicalError, lex

_DATE = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)|(?<!\d)((?:19|20|21)\d{2})(\d{2})(\d{2})(?!\d)")
_MONTH = re.compile(r"((?:19|20|21)\d{2})-(\d{2})\Z")


def literal_dates(statement: str) -> tuple[str, ...]:
    """Each date in the statement's string literals once, as it is written, in order of appearance.

    `2026-09-01`, `2026/9/1`, `20260901` and a whole literal `2026-09` count when they are days (or months) of the
    calendar; text that cannot be cut into tokens has none.
    """
    try:
        tokens = lex(statement)
    except LexicalError:
        return ()
    found: dict[str, None] = {}
    for token in tokens:
        if token.kind not in (Kind.STRING, Kind.DOLLAR):
            continue
        for match in _DATE.finditer(token.text):
            if _is_day(*(int(part) for part in match.groups() if part is not None)):
                found[match.group()] = None
        month = _MONTH.match(token.text.strip("'"))
        if month and _is_day(int(month[1]), int(month[2]), 1):
            found[month.group()] = None
    return tuple(found)


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
