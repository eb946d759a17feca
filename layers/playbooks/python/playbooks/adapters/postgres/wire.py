"""The PostgreSQL protocol of one connection: pg8000's, with rows streamed instead of collected."""

import re
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from pg8000.core import (  # type: ignore[import-untyped]  # pg8000 ships no types
    DATA_ROW,
    NULL_BYTE,
    READY_FOR_QUERY,
    SYNC_MSG,
    Context,
    CoreConnection,
)

from playbooks.adapters.postgres.channel import Channel
from playbooks.ports.databases import DatabaseTarget

_COUNT = struct.Struct("!H").unpack_from
_SIZE = struct.Struct("!i").unpack_from

RawRow = list[bytes | None]
"""One row as the server wrote it: text format, NULL as None."""


class Wire(CoreConnection):  # type: ignore[misc]  # pg8000 ships no types
    """One connection. Statements of ours may use the simple protocol; a person's never does."""

    def __init__(self, target: DatabaseTarget, channel: Channel) -> None:
        super().__init__(
            target.user,
            database=target.database,
            password=target.password,
            application_name="playbooks",
            startup_params={"client_encoding": "UTF8"},
            sock=channel,
            ssl_context=False,
        )
        self.row_bytes = 0
        """Bytes of all rows streamed so far."""

    @property
    def server_major(self) -> int:
        """The server's major version, 0 when it does not say."""
        found = re.match(r"\d+", str(self.parameter_statuses.get("server_version", "")))
        return int(found.group()) if found else 0

    def simple(self, statement: str) -> list[list[Any]]:
        """Run statements of ours, of constant text, in one round trip; the rows as pg8000 reads them."""
        rows: list[list[Any]] | None = self.execute_simple(statement).rows
        return rows or []

    def ask(self, statement: str, *values: str) -> list[list[str | None]]:
        """Run one statement of ours with text values for `$1` …; all columns as text."""
        rows = self.stream(statement, values)
        return [[None if cell is None else cell.decode() for cell in row] for row in rows]

    def prepare(self, statement: str) -> None:
        """Run one statement without rows over the extended protocol, its text untouched; a second one is refused."""
        for _ in self.stream(statement):
            pass

    def describe(self, statement: str) -> list[dict[str, Any]]:
        """The columns a statement gives: name, type_oid, type_modifier and more of each."""
        context = Context(statement)
        self.send_PARSE(NULL_BYTE, statement)
        self.send_DESCRIBE_STATEMENT(NULL_BYTE)
        self._write_and_flush(SYNC_MSG)
        self.handle_messages(context)
        return context.columns or []

    def stream(self, statement: str, values: Sequence[str] = ()) -> Iterator[RawRow]:
        """Run one statement and give its rows as they are read from the wire; nothing is sent before the first."""
        context = Context(statement)
        self.send_PARSE(NULL_BYTE, statement)
        self.send_BIND(NULL_BYTE, values)
        self.send_EXECUTE()
        self._write_and_flush(SYNC_MSG)
        code = None
        while code != READY_FOR_QUERY:
            code, body = self._message()
            if code == DATA_ROW:
                self.row_bytes += len(body)
                yield _cells(body)
            else:
                self.message_types[code](body, context)
        if context.error is not None:
            raise context.error

    def _message(self) -> tuple[bytes, bytes]:
        header = self._exactly(5)
        return header[:1], self._exactly(int.from_bytes(header[1:], "big") - 4)

    def _exactly(self, size: int) -> bytes:
        data: bytes = self._sock.read(size)
        if len(data) != size:
            raise ConnectionResetError("the server closed the connection")
        return data

    def _write_and_flush(self, data: bytes) -> None:
        self._sock.write(data)
        self._sock.flush()


def _cells(body: bytes) -> RawRow:
    (count,) = _COUNT(body)
    position = 2
    row: RawRow = []
    for _ in range(count):
        start = position + 4
        (size,) = _SIZE(body, position)
        if size < 0:
            row.append(None)
            position = start
        else:
            position = start + size
            row.append(body[start:position])
    if position != len(body):
        raise ValueError("a row's parts do not fill its message")
    return row
