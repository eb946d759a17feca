"""E-mail addresses (RFC 5321 dot-strings, RFC 6531 for other scripts), also with the @ written as %40."""

import re
from collections.abc import Iterator

from playbooks.domain.masking.model import Kind, Span

_AT = re.compile(r"@|%40")
_LOCAL_BACKWARDS = re.compile(r"[A-Za-z0-9.!$%'*+^_`~-]{1,64}")
"""Without the signs that part the fields of an address bar or of a list, which no provider gives out."""
_LOCAL_BACKWARDS_ANY = re.compile(r"[\w.+-]{1,64}")
_QUOTED_BACKWARDS = re.compile(r'"[^"\n]{1,62}"')
_DOMAIN = re.compile(
    r"(?:[A-Za-z0-9-]{1,63}\.){1,8}(?:xn--[A-Za-z0-9-]{2,59}|[A-Za-z]{2,24})"
    r"|\[(?:IPv6:)?[0-9A-Fa-f:.]{2,45}\]"
)
_DOMAIN_ANY = re.compile(r"(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}")


def emails(text: str) -> Iterator[Span]:
    """Addresses from left to right: from each @ outwards, so a long text without one costs nothing."""
    end = 0
    for at in _AT.finditer(text):
        before = text[max(end, at.start() - 64) : at.start()][::-1]
        local = _QUOTED_BACKWARDS.match(before) or _LOCAL_BACKWARDS.match(before) or _LOCAL_BACKWARDS_ANY.match(before)
        domain = _DOMAIN.match(text, at.end()) or _DOMAIN_ANY.match(text, at.end())
        if local is None or domain is None:
            continue
        end = domain.end()
        yield Span(at.start() - local.end(), end, Kind.EMAIL)
