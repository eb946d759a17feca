"""Loopback ports: free ones, and whether a chosen one can be had."""

import errno
import socket

from playbooks_local.problems import PortInUse

HOST = "127.0.0.1"
LAST_PORT = 65535


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
        except PermissionError as error:
            raise PortInUse(port, what, "may not be used by this user: choose one above 1023") from error
        except OverflowError as error:
            raise PortInUse(port, what, f"does not exist: choose one from 1 to {LAST_PORT}") from error
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortInUse(port, what) from error
            raise
    return port
