"""What a person may read in a database, told to the model: tables, columns, comments and foreign keys."""

import re
from dataclasses import dataclass

from playbooks.domain.sql import vocabulary

_NEEDS_QUOTES = vocabulary.RESERVED | vocabulary.TYPE_FUNCTION_NAMES
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """One column; `references` is `schema.table(column)` where a foreign key of this column alone points."""

    name: str
    type: str
    nullable: bool
    comment: str = ""
    references: str = ""


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """One table or view; `columns_left_off` counts columns beyond the cap; `rows` is the planner's estimate."""

    schema: str
    name: str
    kind: str
    comment: str
    columns: tuple[DescribedColumn, ...]
    columns_left_off: int = 0
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class SchemaDescription:
    """The tables that match a search, best first; `left_off` counts matching tables beyond the limit."""

    tables: tuple[DescribedTable, ...]
    left_off: int = 0

    def text(self, max_characters: int = 20_000) -> str:
        """A text for the model, one block a table, cut at a table's end; what was left off is said."""
        blocks: list[str] = []
        size = 0
        left_off = self.left_off
        for number, table in enumerate(self.tables):
            block = _block(table)
            if size + len(block) > max_characters and blocks:
                left_off += len(self.tables) - number
                break
            blocks.append(block[:max_characters])
            size += len(block) + 2
        if not blocks:
            return "No table that you may read matches. Search with another word, or leave the search empty."
        if left_off:
            blocks.append(f"{left_off} more tables match: search with a word of the table's or column's name.")
        return "\n\n".join(blocks)


def _block(table: DescribedTable) -> str:
    estimate = "" if table.rows is None else f", about {table.rows:,} rows"
    lines = [f"{table.kind} {quoted(table.schema)}.{quoted(table.name)}{estimate}{_comment(table.comment)}"]
    for column in table.columns:
        flags = ("" if column.nullable else " not null") + (
            f" references {column.references}" if column.references else ""
        )
        lines.append(f"  {quoted(column.name)} {column.type}{flags}{_comment(column.comment)}")
    if table.columns_left_off:
        lines.append(f"  … and {table.columns_left_off} more columns")
    return "\n".join(lines)


def _comment(text: str) -> str:
    flat = " ".join(text.split())
    return f"  -- {flat[:200]}" if flat else ""


def quoted(name: str) -> str:
    """A name as it must be written in SQL: plain when it is lower-case ASCII and no keyword, else in double quotes."""
    plain = _PLAIN_NAME.match(name) and name not in _NEEDS_QUOTES
    return name if plain else '"' + name.replace('"', '""') + '"'
