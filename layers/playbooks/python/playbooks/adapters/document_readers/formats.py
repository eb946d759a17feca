"""Which format a file is of."""

import zipfile
from pathlib import Path

from playbooks.ports.document_readers import DocumentUnreadable, ReadingProblem

FORMATS = ("pdf", "docx", "xlsx", "csv", "md", "txt", "html")
_ENDINGS = {
    **{name: name for name in FORMATS},
    "markdown": "md",
    "text": "txt",
    "log": "txt",
    "htm": "html",
    "xhtml": "html",
    "tsv": "csv",
}
_ARCHIVE, _OLD_OFFICE, _PDF = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"%PDF-"
ARCHIVES = ("docx", "xlsx")


def format_of(name: str, path: Path) -> str:
    """The format: pdf and archives by their first bytes, text by the ending of the name.

    Raises DocumentUnreadable for what is read by nobody here, with what to do.
    """
    with path.open("rb") as file:
        head = file.read(1024)
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    known = _ENDINGS.get(ending)
    if _PDF in head:
        return "pdf"
    if head.startswith(_OLD_OFFICE):
        raise DocumentUnreadable(
            "This is an Office file with a password or in the format before 2007: save it as .docx or .xlsx "
            "without a password.",
            ReadingProblem.ENCRYPTED,
        )
    if head.startswith(_ARCHIVE):
        if known in ARCHIVES:
            return known
        raise _unknown(ending)
    if known is None:
        raise _unknown(ending)
    if known in {"pdf", *ARCHIVES}:
        raise DocumentUnreadable(
            f"The file is named .{ending} and is none inside: open it, and save it as .{known} again.",
            ReadingProblem.DAMAGED,
        )
    return known


def archive_holds(archive: zipfile.ZipFile, kind: str) -> bool:
    """Whether an archive is of the format its name says."""
    wanted = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml"}[kind]
    return wanted in archive.namelist()


def _unknown(ending: str) -> DocumentUnreadable:
    return DocumentUnreadable(
        f"Files {f'of the kind .{ending}' if ending else 'without an ending'} are not read here: "
        f"save it as one of {', '.join(FORMATS)}.",
        ReadingProblem.UNKNOWN_FORMAT,
    )
