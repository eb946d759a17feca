"""Requests that somebody else would like this house to make."""

import datetime as dt
import ipaddress
import json
import socket
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from playbooks.adapters.mcp_tools import McpTools
from playbooks.adapters.mcp_tools.addresses import endpoint, is_public_address
from playbooks.errors import PlaybooksError
from playbooks.ports.tools import Answered, NotSent, RegisteredTool, ToolCaps, ToolServerRefused
from tests.integration.mcp_tools.misbehaving import MisbehavingServer

CASES = json.loads((Path(__file__).parents[2] / "cases" / "tool_urls.json").read_text())
ALLOWED = ("tools.example.com", "tools.example.com:8443")
QUICK = ToolCaps(seconds=5)


def checked(url, addresses=("93.184.215.14",), **more):
    return endpoint(url, ALLOWED, resolve=lambda host, port: addresses, is_public=is_public_address, **more)


@pytest.mark.parametrize("url", CASES["good"])
def test_a_registered_address_passes(url):
    place = checked(url)
    assert (place.host, place.address, place.scheme) == ("tools.example.com", "93.184.215.14", "https")


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: repr(case["url"]))
@pytest.mark.parametrize("allow_loopback", [False, True], ids=["deployed", "local"])
def test_a_trick_is_refused_before_its_name_is_looked_up(case, allow_loopback):
    def resolve(host, port):
        raise AssertionError(f"{host} was looked up")

    with pytest.raises(ToolServerRefused) as refused:
        endpoint(case["url"], ALLOWED, resolve=resolve, is_public=is_public_address, allow_loopback=allow_loopback)
    if not allow_loopback:
        assert case["says"] in refused.value.message


@pytest.mark.parametrize("address", CASES["private_addresses"])
def test_a_name_that_leads_inside_is_refused(address):
    with pytest.raises(ToolServerRefused, match="private network"):
        checked("https://tools.example.com/mcp", [address])


@pytest.mark.parametrize("address", CASES["private_addresses"])
def test_one_private_address_among_public_ones_is_enough(address):
    with pytest.raises(ToolServerRefused, match="private network"):
        checked("https://tools.example.com/mcp", ["93.184.215.14", address])


@pytest.mark.parametrize("address", CASES["public_addresses"])
def test_a_public_address_passes(address):
    assert checked("https://tools.example.com/mcp", [address]).address == str(ipaddress.ip_address(address))


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/mcp", "http://[::1]:8000/mcp", "http://localhost:8000/mcp"])
def test_this_machine_is_spoken_to_in_the_local_stack_only(url):
    def place(**more):
        hosts = ("127.0.0.1", "::1", "localhost")
        return endpoint(url, hosts, resolve=lambda h, p: ["127.0.0.1"], is_public=is_public_address, **more)

    assert place(allow_loopback=True).address == "127.0.0.1"
    with pytest.raises(ToolServerRefused):
        place()


def test_in_the_local_stack_a_local_name_must_lead_to_this_machine():
    with pytest.raises(ToolServerRefused, match="private network"):
        endpoint(
            "http://localhost/mcp",
            ("localhost",),
            resolve=lambda h, p: ["10.0.0.1"],
            is_public=is_public_address,
            allow_loopback=True,
        )


def registered(port, name="tools.example.com"):
    return RegisteredTool(
        name="mail",
        remote_name="send_mail",
        url=f"https://{name}:{port}/mcp",
        allowed_hosts=(f"{name}:{port}",),
    )


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for tools.example.com; (server context, client context that trusts it)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tools.example.com")])
    now = dt.datetime.now(dt.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("tools.example.com")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    client = ssl.create_default_context(cadata=signed.public_bytes(serialization.Encoding.PEM).decode())
    return server, client


@pytest.fixture
def secure(certificate):
    """A tool server over TLS on this machine."""
    with MisbehavingServer(tls=certificate[0]) as server:
        yield server


class Resolver:
    """A name server that answers differently each time."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), 0

    def __call__(self, host, port):
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def test_a_rebinding_name_server_is_asked_once_and_the_checked_address_is_spoken_to(secure, certificate, monkeypatch):
    resolver = Resolver(["127.0.0.1"], ["169.254.169.254"])
    asked_system = []
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *a, **k: asked_system.append(host) or real(host, *a, **k))
    tools = McpTools(resolve=resolver, is_public=lambda address: str(address) == "127.0.0.1", tls=certificate[1])

    assert tools.call(registered(secure.port), {}, caps=QUICK) == Answered("ok")
    assert resolver.asked == 1
    assert "tools.example.com" not in [str(host) for host in asked_system]
    assert secure.headers[-1]["Host"] == f"tools.example.com:{secure.port}"


def test_a_name_that_turned_inside_since_it_was_registered_is_refused_without_a_connection(secure, certificate):
    tools = McpTools(resolve=Resolver(["127.0.0.1"]), tls=certificate[1])
    outcome = tools.call(registered(secure.port), {}, caps=QUICK)
    assert isinstance(outcome, NotSent)
    assert "private network" in outcome.reason
    assert secure.seen == []


def test_a_certificate_of_another_name_is_refused(secure, certificate):
    tools = McpTools(resolve=Resolver(["127.0.0.1"]), is_public=lambda address: True, tls=certificate[1])
    outcome = tools.call(registered(secure.port, "other.example.com"), {}, caps=QUICK)
    assert isinstance(outcome, NotSent)
    assert secure.seen == []


def test_a_certificate_that_nobody_signed_is_refused(secure):
    tools = McpTools(resolve=Resolver(["127.0.0.1"]), is_public=lambda address: True)
    assert isinstance(tools.call(registered(secure.port), {}, caps=QUICK), NotSent)
    assert secure.seen == []


def test_a_redirect_to_the_metadata_address_is_not_followed(secure, certificate):
    with MisbehavingServer() as inside:
        secure.on_greeting = lambda h, m: h.status(307, Location=f"{inside.url}/latest/meta-data/")
        tools = McpTools(resolve=Resolver(["127.0.0.1"]), is_public=lambda address: True, tls=certificate[1])
        outcome = tools.call(registered(secure.port), {}, caps=QUICK)
        assert isinstance(outcome, NotSent)
        assert "another address" in outcome.reason
        with pytest.raises(PlaybooksError, match="another address"):
            tools.describe(registered(secure.port).url, [f"tools.example.com:{secure.port}"], caps=QUICK)
        assert inside.seen == []


def test_a_proxy_of_the_environment_is_not_used(secure, certificate, monkeypatch):
    with MisbehavingServer() as proxy:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        tools = McpTools(resolve=Resolver(["127.0.0.1"]), is_public=lambda address: True, tls=certificate[1])
        assert tools.call(registered(secure.port), {}, caps=QUICK) == Answered("ok")
        assert proxy.seen == []
