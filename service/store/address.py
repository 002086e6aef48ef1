"""REDIS_URL taken apart: one server, a cluster of which it names a few nodes, or a master that Sentinels know.

redis://user:password@host:port/0                              one server; unix:///path/to/socket
redis+cluster://user:password@host:port,host:port              any few nodes of a cluster: it tells of the others
redis+sentinel://user:password@host:port,host:port/master/0    Sentinels, and the name by which they know the master

`rediss` instead of `redis` speaks TLS: to every server, to Sentinels as well. What follows a `?` is redis-py's, but for
`sentinel_username` and `sentinel_password`, by which Sentinels know us if they ask at all.
"""

from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import msgspec

CLUSTER_PORT = 6379
SENTINEL_PORT = 26379


class AddressError(ValueError):
    """An address of a cluster or of Sentinels that leads nowhere. The message is a sentence that says why."""


class Place(NamedTuple):
    """Where one server answers."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Address(msgspec.Struct, frozen=True):
    """What REDIS_URL says.

    `server`: the address of one server as redis-py knows it; for a cluster and Sentinels that of the first place, from
    which only the login and the options are taken. `places`: the nodes or Sentinels that are named, none for a server.
    `sentinel_login`: a user name, which may be empty, and a password.
    """

    kind: Literal["server", "cluster", "sentinel"]
    server: str
    places: tuple[Place, ...] = ()
    master: str = ""
    sentinel_login: tuple[str, str] | None = None


def parse(text: str) -> Address:
    """The address. Raises ValueError; `AddressError` for what is wrong with a cluster or Sentinels."""
    scheme, plus, kind = text.partition("://")[0].lower().partition("+")
    if plus and scheme in ("redis", "rediss") and kind == "cluster":
        return _cluster(scheme, text)
    if plus and scheme in ("redis", "rediss") and kind == "sentinel":
        return _sentinel(scheme, text)
    url = urlsplit(text)
    if url.scheme == "unix":
        complete = url.path.startswith("/")
    else:
        # .port is checked by reading it: it raises ValueError when out of range.
        complete = url.scheme in ("redis", "rediss") and bool(url.hostname) and url.port != 0
    if not complete:
        raise ValueError(text)
    return Address("server", text)


def _cluster(scheme: str, text: str) -> Address:
    login, hosts, path, query = _parts(text)
    if path.strip("/") not in ("", "0"):
        raise AddressError("A cluster has database 0 alone: leave out what follows the nodes.")
    places = _places(hosts, CLUSTER_PORT)
    return Address("cluster", f"{scheme}://{login}{places[0]}/0{_asked(query)}", places)


def _sentinel(scheme: str, text: str) -> Address:
    login, hosts, path, query = _parts(text)
    master, _, database = path.strip("/").partition("/")
    if not master:
        raise AddressError(
            "After the Sentinels comes the name by which they know the master: …/mymaster or …/mymaster/0."
        )
    if database and not (database.isascii() and database.isdigit()):
        raise AddressError("After the master's name comes the number of a database, or nothing.")
    options = dict(parse_qsl(query, keep_blank_values=True))
    user, password = options.pop("sentinel_username", ""), options.pop("sentinel_password", None)
    if user and password is None:
        raise AddressError("sentinel_username needs a sentinel_password.")
    places = _places(hosts, SENTINEL_PORT)
    server = f"{scheme}://{login}{places[0]}/{int(database or 0)}{_asked(urlencode(options))}"
    return Address("sentinel", server, places, unquote(master), None if password is None else (user, password))


def _parts(text: str) -> tuple[str, str, str, str]:
    """(what stands before the hosts, with its @; the hosts; the path; the query)."""
    rest, _, query = text.partition("://")[2].partition("?")
    login, at, rest = rest.rpartition("@")
    if "@" in login or "," in login:
        raise AddressError(
            "user:password@ comes once, before the first host; in a password @ is written %40 and a comma %2C."
        )
    hosts, _, path = rest.partition("/")
    return login + at, hosts, path, query


def _asked(query: str) -> str:
    return f"?{query}" if query else ""


def _places(hosts: str, port: int) -> tuple[Place, ...]:
    """Each host:port between commas, the port left out where it is the usual one. Each once, in the order named."""
    places = []
    for number, each in enumerate(hosts.split(","), 1):
        # Not quoted: with a login that is not written as it should be, it may be a part of a password.
        wrong = AddressError(f"Host {number} is no host:port, such as 10.0.0.7:{port} or [::1]:{port}.")
        try:
            url = urlsplit(f"//{each}")
            place = Place(url.hostname or "", port if url.port is None else url.port)
        except ValueError as error:
            raise wrong from error
        if not place.host or not place.port or url.path:
            raise wrong
        places.append(place)
    return tuple(dict.fromkeys(places))
