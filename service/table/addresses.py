"""Where a webhook may lead: how its URL is read, and which addresses of the network are out of bounds.

Who creates a match chooses where this server connects to, so by default that is the public internet and nothing else.
A URL is read by one strict pattern, here, and by nothing else: what was checked is what is connected to.
"""

import re
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import msgspec

from service.table.errors import Invalid

Address = IPv4Address | IPv6Address

_URL = re.compile(
    r"(?P<scheme>https?)://"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*\.?)"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<target>[/?][!-\"$-~]*)?(?:#[!-~]*)?",
    re.ASCII,
)
_PORTS = {"http": 80, "https": 443}
HOST_MOST = 253

# The registries of special-purpose addresses (RFC 6890 and its updates), less what they call globally reachable.
_CLOSED_V4 = [
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network; Linux takes 0.0.0.0 for itself
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by carriers
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, the metadata services of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
]
_OPEN_V6 = IPv6Network("2000::/3")
"""All that is given out to be reached by everybody."""
_CLOSED_V6 = [ip_network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
_NAT64 = IPv6Network("64:ff9b::/96")


class Place(msgspec.Struct, frozen=True):
    """A URL in its parts. `host` is a name or a literal address, without brackets; `target` is path and query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """What the header `Host` says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def read(url: str) -> Place | None:
    """The parts of a URL; None for what is no plain http or https URL, or has a user name in it."""
    found = _URL.fullmatch(url)
    if found is None:
        return None
    host = found["host"].strip("[]").lower()
    port = int(found["port"] or _PORTS[found["scheme"]])
    bracketed = "[" in found["host"]
    if not 1 <= port <= 65_535 or len(host) > HOST_MOST or (bracketed and not isinstance(literal(host), IPv6Address)):
        return None
    target = found["target"] or "/"
    return Place(found["scheme"], host, port, target if target.startswith("/") else f"/{target}")


def literal(host: str) -> Address | None:
    """The address that a host says by itself, in any of the notations that systems take (`127.1`, `0x7f000001`)."""
    try:
        return ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def public(address: Address) -> bool:
    """Whether this is an address of the internet: no network of one's own, no host itself, no group, nothing reserved.

    An IPv6 address that stands for an IPv4 address is judged as that.
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    if address.ipv4_mapped is not None:
        return public(address.ipv4_mapped)
    if address in _NAT64:
        return public(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address.scope_id is None and address in _OPEN_V6 and not any(address in network for network in _CLOSED_V6)


def check(url: str, private: bool) -> None:
    """Raises `Invalid` for a URL that could never be delivered to. Names are judged when they are resolved, each time.

    `private`: every address is allowed.
    """
    path = "$.webhook.url"
    place = read(url)
    if place is None:
        raise Invalid(path, "Send an http or https URL with a host name, without user name and password.")
    if private:
        return
    address = literal(place.host)
    name = place.host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost") or (address is not None and not public(address)):
        raise Invalid(path, "This server delivers to public addresses only, not to its own network.")
