"""A loopback server is silent about callers who left, and only about them."""

import socket
import threading

import pytest

from playbooks_local.loopback_server import Handler, LoopbackServer


@pytest.mark.parametrize(("fault", "silent"), [(BrokenPipeError, True), (ZeroDivisionError, False)])
def test_a_caller_who_is_gone_is_not_told_of(fault, silent, capfd):
    asked = threading.Event()

    class Failing(Handler):
        def do_GET(self):  # noqa: N802 - the base class calls it so
            asked.set()
            raise fault

    with (
        LoopbackServer("a test", lambda: Failing) as server,
        socket.create_connection(("127.0.0.1", server.port)) as caller,
    ):
        caller.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert asked.wait(5)
        assert caller.recv(1) == b"", "the connection is closed after what was said"
    assert (capfd.readouterr().err == "") is silent
