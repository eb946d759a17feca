"""A proxy before the emulated AWS that loses answers after they were applied, throttles, and reports conflicts.

It reads no more of a request than its length and its action, so that it is not what the test waits for.
"""

import asyncio
import json
import random
import threading
from collections import Counter
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}
_READS = {"GetItem", "BatchGetItem", "Query"}
_DYNAMODB = "com.amazonaws.dynamodb.v20120810#"


@dataclass(frozen=True)
class Faults:
    """How likely each fault is for a request that it can happen to."""

    answer_lost: float = 0.04
    throttled: float = 0.03
    conflict: float = 0.03


class FaultyProxy:
    """A context manager; `happened` counts the faults by what they hit."""

    def __init__(self, upstream: str, faults: Faults, seed: int) -> None:
        where = urlsplit(upstream)
        self._upstream = (where.hostname or "", where.port or 0)
        self._faults = faults
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="the faulty proxy", daemon=True)
        self.happened: Counter[str] = Counter()
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = self._call(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._call(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)

    async def _end(self) -> None:
        self._server.close()
        mine = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not mine]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        try:
            while request := await _message(reader):
                fate = self._fate(_action(request))
                if fate in {"throttled", "conflict"}:
                    writer.write(_refusal(fate, request))
                    continue
                if upstream is None or upstream[0].at_eof():
                    upstream = await asyncio.open_connection(*self._upstream)
                upstream[1].write(request)
                answer = await _message(upstream[0])
                if fate == "lost" or not answer:
                    return
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            for end in (writer, *(upstream[1:] if upstream else ())):
                end.close()

    def _fate(self, action: str) -> str:
        chances: list[tuple[float, str]] = []
        if action in _WRITES | {"SendMessageBatch", "DeleteMessage"}:
            chances.append((self._faults.answer_lost, "lost"))
        if action in _WRITES | _READS:
            chances.append((self._faults.throttled, "throttled"))
        if action == "TransactWriteItems":
            chances.append((self._faults.conflict, "conflict"))
        drawn = self._random.random()
        for chance, name in chances:
            drawn -= chance
            if drawn < 0:
                self.happened[f"{action} {name}"] += 1
                return name
        return "passes"


async def _message(reader: asyncio.StreamReader) -> bytes:
    """One request or answer as it came, or nothing at the end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""
    length = _header(head, b"content-length")
    if length:
        return head + await reader.readexactly(int(length))
    if _header(head, b"transfer-encoding").lower() != b"chunked":
        return head
    body = b""
    while True:
        size = await reader.readuntil(b"\r\n")
        chunk = await reader.readexactly(int(size, 16) + 2)
        body += size + chunk
        if int(size, 16) == 0:
            return head + body


def _header(head: bytes, name: bytes) -> bytes:
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.lower() == name:
            return value.strip()
    return b""


def _action(request: bytes) -> str:
    return _header(request.partition(b"\r\n\r\n")[0], b"x-amz-target").decode().rpartition(".")[2]


def _refusal(fate: str, request: bytes) -> bytes:
    error: dict[str, object] = {"__type": f"{_DYNAMODB}ThrottlingException", "message": "patience"}
    if fate == "conflict":
        count = len(json.loads(request.partition(b"\r\n\r\n")[2])["TransactItems"])
        reasons = [{"Code": "TransactionConflict"}] + [{"Code": "None"}] * (count - 1)
        kind = f"{_DYNAMODB}TransactionCanceledException"
        error = {"__type": kind, "message": "cancelled", "CancellationReasons": reasons}
    body = json.dumps(error).encode()
    head = (
        f"HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
