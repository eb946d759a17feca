"""Documents that a step reads: their text, with the page or sheet each part stands on."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from playbooks.errors import Refused


class ReadingProblem(StrEnum):
    """Why a document was not read: the `code` of `DocumentUnreadable`."""

    UNKNOWN_FORMAT = "document_format_unknown"
    """Neither its name nor its first bytes are of a format that is read here."""
    TOO_LARGE = "document_too_large"
    """The file, or what it unpacks to, is over the limit; it was not unpacked."""
    SUSPICIOUS = "document_suspicious"
    """It is built like an attack on its reader: packed beyond reason, too many members, an XML document type."""
    ENCRYPTED = "document_encrypted"
    """It asks for a password."""
    DAMAGED = "document_damaged"
    """It is not what its format says."""
    NO_TEXT = "document_without_text"
    """It was read and holds pictures only, or nothing."""
    TOO_COSTLY = "document_too_costly"
    """Reading it took more memory or time than a document may."""


class DocumentUnreadable(Refused):
    """Raised when a document cannot be read as it is; `code` is a `ReadingProblem`, the message says what helps."""

    def __init__(self, message: str, problem: ReadingProblem) -> None:
        super().__init__(message, code=problem.value)


class PartKind(StrEnum):
    """What a part of a document is."""

    PAGE = "page"
    SHEET = "sheet"
    SECTION = "section"
    """What stands under one heading; documents that flow (docx, html, md) know no pages."""
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Part:
    """The text of one page, sheet or section. `number` counts from 1; `name` is a sheet's or a heading's."""

    kind: PartKind
    number: int
    name: str
    text: str

    @property
    def reference(self) -> str:
        """How to point a person to it: `page 3`, `sheet Sales`, `section Results`; empty for the whole."""
        if self.kind is PartKind.WHOLE:
            return ""
        return f"{self.kind.value} {self.name or self.number}"


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a document, part by part. `cut` is the sentence that says something was left off, or None."""

    format: str
    parts: tuple[Part, ...]
    cut: str | None = None


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """How much a document may be, and cost. What is over refuses; only characters and parts are cut, and said."""

    file_bytes: int = 50 * 1024 * 1024
    expanded_bytes: int = 200 * 1024 * 1024
    """Of an archive (docx, xlsx), all members together."""
    member_bytes: int = 100 * 1024 * 1024
    ratio: int = 200
    """Unpacked to packed bytes of one member over a megabyte."""
    members: int = 5_000
    characters: int = 1_000_000
    parts: int = 1_000
    seconds: int = 30
    memory_bytes: int = 768 * 1024 * 1024
    """Address space of the process that parses."""


class DocumentReaders(Protocol):
    """Reads documents of every known format."""

    formats: tuple[str, ...]

    def read(self, name: str, chunks: Iterable[bytes]) -> DocumentText:
        """The text of one document; its format is told from the content first, then from the file name's ending.

        Raises DocumentUnreadable; what reading the chunks raises is passed on.
        """
        ...
