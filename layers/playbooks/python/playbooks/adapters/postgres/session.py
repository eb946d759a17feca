"""One read-only session: every statement in a READ ONLY transaction of its own that is always rolled back.

The order is what makes it safe without trusting the statement:
`BEGIN READ ONLY; SELECT 1` (after a first query the transaction cannot be made writable), our settings, SET ROLE,
then `DECLARE … CURSOR FOR <text>` over the extended protocol, which takes one SELECT or VALUES and nothing else.
"""

import contextlib
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

from pg8000.core import TERMINATE_MSG  # type: ignore[import-untyped]  # pg8000 ships no types
from pg8000.exceptions import DatabaseError  # type: ignore[import-untyped]  # pg8000 ships no types

from playbooks.adapters.postgres import catalogue, failures
from playbooks.adapters.postgres.channel import Channel
from playbooks.adapters.postgres.decoding import Decoder, column_type, decoder
from playbooks.adapters.postgres.wire import RawRow, Wire
from playbooks.domain.dataset import Column, Row
from playbooks.domain.sql.schema import SchemaDescription
from playbooks.errors import Finding, PlaybooksError
from playbooks.ports.databases import Caps, DatabaseTarget, DatabaseUnreachable, QueryFailed, QueryResult

CURSOR = "playbooks_rows"
FETCH_ROWS = 2_000
_DECLARE = f"DECLARE {CURSOR} NO SCROLL CURSOR FOR\n"


@dataclass(slots=True)
class _Open:
    """The result that is being read: what the cut and the time will be written to."""

    result: QueryResult
    rows: Generator[Row, None, None]


class PostgresSession:
    """A `ReadOnlySession`. Not for several threads."""

    def __init__(self, target: DatabaseTarget, caps: Caps, channel: Channel) -> None:
        self._target = target
        self._caps = caps
        self._channel = channel
        self._open: _Open | None = None
        self._used = False
        self._broken = False
        try:
            self._wire = Wire(target, channel)
            self._begin()
        except Exception as error:
            channel.close()
            raise failures.at_connecting(error, target) from error

    def close(self) -> None:
        """End the connection; what was open is rolled back by the server. Never raises."""
        if not self._broken:
            with contextlib.suppress(PlaybooksError, OSError):
                self._channel.write(TERMINATE_MSG)
                self._channel.flush()
        self._broken = True
        self._channel.close()

    def query(self, sql: str) -> QueryResult:
        """See `ReadOnlySession.query`."""
        self._ready()
        started = time.monotonic()
        if "\0" in sql or any("\ud800" <= character <= "\udfff" for character in sql):
            raise QueryFailed("The statement holds a character that no database text can hold: leave it out.")
        try:
            self._wire.prepare(_DECLARE + sql)
            columns = self._columns(self._wire.describe(f"FETCH FORWARD 1 FROM {CURSOR}"))
            decoders = [decoder(column.type) for column in columns]
        except Exception as error:
            raise self._failed(error) from error
        result = QueryResult(columns, iter(()))
        rows = self._stream(decoders, result, started)
        result.rows = rows
        self._open = _Open(result, rows)
        return result

    def describe(self, search: str = "", limit: int = 50) -> SchemaDescription:
        """See `ReadOnlySession.describe`."""
        self._ready()
        try:
            return catalogue.describe(self._wire.ask, search, limit)
        except Exception as error:
            raise self._failed(error) from error

    def risks(self) -> tuple[Finding, ...]:
        """See `ReadOnlySession.risks`."""
        self._ready()
        try:
            return catalogue.risks(self._wire.ask)
        except Exception as error:
            raise self._failed(error) from error

    def _begin(self) -> None:
        milliseconds = max(int(self._channel.seconds_left * 1000), 1)
        settings = {
            "standard_conforming_strings": "on",
            "statement_timeout": str(milliseconds),
            "lock_timeout": str(min(milliseconds, 5_000)),
            "idle_in_transaction_session_timeout": str(milliseconds + 5_000),
            "cursor_tuple_fraction": "1",
            "datestyle": "ISO, YMD",
            "intervalstyle": "postgres",
            "extra_float_digits": "1",
            "bytea_output": "hex",
            "timezone": self._target.time_zone,
        }
        if self._wire.server_major >= 14:
            settings["client_connection_check_interval"] = "1000"
        lines = [f"SET LOCAL {name} = {_quoted_text(value)}" for name, value in settings.items()]
        self._wire.simple("; ".join(("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY", "SELECT 1", *lines)))
        if self._target.role is not None:
            try:
                self._wire.simple(f"SET LOCAL ROLE {_quoted_name(self._target.role)}")
            except DatabaseError as error:
                raise failures.at_role(error, self._target) from error

    def _ready(self) -> None:
        """A fresh transaction for the next statement: nothing a statement set or held reaches the next one."""
        if self._open is not None:
            self._open.rows.close()
            self._open = None
        if self._broken:
            raise DatabaseUnreachable(f"The session on {self._target.name} is over: open another.")
        if self._used:
            try:
                self._wire.simple("ROLLBACK")
                self._wire.simple("DISCARD ALL")
                self._begin()
            except Exception as error:
                self.close()
                raise failures.at_query(error, self._target, 0) from error
        self._used = True

    def _fetch(self, rows_left: int) -> Iterator[RawRow]:
        return self._wire.stream(f"FETCH FORWARD {min(FETCH_ROWS, rows_left + 1)} FROM {CURSOR}")

    def _columns(self, described: list[dict[str, Any]]) -> tuple[Column, ...]:
        kinds = [column_type(field["type_oid"]) for field in described]
        unknown = {int(field["type_oid"]) for field, (_, name) in zip(described, kinds, strict=True) if name is None}
        names = catalogue.type_names(self._wire.ask, sorted(unknown)) if unknown else {}
        return tuple(
            Column(str(field["name"]), kind, name or names.get(field["type_oid"], "unknown"))
            for field, (kind, name) in zip(described, kinds, strict=True)
        )

    def _stream(self, decoders: list[Decoder], result: QueryResult, started: float) -> Generator[Row, None, None]:
        """Rows batch by batch. Left early, it reads the running batch to its end so that the session stays usable."""
        count = 0
        finished = False
        most = self._wire.row_bytes + self._caps.bytes
        batch = self._fetch(self._caps.rows)
        try:
            while True:
                taken = 0
                for raw in batch:
                    taken += 1
                    if count >= self._caps.rows or self._wire.row_bytes > most:
                        result.cut = result.cut or self._cut_sentence(count, by_rows=count >= self._caps.rows)
                        continue
                    yield tuple(
                        [None if cell is None else decode(cell) for decode, cell in zip(decoders, raw, strict=True)]
                    )
                    count += 1
                if result.cut is not None or taken < FETCH_ROWS:
                    break
                batch = self._fetch(self._caps.rows - count)
            finished = True
        except GeneratorExit:
            raise
        except Exception as error:
            finished = True
            raise self._failed(error) from error
        finally:
            result.elapsed = time.monotonic() - started
            if not finished:
                self._drain(batch)

    def _drain(self, batch: Iterator[RawRow]) -> None:
        try:
            for _ in batch:
                pass
        except Exception:  # noqa: BLE001 - whatever it was, the connection cannot be trusted any more
            self.close()

    def _cut_sentence(self, count: int, *, by_rows: bool) -> str:
        limit = f"{self._caps.rows:,} rows" if by_rows else f"{self._caps.bytes / 1_000_000:,.1f} MB"
        return f"Only the first {count:,} rows were read, the limit is {limit}; there are more."

    def _failed(self, error: Exception) -> Exception:
        """The error to raise; after anything but the server's own refusal the connection is thrown away."""
        known = failures.at_query(error, self._target, len(_DECLARE))
        if not isinstance(known, QueryFailed) or not isinstance(error, DatabaseError):
            self.close()
        return known


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""').replace("\0", "") + '"'


def _quoted_text(text: str) -> str:
    return "'" + text.replace("'", "''").replace("\0", "") + "'"
