"""Documents, written from datasets without passing through the model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from playbooks.domain.dataset import Column, Row


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a document: its title, the columns with the header each is to have, and its rows from the start."""

    title: str
    columns: Sequence[Column]
    headers: Sequence[str]
    rows: Callable[[], Iterator[Row]]


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

        Raises Refused for a zone that does not exist.
        """
        ...
