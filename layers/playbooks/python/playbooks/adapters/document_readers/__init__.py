"""The text of documents. Parsers run in a process of their own, with little memory, little time and no credentials."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from playbooks.adapters.document_readers.formats import FORMATS, format_of
from playbooks.adapters.document_readers.isolation import read_isolated
from playbooks.ports.document_readers import DocumentText, DocumentUnreadable, ReadingLimits, ReadingProblem


class IsolatedReaders:
    """`DocumentReaders` over parsers in a child process; no parsing library is loaded here."""

    formats = FORMATS

    def __init__(self, limits: ReadingLimits | None = None) -> None:
        self._limits = limits or ReadingLimits()

    def read(self, name: str, chunks: Iterable[bytes]) -> DocumentText:
        """The text of one document, which lies on disk only while it is read."""
        with tempfile.TemporaryDirectory(prefix="playbooks-") as folder:
            path = Path(folder) / "document"
            _store(path, chunks, self._limits.file_bytes)
            return read_isolated(format_of(name, path), path, self._limits)


def _store(path: Path, chunks: Iterable[bytes], limit: int) -> None:
    size = 0
    with path.open("wb") as file:
        for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise DocumentUnreadable(
                    f"The file is larger than {limit // 1024 // 1024} MB: split it, or save it without pictures.",
                    ReadingProblem.TOO_LARGE,
                )
            file.write(chunk)
