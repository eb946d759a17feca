"""Markdown: a title, paragraphs and GitHub-flavoured tables."""

import re
from collections.abc import Iterator, Sequence

from playbooks.adapters.documents.text_values import CHUNK_BYTES, text_value
from playbooks.domain.dataset import Column, ColumnType
from playbooks.domain.recurrence.zone_data import load_zone
from playbooks.ports.documents import Draft

_NUMBERS = frozenset({ColumnType.INTEGER, ColumnType.NUMERIC, ColumnType.FLOAT})
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!&])")


class MarkdownWriter:
    """UTF-8. What stands in data is text: no link, image or tag comes of it. `notes` are Markdown already."""

    format = "md"
    content_type = "text/markdown; charset=utf-8"

    def write(self, draft: Draft) -> Iterator[bytes]:
        """The file in chunks, row by row."""
        buffer = bytearray()
        for line in _lines(draft):
            buffer += line.encode() + b"\n"
            if len(buffer) >= CHUNK_BYTES:
                yield bytes(buffer)
                buffer.clear()
        yield bytes(buffer)


def _lines(draft: Draft) -> Iterator[str]:
    zone = load_zone(draft.zone)
    yield f"# {_plain(draft.title)}"
    if draft.notes.strip():
        yield f"\n{draft.notes.strip()}"
    for table in draft.tables:
        if table.title != draft.title or len(draft.tables) > 1:
            yield f"\n## {_plain(table.title)}"
        yield ""
        yield _row([_plain(header) for header in table.headers])
        yield _row(_rules(table.columns))
        for row in table.rows():
            yield _row([_plain(value) if isinstance(value, str) else text_value(value, zone) for value in row])


def _rules(columns: Sequence[Column]) -> list[str]:
    return ["---:" if column.type in _NUMBERS else "---" for column in columns]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", text)
    return re.sub(r"\s*(?:\r\n|\r|\n)\s*", "<br>", escaped.strip())
