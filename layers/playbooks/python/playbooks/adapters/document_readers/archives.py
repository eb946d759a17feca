"""What an archive (docx, xlsx) must satisfy before anything in it is parsed."""

import zipfile
from pathlib import Path
from xml.parsers import expat

from playbooks.adapters.document_readers.formats import archive_holds
from playbooks.ports.document_readers import DocumentUnreadable, ReadingLimits, ReadingProblem

_MEGABYTE = 1024 * 1024
_PIECE = 64 * 1024
_DIRECTORY_BYTES = 4 * _MEGABYTE
_END = b"PK\x05\x06"
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED_FLAG = 0x1
_MARKS = (b"<", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x00<", b"\x00\x00")


def check_archive(path: Path, kind: str, limits: ReadingLimits) -> None:
    """Refuse bombs by what the directory says; raises DocumentUnreadable.

    A member that says less than it holds is read by zipfile only as far as it says. No member may have a document
    type: OOXML has none (ECMA-376 part 2, 8.2.5), and entities are how a small XML becomes a large one.
    """
    _check_directory(path)
    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(archive, limits)
            if not archive_holds(archive, kind):
                raise DocumentUnreadable(
                    f"The file is named .{kind} and is none inside: open it, and save it as .{kind} again.",
                    ReadingProblem.DAMAGED,
                )
            for member in archive.infolist():
                _check_prolog(archive, member)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, UnicodeDecodeError, OSError) as error:
        raise DocumentUnreadable(
            f"The file is damaged: open it, and save it as .{kind} again.", ReadingProblem.DAMAGED
        ) from error


def _check_directory(path: Path) -> None:
    """The directory is read whole before its entries can be counted, so its size is looked at first."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 22 - 0xFFFF))
        tail = file.read()
    end = tail.rfind(_END)
    if end < 0 or len(tail) - end < 22:
        raise DocumentUnreadable("The file is cut off: send it again.", ReadingProblem.DAMAGED)
    for at in {end, len(tail) - 22}:
        directory = int.from_bytes(tail[at + 12 : at + 16], "little")
        if tail[at : at + 4] == _END and directory > _DIRECTORY_BYTES:
            raise _suspicious("its list of contents alone is over 4 MB")


def _check_members(archive: zipfile.ZipFile, limits: ReadingLimits) -> None:
    members = archive.infolist()
    if len(members) > limits.members:
        raise _suspicious(f"it holds {len(members):,} files, {limits.members:,} is the most")
    for member in members:
        if member.flag_bits & _ENCRYPTED_FLAG:
            raise DocumentUnreadable("The file has a password: save it without one.", ReadingProblem.ENCRYPTED)
        if member.compress_type not in _METHODS:
            raise _suspicious("it is packed in a way that Office does not use")
        if member.file_size > limits.member_bytes:
            raise _too_large(member.file_size, limits.member_bytes)
        if member.file_size > _MEGABYTE and member.file_size > limits.ratio * max(1, member.compress_size):
            raise _suspicious(f"a part of it grows more than {limits.ratio}-fold when it is unpacked")
    expanded = sum(member.file_size for member in members)
    if expanded > limits.expanded_bytes:
        raise _too_large(expanded, limits.expanded_bytes)


def _check_prolog(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Read an XML member up to its root element, whatever it is called and encoded in."""
    with archive.open(member) as stream:
        piece = stream.read(_PIECE)
        if not piece.lstrip(b" \t\r\n").startswith(_MARKS):
            return
        prolog = _Prolog()
        try:
            while piece and not prolog.goes_by(piece):
                piece = stream.read(_PIECE)
        except expat.ExpatError:
            if member.filename.endswith((".xml", ".rels", ".vml")):
                raise _suspicious("the beginning of a part of it is no XML") from None
        except ValueError:  # an encoding that the standard library's parser does not know, and another might
            raise _suspicious("a part of it is in an encoding that Office does not use") from None
        if prolog.has_doctype:
            raise _suspicious("a part of it declares an XML document type")


class _Prolog:
    """What stands before the root element, read by the standard library's parser, which expands nothing here."""

    def __init__(self) -> None:
        self._over = False
        self.has_doctype = False
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._element

    def goes_by(self, piece: bytes) -> bool:
        """Read on; whether the prolog is over. Raises ExpatError for what is no XML before that."""
        try:
            self._parser.Parse(piece)
        except expat.ExpatError:
            if not self._over:
                raise
        return self._over

    def _doctype(self, *_: object) -> None:
        self.has_doctype = self._over = True

    def _element(self, *_: object) -> None:
        self._over = True


def _suspicious(why: str) -> DocumentUnreadable:
    return DocumentUnreadable(
        f"The file is not read: {why}. Open it, copy what matters into a new file, and send that.",
        ReadingProblem.SUSPICIOUS,
    )


def _too_large(size: int, limit: int) -> DocumentUnreadable:
    return DocumentUnreadable(
        f"The file unpacks to {size // _MEGABYTE:,} MB, {limit // _MEGABYTE:,} MB is the most: split it.",
        ReadingProblem.TOO_LARGE,
    )
