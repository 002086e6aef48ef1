"""Where connections come from: one server, or whichever one is the master by what Sentinels say at the moment."""

import threading
import time
from typing import Any

from redis.connection import ConnectionPool
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.sentinel import Sentinel

from service.store.address import Address, Place

Connection = Any  # redis-py's connections are only half typed

SENTINEL_TIMEOUT_S = 0.5
"""How long one Sentinel may take. There are others, and a request waits."""

ASKED_EVERY_S = 0.1
"""Sentinels are not asked more often by one process, however many requests wait for a master."""

WATCHED_EVERY_S = 1.0

PASSED_OVER_S = 10.0
"""For so long a Sentinel that was silent is only asked if no other knows the master: each request that connects would
wait for it."""


class Server:
    """One server. `timeout_s` bounds connecting and each wait for an answer; `place` is where it answers, if not where
    the URL says."""

    def __init__(self, url: str, timeout_s: float, place: Place | None = None) -> None:
        # Only asked for what a connection is made of: the pool's own bounds and counters are not used.
        pool = ConnectionPool.from_url(
            url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s, retry=None, protocol=2
        )
        self._class = pool.connection_class
        self._options: dict[str, Any] = pool.connection_kwargs
        if place is not None:
            self._options |= {"host": place.host, "port": place.port}

    def connection(self) -> Connection:
        """A new connection, not opened yet."""
        return self._class(**self._options)

    def connect(self, connection: Connection) -> None:
        """Open it. Raises what redis-py raises."""
        connection.connect()

    def left(self, connection: Connection) -> bool:  # noqa: ARG002  # a server stays what it is
        """Whether it is known that the connection leads to a server that is no longer the right one."""
        return False


class Master(Server):
    """The master that Sentinels know by a name. Whoever connects asks them again, and then the server itself: one that
    has been told meanwhile that it is a replica is left alone. While it is used they are asked once a second, since an
    old master may go on as if nothing had happened, for as long as nobody tells it."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        super().__init__(address.server, timeout_s)
        options = self._to_sentinels(address, timeout_s)
        self._sentinels: Any = Sentinel(list(address.places), sentinel_kwargs=options)  # type: ignore[no-untyped-call]
        self._name = address.master
        self._lock = threading.Lock()
        self._found: Place | None = None
        self._lost = "never asked"
        self._asked_at = -WATCHED_EVERY_S
        self._watching = False
        self._silent: dict[int, float] = {}  # since when, by their number

    def connect(self, connection: Connection) -> None:
        place = self._where()
        connection.host, connection.port = place
        connection.connect()
        connection.send_command("ROLE", check_health=False)
        role = connection.read_response()[0]
        if role != b"master":
            raise RedisConnectionError(f"{place} is said to be the master, and says that it is not")

    def left(self, connection: Connection) -> bool:
        if time.monotonic() - self._asked_at > WATCHED_EVERY_S and not self._watching:
            self._watching = True
            try:
                threading.Thread(target=self._look, name="sentinels", daemon=True).start()
            except RuntimeError:  # the system has none to give: the next who uses a connection asks
                self._watching = False
        return self._found is not None and (connection.host, connection.port) != self._found

    def _look(self) -> None:
        try:
            self._ask()
        finally:
            self._watching = False

    def _where(self) -> Place:
        self._ask()
        if self._found is None or self._lost:
            raise RedisConnectionError(self._lost)
        return self._found

    def _ask(self) -> None:
        """Ask all Sentinels, unless that has just been done. Of their answers the one of the latest failover counts."""
        with self._lock:
            if time.monotonic() - self._asked_at <= ASKED_EVERY_S:
                return
            all_of_them = set(range(len(self._sentinels.sentinels)))
            lately = {number for number, at in self._silent.items() if time.monotonic() - at < PASSED_OVER_S}
            known, failures = self._told_by(all_of_them - lately)
            if not known and lately:
                known, more = self._told_by(lately)
                failures += more
            if known:
                self._found, self._lost = max(known)[1], ""
            else:
                self._lost = "; ".join([f"no Sentinel knows a master {self._name!r} that is up", *failures])
            self._asked_at = time.monotonic()

    def _told_by(self, numbers: set[int]) -> tuple[list[tuple[int, Place]], list[str]]:
        """(what those of these Sentinels know who know a master, why the others say nothing)."""
        known, failures = [], list[str]()
        for number in sorted(numbers):
            try:
                known += self._known_to(self._sentinels.sentinels[number])
                self._silent.pop(number, None)
            except (RedisError, OSError) as failure:
                failures.append(str(failure))
                if isinstance(failure, RedisTimeoutError):
                    self._silent[number] = time.monotonic()
        return known, failures

    def _known_to(self, sentinel: Any) -> list[tuple[int, Place]]:
        """(epoch, the master) as one Sentinel knows it, if it knows one that is up."""
        state = sentinel.sentinel_masters().get(self._name)
        if not state:
            return []
        if "failover_in_progress" in state["flags"]:
            # The Sentinel that leads it knows the new one seconds before all are told.
            promoted = Place(*sentinel.sentinel_get_master_addr_by_name(self._name))
            if promoted != (state["ip"], state["port"]):
                return [(state["config-epoch"] + 1, promoted)]
        if not self._sentinels.check_master_state(state, self._name):
            return []
        return [(state["config-epoch"], Place(state["ip"], state["port"]))]

    def _to_sentinels(self, address: Address, timeout_s: float) -> dict[str, Any]:
        timeout_s = min(timeout_s, SENTINEL_TIMEOUT_S)
        options = {name: value for name, value in self._options.items() if name.startswith("ssl_")}
        options |= {"ssl": address.server.startswith("rediss:"), "retry": None, "protocol": 2}
        options |= {"socket_timeout": timeout_s, "socket_connect_timeout": timeout_s}
        if address.sentinel_login is not None:
            user, password = address.sentinel_login
            options |= {"username": user or None, "password": password}
        return options


def server_of(address: Address, timeout_s: float) -> Server:
    """Where connections to this address come from: of a cluster, those to its first place."""
    return Master(address, timeout_s) if address.kind == "sentinel" else Server(address.server, timeout_s)
