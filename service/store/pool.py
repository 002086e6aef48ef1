"""Connections to one server, held in a plain stack: so many at the most, the last used first."""

import contextlib
import select
import threading
import time

from gevent.monkey import get_original
from redis.exceptions import RedisError

from service.store.errors import StoreUnavailable
from service.store.server import Connection, Server

IDLE_S = 60.0
"""A connection unused for longer is opened anew: firewalls and proxies on the way forget, and say nothing of it."""

poll = get_original("select", "poll")
"""The system's own: gevent's would let others run first."""
HUNG_UP = getattr(select, "POLLRDHUP", select.POLLHUP)


class Pool:
    """What `Link` stands on. Who takes a connection gives it back, whatever has become of it."""

    def __init__(self, server: Server, timeout_s: float, connections: int, idle_s: float) -> None:
        self._server = server
        self._timeout_s = timeout_s
        self._idle_s = idle_s
        self._idle: list[tuple[Connection, float]] = []
        self._room = threading.Condition()
        self._open = 0
        self._most = connections
        self._waiting = 0
        self._retired = False

    def close(self) -> None:
        """Close what is idle; what is in use closes when it comes back broken or the process ends."""
        self._drop_idle()

    def retire(self) -> None:
        """Close what is idle, and each connection that comes back. Whoever still holds this link may end his call."""
        self._retired = True
        self._drop_idle()

    def _take(self, for_a_write: bool = False) -> Connection:
        """A live connection. Raises `StoreUnavailable` when none can be had in time.

        A write is sent once, so the connection for it is looked at first: one that was closed meanwhile is opened
        anew, and behind a new one somebody must answer (a proxy takes connections for servers that are gone).
        """
        connection, since = self._idle_or_new()
        try:
            if connection.is_connected and (
                time.monotonic() - since > self._idle_s
                or self._server.left(connection)
                or (for_a_write and _hung_up(connection))
            ):
                connection.disconnect()
            if not connection.is_connected:
                self._server.connect(connection)
                if for_a_write:
                    connection.send_command("PING", check_health=False)
                    connection.read_response()
        except BaseException as broken:
            connection.disconnect()  # it may have connected, and been stopped in the middle of its first exchange
            self._give(connection)
            if isinstance(broken, RedisError | OSError):
                raise StoreUnavailable(str(broken)) from broken
            raise
        return connection

    def _idle_or_new(self) -> tuple[Connection, float]:
        """A connection and since when it has been idle, the last used first. Waits where all are in use."""
        give_up_at = time.monotonic() + self._timeout_s
        while True:
            with contextlib.suppress(IndexError):
                return self._idle.pop()
            with self._room:
                if self._open < self._most:
                    connection = self._server.connection()
                    self._open += 1
                    return connection, time.monotonic()
                self._wait_for_idle(give_up_at)

    def _wait_for_idle(self, give_up_at: float) -> None:
        """Until one may be idle: another caller can be faster. Raises `StoreUnavailable` when the time is up."""
        self._waiting += 1  # before looking, so that whoever gives one back from here on tells of it
        try:
            if not self._room.wait_for(lambda: bool(self._idle), max(0.0, give_up_at - time.monotonic())):
                raise StoreUnavailable(f"all {self._most} connections are busy")
        finally:
            self._waiting -= 1

    def _give(self, connection: Connection) -> None:
        if self._retired:
            connection.disconnect()
        self._idle.append((connection, time.monotonic()))
        if self._waiting:
            with self._room:
                self._room.notify()

    def _drop_idle(self) -> None:
        """Close idle connections, keeping their places: one that broke tells that the others are broken too."""
        idle = []
        with contextlib.suppress(IndexError):  # taken out first: nobody else may begin to use them meanwhile
            while True:
                idle.append(self._idle.pop()[0])
        for connection in idle:
            connection.disconnect()
            self._give(connection)


def _hung_up(connection: Connection) -> bool:
    """Whether the other end has closed this connection, as far as this machine has heard."""
    look = poll()
    look.register(connection._sock, HUNG_UP)
    return bool(look.poll(0))
