"""Comma-separated values that a spreadsheet opens as text and numbers, never as formulas."""

import csv
import io
from collections.abc import Iterator

from playbooks.adapters.documents.text_values import CHUNK_BYTES, text_value
from playbooks.domain.recurrence.zone_data import load_zone
from playbooks.ports.documents import Draft

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection")."""


class CsvWriter:
    """UTF-8 with byte order mark, RFC 4180. Text that could be a formula gets an apostrophe in front.

    One table is header and rows; several stand one below the other, each under its title, with an empty line
    between. `notes` have no place in a table and are left out.
    """

    format = "csv"
    content_type = "text/csv; charset=utf-8"

    def write(self, draft: Draft) -> Iterator[bytes]:
        """The file in chunks, row by row."""
        zone = load_zone(draft.zone)
        buffer = io.StringIO()
        writer = csv.writer(buffer)
        yield _BYTE_ORDER_MARK
        for number, table in enumerate(draft.tables):
            if len(draft.tables) > 1:
                writer.writerows([] if number == 0 else [[]])
                writer.writerow([_harmless(table.title)])
            writer.writerow([_harmless(header) for header in table.headers])
            for row in table.rows():
                writer.writerow(
                    [_harmless(value) if isinstance(value, str) else text_value(value, zone) for value in row]
                )
                if buffer.tell() >= CHUNK_BYTES:
                    yield _taken(buffer)
        if buffer.tell():
            yield _taken(buffer)


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _taken(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode()
