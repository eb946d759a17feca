"""SQL where a question in words belongs."""

import re

from playbooks.domain.sql.guard import check

_WRITES = re.compile(
    r"\W*(?:insert\s+into|update\s+\S+\s+set|delete\s+from|drop\s+table|create\s+(?:table|view)|truncate\s+\S+\s*;?\s*$"
    r"|alter\s+table|merge\s+into|copy\s+\S+\s+(?:from|to))\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```\s*(?:sql|postgres(?:ql)?)\b", re.IGNORECASE)
_BEGINNING = re.compile(r"\b(?:select|with)\b", re.IGNORECASE)
_SIGNS = re.compile(r"[=<>*();]|\bgroup\s+by\b|\border\s+by\b|\bjoin\b|\bwhere\b|::", re.IGNORECASE)
_TRIES = 4


def holds_sql(text: str) -> bool:
    """Whether a text is a statement, or holds one that no sentence would be taken for."""
    stripped = text.strip().strip("`").strip()
    if _FENCE.search(text) or _WRITES.match(stripped) or check(stripped).allowed:
        return True
    for count, match in enumerate(_BEGINNING.finditer(stripped)):
        if count >= _TRIES:
            break
        rest = stripped[match.start() :].rstrip("`'\" .)")
        if re.search(r"\bfrom\b", rest, re.IGNORECASE) and _SIGNS.search(rest) and check(rest).allowed:
            return True
    return False
