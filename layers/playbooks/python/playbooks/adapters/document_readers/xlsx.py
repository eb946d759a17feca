"""Text of workbooks, sheet by sheet."""

import itertools
import warnings
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from pathlib import Path

import openpyxl

from playbooks.ports.document_readers import DocumentUnreadable, Part, PartKind, ReadingProblem

ROWS_OF_A_PART = 2_000


def parts(_kind: str, path: Path) -> Iterator[Part]:
    """The values as they were last computed, a bar between cells; 2,000 rows a part, so that memory stays bounded."""
    warnings.simplefilter("ignore")
    try:
        # A path would be refused for its ending.
        workbook = openpyxl.load_workbook(path.open("rb"), read_only=True, data_only=True, keep_links=False)
        for number, sheet in enumerate(workbook.worksheets, 1):
            sheet.reset_dimensions()
            lines = _lines(sheet.iter_rows(values_only=True))
            while block := list(itertools.islice(lines, ROWS_OF_A_PART)):
                yield Part(PartKind.SHEET, number, sheet.title, "\n".join(block))
    except (KeyError, ValueError, TypeError, AttributeError, LookupError, SyntaxError, OSError) as error:
        raise DocumentUnreadable(
            "The workbook is damaged: open it, and save it as .xlsx again.", ReadingProblem.DAMAGED
        ) from error


def _lines(rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    for row in rows:
        line = " | ".join("" if value is None else _shown(value) for value in row).rstrip(" |")
        if line:
            yield line


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return format(value, ".15g")
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "seconds")
        case date() | time():
            return value.isoformat()
        case _:
            return " ".join(str(value).split())
