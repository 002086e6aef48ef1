"""Time-outs under gevent, by one look at all waits now and then: a timer for each takes a twentieth of a move."""

import contextlib
import socket
from time import monotonic
from typing import Any

import gevent
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.server import Connection

LOOK_S = 0.05
"""How often it is looked; so much later than asked for a wait may end."""
LOOKS_IN_VAIN = 200
"""When so many looks have found nobody waiting, the next who waits begins anew to have it looked."""


class Overdue:
    """Waits for servers, and since when. For the greenlets of one thread."""

    def __init__(self) -> None:
        self._until: dict[Connection, float] = {}
        self._looking = False

    def hear(self, connection: Connection, sock: Any) -> Any:
        """`connection.read_response()`, within the time-out of its socket. Raises what that raises."""
        limit_s, sock.timeout = sock.timeout, None
        self._until[connection] = monotonic() + limit_s
        if not self._looking:
            self._looking = True
            gevent.spawn(self._look)
        try:
            return connection.read_response()
        except RedisConnectionError:
            if connection in self._until:
                raise
            raise RedisTimeoutError("Timeout reading from socket") from None
        finally:
            sock.timeout = limit_s
            self._until.pop(connection, None)

    def _look(self) -> None:
        try:
            in_vain = 0
            while in_vain < LOOKS_IN_VAIN:
                gevent.sleep(LOOK_S)
                in_vain = 0 if self._until else in_vain + 1
                now = monotonic()
                for connection in [each for each, until in self._until.items() if until < now]:
                    self._end(connection)
        finally:
            self._looking = False

    def _end(self, connection: Connection) -> None:
        """Let who waits find an end: the socket under gevent's, whose reader is woken by it like by any other."""
        del self._until[connection]
        with contextlib.suppress(OSError, AttributeError):  # it has ended by itself just now
            connection._sock._sock.shutdown(socket.SHUT_RDWR)
