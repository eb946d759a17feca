"""Text formats: what stands in the file, decoded."""

import re
from collections.abc import Iterator
from pathlib import Path

from playbooks.ports.document_readers import DocumentUnreadable, Part, PartKind, ReadingProblem

_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)


def parts(kind: str, path: Path) -> Iterator[Part]:
    """Markdown by its headings, csv and text as a whole."""
    text = decoded(path.read_bytes())
    if kind != "md":
        yield Part(PartKind.WHOLE, 1, "", text)
        return
    number, at, name = 1, 0, ""
    for heading in _HEADING.finditer(text):
        if text[at : heading.start()].strip():
            yield Part(PartKind.SECTION, number, name, text[at : heading.start()])
            number += 1
        at, name = heading.start(), heading[1].strip(" #\t")
    yield Part(PartKind.SECTION, number, name, text[at:])


def decoded(content: bytes) -> str:
    """By byte order mark, as UTF-8, or as Korean Windows (CP949) text; raises DocumentUnreadable for anything else."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    if b"\x00" not in content[:8_192]:
        for encoding in ("utf-8", "cp949"):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError:
                continue
    raise DocumentUnreadable(
        "The file is no text in UTF-8 or Korean Windows encoding: save it as UTF-8.", ReadingProblem.DAMAGED
    )
