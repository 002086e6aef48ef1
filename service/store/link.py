"""The link to one Redis server: what is sent, what is sent again, and what is known when no answer comes.

redis-py's own `execute_command` and pools cost more than the trip itself under gevent (120 us against 50 us a
command, measured by bench/), and they retry writes. So this takes its connections, parser, TLS and login, and leaves
the rest: see docs/decisions/0003-redis-link.md. How connections are held is in `pool`.
"""

from collections.abc import Sequence
from hashlib import sha1
from typing import Any

from gevent.socket import socket as Cooperative
from hiredis import pack_command
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    NoScriptError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.errors import OutcomeUnknown, StoreUnavailable, TooFewReplicas
from service.store.pool import IDLE_S, Pool
from service.store.port import Meanwhile, nothing
from service.store.server import Connection, Server
from service.store.together import Together

# What a server says instead of running a command; redis-py counts some of it among broken connections.
REFUSALS = (ResponseError, BusyLoadingError, AuthenticationError)


class _NotSent(Exception):
    """A command did not leave whole, so it can't have run."""


ASKING = pack_command(("ASKING",))
"""Before a command to the node that a slot of a cluster is being moved to."""


class Script:
    """A Lua script and the name that the server knows it by.

    `lasting`: what it writes must outlive the server, as far as is asked for (`Link`'s `replicas`). Such a script
    answers 1 when it has written.
    """

    def __init__(self, text: str, lasting: bool = False) -> None:
        self.text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()
        self.lasting = lasting

    def by_shard(self) -> "Script":
        """The same, telling news to those alone who listen at the node that has the match: else every node of a cluster
        would be told of every move."""
        return Script(self.text.replace("'PUBLISH'", "'SPUBLISH'"), self.lasting)


class Link(Pool):
    """Sends commands and waits for their answers, each call on a connection of its own.

    `timeout_s` bounds connecting and each wait for an answer; `connections` bounds how many are open at once. With
    `replicas` a lasting write is only done when so many have it, which is waited for in the same exchange.
    """

    parts = 1
    """Into how many parts the store divides what is kept across matches: see `spread`."""

    def __init__(
        self, server: str | Server, timeout_s: float, connections: int, idle_s: float = IDLE_S, replicas: int = 0
    ) -> None:
        super().__init__(
            Server(server, timeout_s) if isinstance(server, str) else server, timeout_s, connections, idle_s
        )
        self.replicas = replicas
        # Shorter than the wait for its answer, so that a late replica and a lost answer are told apart.
        wait: tuple[Any, ...] = ("WAIT", replicas, max(1, round(500 * timeout_s)))
        self._wait = pack_command(wait) if replicas else b""
        self.read_together = Together(self.read).read
        """The same as `read`; callers who read at the same time share one round trip."""

    def read(self, *commands: Sequence[Any], asking: bool = False) -> list[Any]:
        """The answers to commands that change nothing that matters, in one round trip.

        A connection that proves dead is replaced once: reads may be repeated. One that is silent is not, so a reader
        waits for `timeout_s` at the most. `asking`: of a node that a slot is being moved to. Raises `StoreUnavailable`.
        """
        try:
            try:
                return self._send(commands, asking)
            except (*REFUSALS, RedisTimeoutError):
                raise
            except RedisConnectionError:
                self._drop_idle()
                return self._send(commands, asking)
        except (RedisError, OSError) as broken:
            self._look_elsewhere(broken)
            raise StoreUnavailable(str(broken)) from broken

    def read_some(self, *commands: Sequence[Any]) -> list[Any]:
        """The same as `read` where all is in one place: in a cluster some answers may be missing."""
        return self.read(*commands)

    def write(
        self,
        script: Script,
        keys: Sequence[str],
        args: Sequence[Any],
        meanwhile: Meanwhile = nothing,
        asking: bool = False,
    ) -> Any:
        """Run a script once, never twice. `meanwhile` is called when it has been sent.

        Raises `StoreUnavailable` when it did not run for certain, `OutcomeUnknown` when it was sent and no answer came;
        of these `TooFewReplicas` when it ran.
        """
        connection = self._take(for_a_write=True)
        try:
            wait = self._wait if script.lasting else b""
            try:
                return self._ask(connection, ("EVALSHA", script.sha, len(keys), *keys, *args), wait, meanwhile, asking)
            except NoScriptError:  # the server has not seen it since it started: it did not run
                return self._ask(connection, ("EVAL", script.text, len(keys), *keys, *args), wait, nothing, asking)
        except TooFewReplicas:
            raise  # the exchange is whole
        except REFUSALS as refused:
            self._look_elsewhere(refused, connection)
            raise StoreUnavailable(str(refused)) from refused
        except _NotSent as broken:
            connection.disconnect()
            self._drop_idle()
            raise StoreUnavailable(str(broken)) from broken.__cause__
        except (RedisError, OSError) as broken:
            connection.disconnect()
            self._drop_idle()
            raise OutcomeUnknown(str(broken)) from broken
        except BaseException:  # such as a worker's being stopped: an answer may still come, and is for nobody else
            connection.disconnect()
            raise
        finally:
            self._give(connection)

    def refused(self, failure: StoreUnavailable) -> bool:
        """Whether the server did answer, and said that it does not do such a thing (for us)."""
        return isinstance(failure.__cause__, ResponseError)

    def _ask(
        self, connection: Connection, command: Sequence[Any], wait: bytes, meanwhile: Meanwhile, asking: bool
    ) -> Any:
        packed = pack_command(tuple(command)) + wait
        try:
            _say(connection, ASKING + packed if asking else packed)
        except (RedisError, OSError) as broken:
            if wait:  # it may be the end alone that did not leave
                raise
            raise _NotSent(str(broken)) from broken
        meanwhile()
        if asking:
            _read_whatever(connection)  # where this is refused, what follows points elsewhere
        if not wait:
            return connection.read_response()
        try:
            answer = connection.read_response()
        except REFUSALS:
            if connection.is_connected:
                _read_whatever(connection)  # what it says of waiting, which is on its way
            raise
        have_it = _read_whatever(connection)
        # A master that is made a replica while we wait answers with an error.
        if answer == 1 and (isinstance(have_it, ResponseError) or have_it < self.replicas):
            raise TooFewReplicas(f"written, and not on {self.replicas} replicas yet: {have_it}")
        return answer

    def _send(self, commands: Sequence[Sequence[Any]], asking: bool) -> list[Any]:
        connection = self._take()
        try:
            # In one piece: a server that gets them one by one may do somebody else's work in between.
            before = ASKING if asking else b""
            packed = b"".join(before + pack_command(tuple(each)) for each in commands)
            _say(connection, packed)
            answers = []
            for _ in commands:
                if asking:
                    _read_whatever(connection)
                answers.append(_read_whatever(connection))  # whatever it is: the others are already on their way
        except BaseException:
            connection.disconnect()
            raise
        finally:
            self._give(connection)
        for answer in answers:
            if isinstance(answer, ResponseError):
                raise answer
        return answers

    def _look_elsewhere(self, refused: Exception, connection: Connection | None = None) -> None:
        """Close connections to a server that takes no writes, or no longer knows us: the address may lead to another
        by now (managed services move a name), and a fresh connection logs in again."""
        if isinstance(refused, ReadOnlyError | AuthenticationError):
            if connection is not None:
                connection.disconnect()
            self._drop_idle()


def _say(connection: Connection, packed: bytes) -> None:
    """Send all of it. Raises what redis-py raises.

    Past gevent's `sendall`, which asks for the size of the system's buffer first, while nearly always all fits there.
    TLS has sockets of another class, and so has a process without gevent.
    """
    if type(connection._sock) is Cooperative:
        try:
            sent = connection._sock._sock.send(packed)
        except OSError:
            sent = 0  # whatever it is, whoever sends the rest finds it again and says it in redis-py's words
        if sent == len(packed):
            return
        packed = packed[sent:]
    connection.send_packed_command((packed,), check_health=False)


def _read_whatever(connection: Connection) -> Any:
    """The next answer, which may be a refusal."""
    try:
        return connection.read_response()
    except ResponseError as refused:
        return refused


def server_version(link: Link) -> str:
    """The version that the server reports, such as `7.0.15` (Valkey reports the Redis version that it speaks)."""
    lines = link.read(("INFO", "server"))[0].decode().splitlines()
    return next((line.split(":", 1)[1] for line in lines if line.startswith("redis_version:")), "unknown")
