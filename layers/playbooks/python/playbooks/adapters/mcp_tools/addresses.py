"""Where a tool server may be: https, a name on the list, an address of the public internet."""

import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from playbooks.ports.tools import ToolServerRefused, ToolServerUnreachable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

_PLAIN = re.compile(r"[A-Za-z0-9._~:/?#\[\]!$&'()*+,;=%-]{1,2000}")
"""A URL without what programs read differently: spaces, backslashes, control characters, userinfo, other scripts."""
_NAME = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+\Z|0x)[a-z0-9-]{2,63}")
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "::1", "localhost"})
_NOT_PUBLIC = (
    ipaddress.ip_network("::/96"),  # IPv4-compatible, RFC 4291
    ipaddress.ip_network("64:ff9b::/96"),  # NAT64, RFC 6052: an IPv4 address behind a gateway of the network's own
    ipaddress.ip_network("64:ff9b:1::/48"),  # NAT64 for local use, RFC 8215
    ipaddress.ip_network("192.88.99.0/24"),  # relays of 6to4, RFC 7526
    ipaddress.ip_network("fec0::/10"),  # site-local, RFC 3879
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address to connect to, under the name that its certificate must bear."""

    url: str
    scheme: str
    host: str
    port: int
    address: str


def endpoint(
    url: str,
    allowed_hosts: Sequence[str],
    *,
    resolve: Resolve,
    is_public: Callable[[Address], bool],
    allow_loopback: bool = False,
) -> Endpoint:
    """Check a registered URL and resolve its name, once; every address the name has must be public.

    `allow_loopback` is for the local stack alone: it also lets plain http to this machine pass. Raises
    ToolServerRefused, and ToolServerUnreachable for a name that does not resolve.
    """
    scheme, host, port = _parts(url)
    is_local = allow_loopback and host in _LOOPBACK_NAMES
    if scheme != "https" and not (is_local and scheme == "http"):
        raise ToolServerRefused("A tool server is spoken to over https: register its https address.")
    if not is_local and not _NAME.fullmatch(host):
        raise ToolServerRefused(f"A tool server is registered by its name in small ASCII letters, not as {host!r}.")
    wanted = {host, f"{host}:{port}"} if is_local or port == 443 else {f"{host}:{port}"}
    if wanted.isdisjoint(allowed_hosts):
        raise ToolServerRefused(f"{max(wanted)} is not among the tool's allowed hosts: the administrator adds it.")
    addresses = [_address(found) for found in resolve(host, port)]
    if not addresses:
        raise ToolServerUnreachable(f"The name {host} has no address.")
    for address in addresses:
        if not (address.is_loopback if is_local else is_public(address)):
            raise ToolServerRefused(f"{host} leads to an address inside a private network: it is not spoken to.")
    return Endpoint(url, scheme, host, port, str(addresses[0]))


def is_public_address(address: Address) -> bool:
    """Whether an address is of the public internet, and no private one is hidden in it."""
    if isinstance(address, ipaddress.IPv6Address):
        hidden = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if any(inner is not None and not is_public_address(inner) for inner in hidden):
            return False
        if address.ipv4_mapped is not None:
            return True
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address.version == network.version and address in network for network in _NOT_PUBLIC)
    )


def system_resolve(host: str, port: int) -> Sequence[str]:
    """Every address of a name, by the system's resolver; raises ToolServerUnreachable."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ToolServerUnreachable(f"The name {host} does not resolve.") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _parts(url: str) -> tuple[str, str, int]:
    refusal = ToolServerRefused(
        "The tool server's address is not a plain URL such as https://tools.example.com/mcp: register it again."
    )
    if not _PLAIN.fullmatch(url) or "://" not in url:
        raise refusal
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise refusal from None
    if not host or parts.username is not None or parts.fragment or "%" in parts.netloc:
        raise refusal
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 80)


def _address(text: str) -> Address:
    return ipaddress.ip_address(text.partition("%")[0])
