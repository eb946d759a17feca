"""What runs in the child: limits first, checks second, the one parser that is needed third."""

import importlib
import json
import re
import resource
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from playbooks.adapters.document_readers.archives import check_archive
from playbooks.adapters.document_readers.formats import ARCHIVES
from playbooks.ports.document_readers import DocumentUnreadable, Part, ReadingLimits, ReadingProblem

_READERS = {
    "pdf": "pdf",
    "docx": "docx",
    "xlsx": "xlsx",
    "html": "html",
    "csv": "plain",
    "md": "plain",
    "txt": "plain",
}
"""The module of each format; its `parts(kind, path)` gives the parts one after the other."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_SPACE_AT_ENDS = re.compile(r"[ \t]+(?=\n|\Z)")
_EMPTY_LINES = re.compile(r"\n{3,}")


def main(arguments: Sequence[str]) -> None:
    """Read one document: format, its file, the file for the answer, limits as JSON."""
    kind, path, answer, given = arguments
    limits = ReadingLimits(**json.loads(given))
    _limit(limits)
    with Path(answer).open("w", encoding="utf-8") as file:
        try:
            cut = _write(read_parts(kind, Path(path), limits), limits, file)
        except DocumentUnreadable as error:
            _line(file, {"problem": error.code, "message": error.message})
        except (MemoryError, RecursionError):
            _line(
                file,
                {
                    "problem": ReadingProblem.TOO_COSTLY.value,
                    "message": "Reading the file took more memory than a document may: split it, "
                    "or save the part that matters.",
                },
            )
        else:
            _line(file, {"end": cut})


def read_parts(kind: str, path: Path, limits: ReadingLimits) -> Iterator[Part]:
    """The parts as they are read, after the checks that need no parser."""
    if kind in ARCHIVES:
        check_archive(path, kind, limits)
    module = importlib.import_module(f"playbooks.adapters.document_readers.{_READERS[kind]}")
    parts: Callable[[str, Path], Iterator[Part]] = module.parts
    return parts(kind, path)


def _limit(limits: ReadingLimits) -> None:
    """From here on; a limit that is lower already stays. Only Linux holds a process to its address space."""
    if sys.platform == "linux":
        _lower(resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)
    _lower(resource.RLIMIT_CPU, limits.seconds, limits.seconds + 1)
    written = 8 * limits.characters + 1024 * limits.parts + 1024 * 1024
    _lower(resource.RLIMIT_FSIZE, written, written)
    _lower(resource.RLIMIT_CORE, 0, 0)


def _lower(what: int, soft: int, hard: int) -> None:
    most = resource.getrlimit(what)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(what, (soft, hard))


def _write(parts: Iterator[Part], limits: ReadingLimits, file: TextIO) -> str:
    """Write parts until a limit of them is reached; the sentence that says so, or nothing."""
    left, count = limits.characters, 0
    for part in parts:
        text = _tidy(part.text)
        if not text:
            continue
        if count == limits.parts:
            return f"Only the first {limits.parts:,} parts were read; the document has more."
        _line(file, {"kind": part.kind, "number": part.number, "name": _tidy(part.name)[:200], "text": text[:left]})
        count += 1
        left -= len(text)
        if left < 0:
            return f"Only the first {limits.characters:,} characters were read; the document has more."
    if not count:
        raise DocumentUnreadable(
            "The document holds no text. Where it is a scan, run text recognition (OCR) over it and send the result.",
            ReadingProblem.NO_TEXT,
        )
    return ""


def _tidy(text: str) -> str:
    """Composed (NFC), without control characters, trailing blanks and heaps of empty lines."""
    plain = unicodedata.normalize("NFC", _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    return _EMPTY_LINES.sub("\n\n", _SPACE_AT_ENDS.sub("", plain)).strip()


def _line(file: TextIO, fields: dict[str, Any]) -> None:
    file.write(json.dumps(fields, ensure_ascii=False) + "\n")
