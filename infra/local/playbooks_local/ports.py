"""Loopback ports: free ones, and whether a chosen one can be had."""

import errno
import socket

from playbooks_local.problems import PortInUse

HOST = "127.0.0.1"


def free_port() -> int:
    """A port nothing listens on now. Another program may take it before it is used: retry on failure."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def require_free(port: int, what: str) -> int:
    """Return `port` when it can be listened on; PortInUse names `what` it was meant for."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                raise PortInUse(port, what) from error
            raise
    return port
