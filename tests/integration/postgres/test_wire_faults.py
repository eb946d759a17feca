"""Faults between us and the server: a proxy that cuts, trickles, garbles, or speaks TLS."""

import contextlib
import datetime as dt
import ipaddress
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from playbooks.adapters.postgres import PostgresDatabases
from playbooks.errors import PlaybooksError
from playbooks.ports.databases import (
    Caps,
    DatabaseTarget,
    DatabaseUnreachable,
    QueryTimedOut,
    ResultTooLarge,
    ResultUnreadable,
    TlsRefused,
)
from playbooks_local.postgres import PostgresServer

DATABASES = PostgresDatabases()
ROWS = "SELECT g, repeat('x', 100) AS filler FROM generate_series(1, 20000) g"

Mangle = Callable[[bytes, int], Iterator[bytes]]
"""From a block of the server's bytes and how many came before it, what is passed on; ending early cuts the line."""


@contextmanager
def proxy(server_port: int, mangle: Mangle, tls: ssl.SSLContext | None = None, *, reset: bool = False) -> Iterator[int]:
    """A proxy on a loopback port; it serves one connection, and ends it with RST instead of FIN when told to."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def pump(source: socket.socket, sink: socket.socket) -> None:
        try:
            while block := source.recv(65536):
                sink.sendall(block)
        except OSError:
            pass

    def serve() -> None:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        inner = client
        with client, socket.create_connection(("127.0.0.1", server_port)) as server:
            try:
                if tls is not None:
                    client.recv(8)
                    client.sendall(b"S")
                    inner = tls.wrap_socket(client, server_side=True)
                threads.append(threading.Thread(target=pump, args=(inner, server), daemon=True))
                threads[-1].start()
                seen = 0
                while block := server.recv(65536):
                    for part in mangle(block, seen):
                        inner.sendall(part)
                    seen += len(block)
            except (OSError, EOFError):
                pass
            # Closing alone tells the client nothing while the other thread waits in recv() on the same socket: the
            # kernel keeps it open for that call. A reset is sent by the close itself, so that thread must end first.
            if reset:
                inner.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                inner.shutdown(socket.SHUT_RD)
                threads[-1].join()
            else:
                with contextlib.suppress(OSError):
                    inner.shutdown(socket.SHUT_RDWR)
        inner.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


def _target(server: PostgresServer, port: int) -> DatabaseTarget:
    return replace(server.target("postgres"), port=port)


def _faithful(block: bytes, seen: int) -> Iterator[bytes]:
    yield block


def _cut(block: bytes, seen: int) -> Iterator[bytes]:
    yield block
    if seen > 500_000:
        raise EOFError


def _cut_in_a_header(block: bytes, seen: int) -> Iterator[bytes]:
    row = block.rfind(b"D\x00\x00\x00")
    if seen > 500_000 and row >= 0:
        yield block[: row + 3]
        raise EOFError
    yield block


def _trickle(block: bytes, seen: int) -> Iterator[bytes]:
    if seen < 10_000:
        yield block
        return
    for position in range(len(block)):
        yield block[position : position + 1]
        time.sleep(0.01)


def test_a_faithful_proxy_changes_nothing(postgres_server: PostgresServer) -> None:
    with (
        proxy(postgres_server.port, _faithful) as port,
        DATABASES.session(_target(postgres_server, port), Caps()) as session,
    ):
        assert sum(1 for _ in session.query(ROWS).rows) == 20_000


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("cut", [_cut, _cut_in_a_header])
def test_a_connection_cut_in_mid_fetch_is_an_error_that_may_be_tried_again(
    postgres_server: PostgresServer, cut: Mangle, reset: bool
) -> None:
    with (
        proxy(postgres_server.port, cut, reset=reset) as port,
        DATABASES.session(_target(postgres_server, port), Caps()) as session,
    ):
        with pytest.raises(DatabaseUnreachable) as refused:
            list(session.query(ROWS).rows)
        assert refused.value.retryable
        with pytest.raises(DatabaseUnreachable):
            session.query("SELECT 1")


def test_bytes_that_trickle_cannot_stretch_the_deadline(postgres_server: PostgresServer) -> None:
    started = time.monotonic()
    with (
        proxy(postgres_server.port, _trickle) as port,
        DATABASES.session(_target(postgres_server, port), Caps(seconds=1)) as session,
        pytest.raises(QueryTimedOut),
    ):
        list(session.query(ROWS).rows)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (b"xxxxxxxxxx", b"xxxx\xff\xfexxxx", ResultUnreadable),
        (b"\x00\x00\x00\x64xxxx", b"\x00\x00\x00\x63xxxx", ResultUnreadable),
        (b"D\x00\x00\x00", b"D\x7f\x00\x00", ResultTooLarge),
        (b"D\x00\x00\x00", b"?\x00\x00\x00", ResultUnreadable),
    ],
)
def test_an_answer_that_was_garbled_is_an_error_and_ends_the_session(
    postgres_server: PostgresServer, old: bytes, new: bytes, error: type[PlaybooksError]
) -> None:
    def garble(block: bytes, seen: int) -> Iterator[bytes]:
        yield block.replace(old, new, 1) if seen > 300_000 else block

    with (
        proxy(postgres_server.port, garble) as port,
        DATABASES.session(_target(postgres_server, port), Caps()) as session,
    ):
        with pytest.raises(error):
            list(session.query(ROWS).rows)
        with pytest.raises(DatabaseUnreachable):
            session.query("SELECT 1")


def test_a_server_that_accepts_and_says_nothing_is_given_up_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        target = DatabaseTarget("mute", "127.0.0.1", listener.getsockname()[1], "d", "u", "p", tls="off")
        with pytest.raises(QueryTimedOut), DATABASES.session(target, Caps(seconds=0.3)):
            pass
        with pytest.raises(DatabaseUnreachable), DATABASES.session(replace(target, tls="verify"), Caps(seconds=0.3)):
            pass


def test_a_server_that_ends_the_session_is_an_error_that_may_be_tried_again(postgres_server: PostgresServer) -> None:
    with DATABASES.session(postgres_server.target("postgres"), Caps()) as session:
        (pid,) = next(session.query("SELECT pg_backend_pid()").rows)
        postgres_server.ask("postgres", f"SELECT pg_terminate_backend({pid})")
        with pytest.raises(DatabaseUnreachable):
            list(session.query("SELECT 1").rows)


def _certificate(folder: Path, host: str) -> tuple[ssl.SSLContext, str]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    (folder / "cert.pem").write_bytes(pem)
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context, pem.decode()


def test_tls_is_spoken_with_an_authority_that_was_registered(postgres_server: PostgresServer, tmp_path: Path) -> None:
    context, pem = _certificate(tmp_path, "127.0.0.1")
    with proxy(postgres_server.port, _faithful, context) as port:
        target = replace(_target(postgres_server, port), tls="verify", ca_pem=pem)
        with DATABASES.session(target, Caps()) as session:
            assert sum(1 for _ in session.query(ROWS).rows) == 20_000


@pytest.mark.parametrize(("host", "known"), [("127.0.0.1", False), ("127.0.0.2", True)])
def test_a_certificate_of_an_unknown_authority_or_another_host_is_refused(
    postgres_server: PostgresServer, tmp_path: Path, host: str, known: bool
) -> None:
    context, pem = _certificate(tmp_path, host)
    with proxy(postgres_server.port, _faithful, context) as port:
        target = replace(_target(postgres_server, port), tls="verify", ca_pem=pem if known else None)
        with pytest.raises(TlsRefused) as refused, DATABASES.session(target, Caps()):
            pass
    assert "not trusted" in refused.value.message
