"""A server that behaves, and one that does what it is told."""

import pytest

from playbooks_local.mcp_server import LocalMcpServer
from tests.integration.mcp_tools.misbehaving import MisbehavingServer


@pytest.fixture(scope="module")
def local_server():
    """The local stack's own MCP server."""
    with LocalMcpServer() as server:
        yield server


@pytest.fixture
def server(local_server):
    """It, with an empty memory."""
    local_server.clear()
    return local_server


@pytest.fixture
def misbehaving():
    """A server that is told how to answer the call."""
    with MisbehavingServer() as server:
        yield server
