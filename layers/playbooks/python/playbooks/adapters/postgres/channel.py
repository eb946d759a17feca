"""A byte channel to the server under one deadline, with a cap on the size of a message."""

import contextlib
import ipaddress
import socket
import ssl
import time

from playbooks.ports.databases import (
    Caps,
    DatabaseTarget,
    DatabaseUnreachable,
    QueryTimedOut,
    ResultTooLarge,
    TlsRefused,
)

_CHUNK = 256 * 1024
_SSL_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")
_WRITE_AT = 64 * 1024


class Channel:
    """What pg8000 takes for its socket and for the file made of it.

    Each read asks for a number of bytes that the server announced: more than the cap is refused before it is read.
    The deadline holds for every single receive, so a proxy that lets bytes trickle cannot stretch it.
    """

    def __init__(self, connected: socket.socket, deadline: float, caps: Caps) -> None:
        self._socket = connected
        self._deadline = deadline
        self._caps = caps
        self._received = b""
        self._position = 0
        self._unsent = bytearray()

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; raises QueryTimedOut when it has passed."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise QueryTimedOut(
                f"The database did not finish within {self._caps.seconds:g} seconds: ask for fewer rows, or narrow a "
                "condition on a column with an index."
            )
        return left

    def makefile(self, mode: str = "rwb") -> "Channel":
        """The channel itself: pg8000 reads and writes through it."""
        assert mode == "rwb"
        return self

    def read(self, size: int) -> bytes:
        """Exactly `size` bytes; fewer only at the end of the stream."""
        if size < 0 or size > self._caps.message_bytes:
            raise ResultTooLarge(
                f"A row of {size:,} bytes came and {self._caps.message_bytes:,} are allowed: select fewer or shorter "
                "columns, for instance left(column, 1000)."
            )
        if len(self._received) - self._position < size:
            self._receive(size)
        start = self._position
        self._position = min(start + size, len(self._received))
        return self._received[start : self._position]

    def _receive(self, size: int) -> None:
        """Read until `size` bytes wait, or the stream ends."""
        parts = [self._received[self._position :]]
        waiting = len(parts[0])
        while waiting < size:
            self._socket.settimeout(self.seconds_left)
            try:
                block = self._socket.recv(_CHUNK)
            except TimeoutError:
                continue
            if not block:
                break
            parts.append(block)
            waiting += len(block)
        self._received = b"".join(parts)
        self._position = 0

    def write(self, data: bytes) -> int:
        """Keep bytes until `flush`."""
        self._unsent += data
        if len(self._unsent) >= _WRITE_AT:
            self.flush()
        return len(data)

    def flush(self) -> None:
        """Send what was written."""
        self._socket.settimeout(self.seconds_left)
        try:
            self._socket.sendall(self._unsent)
        except TimeoutError:
            _ = self.seconds_left
            raise
        self._unsent.clear()

    def close(self) -> None:
        """Close the socket; never raises."""
        with contextlib.suppress(OSError):
            self._socket.close()


def open_channel(target: DatabaseTarget, caps: Caps) -> Channel:
    """Connect, and speak TLS unless it is off; raises DatabaseUnreachable, TlsRefused, QueryTimedOut."""
    deadline = time.monotonic() + caps.seconds
    if target.tls == "off" and not _is_loopback(target.host):
        raise TlsRefused(f"{target.name}: TLS may be off only for a database on this machine: register it with TLS.")
    connected = _connect(target, deadline)
    if target.tls == "verify":
        try:
            connected = _secure(connected, target, deadline)
        except BaseException:
            connected.close()
            raise
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Channel(connected, deadline, caps)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _connect(target: DatabaseTarget, deadline: float) -> socket.socket:
    reason: OSError | None = None
    try:
        addresses = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise DatabaseUnreachable(
            f"The database {target.name} is not found at {target.host}: check the host name it is registered with."
        ) from error
    for family, kind, protocol, _, address in addresses:
        candidate = socket.socket(family, kind, protocol)
        candidate.settimeout(max(min(10.0, deadline - time.monotonic()), 0.001))
        try:
            candidate.connect(address)
        except OSError as error:
            candidate.close()
            reason = error
        else:
            return candidate
    raise DatabaseUnreachable(
        f"The database {target.name} does not answer at {target.host}:{target.port} ({reason}): it may be down, or "
        "not reachable from here."
    ) from reason


def _secure(connected: socket.socket, target: DatabaseTarget, deadline: float) -> socket.socket:
    connected.settimeout(max(deadline - time.monotonic(), 0.001))
    try:
        connected.sendall(_SSL_REQUEST)
        answer = connected.recv(1)
        if answer != b"S":
            raise TlsRefused(f"The database {target.name} offers no TLS: switch TLS on at the server.")
        context = ssl.create_default_context()
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if target.ca_pem:
            context.load_verify_locations(cadata=target.ca_pem)
        return context.wrap_socket(connected, server_hostname=target.host)
    except ssl.SSLCertVerificationError as error:
        raise TlsRefused(
            f"The certificate of {target.name} is not trusted ({error.verify_message}): register the authority that "
            "signed it, and the host name it was made for."
        ) from error
    except (OSError, ValueError) as error:
        raise DatabaseUnreachable(f"The database {target.name} broke off while TLS was agreed on ({error}).") from error
