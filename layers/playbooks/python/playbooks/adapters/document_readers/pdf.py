"""Text of PDF files, page by page."""

import logging
from collections.abc import Iterator
from pathlib import Path

from pypdf import PasswordType, PdfReader
from pypdf.errors import PyPdfError

from playbooks.ports.document_readers import DocumentUnreadable, Part, PartKind, ReadingProblem


def parts(_kind: str, path: Path) -> Iterator[Part]:
    """One part a page that holds text; a page that cannot be read says so in its place."""
    logging.disable(logging.CRITICAL)  # the library logs pieces of the document
    reader, count = _opened(path)
    for number in range(count):
        try:
            text = reader.pages[number].extract_text()
        except (PyPdfError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            text = "(This page could not be read.)"
        yield Part(PartKind.PAGE, number + 1, "", text)


def _opened(path: Path) -> tuple[PdfReader, int]:
    """The reader and the number of pages."""
    try:
        reader = PdfReader(path, strict=False)
        locked = reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED
        count = 0 if locked else len(reader.pages)
    except (PyPdfError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, OSError) as error:
        raise DocumentUnreadable(
            "The PDF is damaged: open it, and print or save it as PDF again.", ReadingProblem.DAMAGED
        ) from error
    if locked:
        raise DocumentUnreadable("The PDF asks for a password: save it without one.", ReadingProblem.ENCRYPTED)
    return reader, count
