"""Whence a request comes: the address of its client, through proxies that are trusted, and what counts as one address.

Anybody can send `X-Forwarded-For`. It is believed only of a peer whose address is in TRUSTED_PROXIES, and only so far
as trusted proxies wrote it: read from the right, the first address that is none of theirs is the client's.
See docs/decisions/0012-limits.md.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

Address = IPv4Address | IPv6Address
WSGI = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

ELEMENTS_MOST = 1_000
"""The characters of `Forwarded`."""

UNIX = "unix"
"""In place of an address: a proxy that comes over a unix socket."""

_PORT = re.compile(r"\[(?P<six>[^\]]*)\](?::\d+)?|(?P<four>[0-9.]+):\d+")
_ELEMENT = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*")+')
_FOR = re.compile(r'(?:^|;)\s*for=(?:"(?P<quoted>[^"]*)"|(?P<plain>[^;\s]*))\s*(?=;|$)', re.IGNORECASE)


def plain(text: str) -> Address | None:
    """The address in a text, with or without a port; None where there is none. IPv4 within IPv6 is IPv4."""
    text = text.strip()
    with_port = _PORT.fullmatch(text)
    if with_port is not None:
        text = with_port["six"] or with_port["four"] or ""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


@lru_cache(maxsize=4_096)
def block(address: str) -> str:
    """What counts as one address: in IPv6 the /64, which is what one customer has at the least."""
    found = plain(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((int(found) >> 64 << 64, 64)))
    return address if found is None else str(found)


class Trusted:
    """The proxies that are believed, as TRUSTED_PROXIES lists them: addresses, networks and `unix`, with commas.

    Raises ValueError for anything else, and for a network that is all there is: it would let everybody forge.
    """

    def __init__(self, listed: str | None) -> None:
        words = [] if listed is None else [word.strip() for word in listed.split(",")]
        self._unix = UNIX in words
        self._networks: list[IPv4Network | IPv6Network] = [ip_network(word) for word in words if word != UNIX]
        if any(network.prefixlen == 0 for network in self._networks):
            raise ValueError(listed)
        self.trusts = lru_cache(maxsize=4_096)(self._trusts)

    def __bool__(self) -> bool:
        return self._unix or bool(self._networks)

    def _trusts(self, peer: str) -> bool:
        """Whether what this peer says of others is believed. A peer without an address came over a unix socket."""
        if not peer:
            return self._unix
        address = plain(peer)
        return address is not None and any(address in network for network in self._networks)

    def client(self, peer: str, told: list[str]) -> str:
        """The address of the client. `told` are the hops before the peer, farthest first, as proxies wrote them.

        Where a trusted proxy says nothing that can be read, it is that proxy's own.
        """
        here = peer
        for hop in reversed(told):
            if not self.trusts(here):
                break
            address = plain(hop)
            if address is None:
                break
            here = str(address)
        return here


def hops_of_list(header: str) -> list[str]:
    """The hops in `X-Forwarded-For`."""
    return header.split(",")


def hops_of_elements(header: str) -> list[str]:
    """The hops in `Forwarded` (RFC 7239). One that is not told (`for=unknown`, or no `for`) is an empty text.

    A header that is longer than any chain of proxies makes it is not read at all: quotes within quotes take long.
    """
    if len(header) > ELEMENTS_MOST:
        return [""]
    found = []
    for element in _ELEMENT.findall(header):
        hop = _FOR.search(element)
        found.append("" if hop is None else hop["quoted"] or hop["plain"] or "")
    return found


HEADERS: dict[str, Callable[[str], list[str]]] = {
    "x-forwarded-for": hops_of_list,
    "forwarded": hops_of_elements,
}


class BehindProxies:
    """An application to which requests come from their clients, not from trusted proxies: REMOTE_ADDR is set right.

    One header alone is read. A proxy writes that one; any other it may pass on as the client sent it.
    """

    def __init__(self, site: WSGI, trusted: Trusted, header: str) -> None:
        self._site = site
        self._trusted = trusted
        self._hops = HEADERS[header]
        self._key = "HTTP_" + header.upper().replace("-", "_")

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        peer = environ.get("REMOTE_ADDR", "")
        told = environ.get(self._key)
        if told is not None and self._trusted.trusts(peer):
            environ["REMOTE_ADDR"] = self._trusted.client(peer, self._hops(told))
        return self._site(environ, start_response)
