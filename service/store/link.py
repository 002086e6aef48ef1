"""The link to one Redis server: redis-py's connections, held in a plain stack.

redis-py's own pools and `execute_command` cost more than the trip itself under gevent (120 us against 50 us a
command, measured by bench/), and they retry writes. So this takes its connections, parser, TLS and login, and leaves
the rest: see docs/decisions/0003-redis-link.md.
"""

import threading
from collections.abc import Sequence
from hashlib import sha1
from typing import Any

from redis.connection import ConnectionPool
from redis.exceptions import BusyLoadingError, NoScriptError, RedisError, ResponseError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.errors import OutcomeUnknown, StoreUnavailable

Connection = Any  # redis-py's connections are only half typed


class Script:
    """A Lua script and the name that the server knows it by."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()


class Link:
    """Sends commands and waits for their answers, each call on a connection of its own.

    `timeout_s` bounds connecting and each wait for an answer; `connections` bounds how many are open at once.
    """

    def __init__(self, url: str, timeout_s: float, connections: int) -> None:
        self._pool = ConnectionPool.from_url(
            url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s, retry=None, protocol=2
        )
        self._timeout_s = timeout_s
        self._idle: list[Connection] = []
        self._room = threading.Condition()
        self._open = 0
        self._most = connections
        self._waiting = 0

    def read(self, *commands: Sequence[Any]) -> list[Any]:
        """The answers to commands that change nothing that matters, in one round trip.

        A connection that proves dead is replaced once: reads may be repeated. One that is silent is not, so a reader
        waits for `timeout_s` at the most. Raises `StoreUnavailable`.
        """
        try:
            try:
                return self._send(commands)
            except (BusyLoadingError, RedisTimeoutError):
                raise
            except RedisConnectionError:
                self._drop_idle()
                return self._send(commands)
        except (RedisError, OSError) as broken:
            raise StoreUnavailable(str(broken)) from broken

    def write(self, script: Script, keys: Sequence[str], args: Sequence[Any]) -> Any:
        """Run a script once, never twice.

        Raises `StoreUnavailable` when it did not run for certain, `OutcomeUnknown` when it was sent and no answer came.
        """
        connection = self._take()
        try:
            try:
                return self._ask(connection, ("EVALSHA", script.sha, len(keys), *keys, *args))
            except NoScriptError:  # the server has not seen it since it started: it did not run
                return self._ask(connection, ("EVAL", script.text, len(keys), *keys, *args))
        except (ResponseError, BusyLoadingError) as refused:
            raise StoreUnavailable(str(refused)) from refused
        except (RedisError, OSError) as broken:
            connection.disconnect()
            self._drop_idle()
            raise OutcomeUnknown(str(broken)) from broken
        except BaseException:  # the worker is being stopped: an answer may still come, and is for nobody else
            connection.disconnect()
            raise
        finally:
            self._give(connection)

    def close(self) -> None:
        """Close what is idle; what is in use closes when it comes back broken or the process ends."""
        self._drop_idle()

    def _ask(self, connection: Connection, command: Sequence[Any]) -> Any:
        connection.send_command(*command, check_health=False)
        return connection.read_response()

    def _send(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        connection = self._take()
        try:
            connection.send_packed_command(connection.pack_commands(commands), check_health=False)
            answers = []
            for _ in commands:
                try:
                    answers.append(connection.read_response())
                except ResponseError as refused:  # read on: the other answers are already on their way
                    answers.append(refused)
        except BaseException:
            connection.disconnect()
            raise
        finally:
            self._give(connection)
        for answer in answers:
            if isinstance(answer, ResponseError):
                raise answer
        return answers

    def _take(self) -> Connection:
        """An idle connection, or a new one. Raises `StoreUnavailable` when none can be had in time."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._open_or_wait()
        if not connection.is_connected:
            try:
                connection.connect()
            except (RedisError, OSError) as broken:
                self._give(connection)
                raise StoreUnavailable(str(broken)) from broken
        return connection

    def _open_or_wait(self) -> Connection:
        with self._room:
            if self._open < self._most:
                self._open += 1
                return self._pool.make_connection()
            self._waiting += 1
            try:
                if not self._room.wait_for(lambda: bool(self._idle), self._timeout_s):
                    raise StoreUnavailable(f"all {self._most} connections are busy")
                return self._idle.pop()
            finally:
                self._waiting -= 1

    def _give(self, connection: Connection) -> None:
        self._idle.append(connection)
        if self._waiting:
            with self._room:
                self._room.notify()

    def _drop_idle(self) -> None:
        """Close idle connections, keeping their places: one that broke tells that the others are broken too."""
        for connection in list(self._idle):
            connection.disconnect()


def server_version(link: Link) -> str:
    """The version that the server reports, such as `7.0.15` (Valkey reports the Redis version that it speaks)."""
    lines = link.read(("INFO", "server"))[0].decode().splitlines()
    return next((line.split(":", 1)[1] for line in lines if line.startswith("redis_version:")), "unknown")
