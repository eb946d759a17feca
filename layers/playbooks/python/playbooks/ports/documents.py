"""Documents, written from datasets without passing through the model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from playbooks.domain.dataset import Column, Row


class ChartKind(StrEnum):
    """The shape of a chart."""

    COLUMN = "column"
    """Upright bars, one group a category."""
    BAR = "bar"
    """Lying bars."""
    LINE = "line"
    PIE = "pie"
    """Shares of a whole: one value column."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A wish for a chart of a table's rows. Positions count the table's columns from 0.

    `categories` is the column that names the points, `values` are the columns that are drawn, each under its header.
    """

    kind: ChartKind
    categories: int
    values: tuple[int, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a document: its title, the columns with the header each is to have, and its rows from the start.

    A format that has charts of its own (xlsx) draws `chart` from the cells; the others say that they do not.
    """

    title: str
    columns: Sequence[Column]
    headers: Sequence[str]
    rows: Callable[[], Iterator[Row]]
    chart: Chart | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What a document is to hold. `notes` are paragraphs of text beside the tables.

    Instants are shown on the clocks of `zone` (IANA); what the writer itself has to say is in `language` (ko, en).
    """

    title: str
    tables: Sequence[Table]
    notes: str = ""
    zone: str = "UTC"
    language: str = "en"


class DocumentWriter(Protocol):
    """Writes one format."""

    format: str
    content_type: str

    def write(self, draft: Draft) -> Iterator[bytes]:
        """The document's bytes in chunks, made in bounded memory. What reading the rows raises is passed on.

        Raises Refused for a zone that does not exist, a chart of columns that are not there, or a table that the
        format cannot show; the message says what would help.
        """
        ...
