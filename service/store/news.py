"""News: what is written to a match is also published, for whoever waits for it.

Nothing is kept for those who are not listening: the feed is the truth, news only tell when to look, and what.
"""

import threading
from typing import Any, Protocol

import msgspec
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.errors import StoreUnavailable
from service.store.server import Server

FEEDS = "sb:{%s}:feed"
"""Where the news of a match come from, by its id: the number of the first event, then the events, one a line."""

WORK = "sb:%s"
"""Where workers hear that something is due at once, under the names that `spread` gives."""


class Listening(msgspec.Struct, frozen=True):
    """The server confirms that news of this name come from now on."""

    name: str


class News(msgspec.Struct, frozen=True):
    """Something that was published under a name."""

    name: str
    body: bytes

    def written(self) -> "Written":
        """What was written, for news of a match."""
        numbers, rest = self.body.split(b"\n", 1)
        first, length = map(int, numbers.split())
        return Written(rest[:length], first, rest[length + 1 :].split(b"\n"))


class Written(msgspec.Struct, frozen=True):
    """One write of a match that appended events: its id, the number of the first of them, and all of them."""

    write: bytes
    first: int
    events: list[bytes]


class Alive(msgspec.Struct, frozen=True):
    """The server said something that needs no action."""


class Line(Protocol):
    """What brings news: `Subscription` from one server, `by_shard.Subscription` from a cluster.

    `Listening` can come again by itself: news may have been missed before it.
    """

    def open(self) -> None:
        """Connect. Raises `StoreUnavailable`."""

    def listen(self, *names: str) -> None:
        """Ask for news of these names; `read` gives a `Listening` for each. Raises `StoreUnavailable`."""

    def leave(self, *names: str) -> None:
        """No more news of these names. Raises `StoreUnavailable`."""

    def ping(self) -> None:
        """Make servers say something, so that silence means that they are gone. Raises `StoreUnavailable`."""

    def read(self) -> "Listening | News | Alive | None":
        """The next thing that is said; None after a while of silence. Raises `StoreUnavailable` when all is over."""

    def close(self) -> None:
        """Hang up."""


class Subscription:
    """One connection on which news of many names arrive. One thread reads; any thread may listen or leave.

    `channels` makes a channel of a name: `FEEDS` or `WORK`.
    """

    def __init__(self, server: str | Server, timeout_s: float, channels: str = FEEDS) -> None:
        self._channels = channels
        self._server = Server(server, timeout_s) if isinstance(server, str) else server
        self._connection: Any = self._server.connection()
        self._sending = threading.Lock()

    def open(self) -> None:
        """Connect. Raises `StoreUnavailable`."""
        self._guard(lambda: self._server.connect(self._connection))

    def listen(self, *names: str) -> None:
        """Ask for news of these names; `read` gives a `Listening` for each. Raises `StoreUnavailable`."""
        self._send("SUBSCRIBE", names)

    def leave(self, *names: str) -> None:
        """No more news of these names. Raises `StoreUnavailable`."""
        self._send("UNSUBSCRIBE", names)

    def ping(self) -> None:
        """Make the server say something, so that silence means that it is gone. Raises `StoreUnavailable`."""
        self._guard(lambda: self._send_now("PING"))

    def read(self) -> "Listening | News | Alive | None":
        """The next thing that the server says; None when it was silent for a while.

        Raises `StoreUnavailable` when the connection is gone, or leads to a server that is no longer the master.
        """
        if self._server.left(self._connection):
            raise StoreUnavailable("another server is the master now")
        try:
            said = self._connection.read_response(disconnect_on_error=False)
        except RedisTimeoutError:
            return None
        except (RedisError, OSError) as broken:
            raise StoreUnavailable(str(broken)) from broken
        return self._understood(said)

    def close(self) -> None:
        """Hang up."""
        self._connection.disconnect()

    def _send(self, command: str, names: tuple[str, ...]) -> None:
        if names:
            self._guard(lambda: self._send_now(command, *(self._channels % name for name in names)))

    def _send_now(self, *command: str) -> None:
        with self._sending:
            if not self._connection.is_connected:
                # redis-py would connect anew by itself, and nobody would be listening to anything any more.
                raise ConnectionError("the connection is gone")
            self._connection.send_command(*command, check_health=False)

    def _guard(self, act: Any) -> None:
        try:
            act()
        except (RedisError, OSError) as broken:
            raise StoreUnavailable(str(broken)) from broken

    def _understood(self, said: Any) -> "Listening | News | Alive":
        if not isinstance(said, list) or len(said) < 3:
            return Alive()  # the answer to a ping
        kind, name, body = said[0], name_of(said[1], self._channels), said[2]
        if kind == b"subscribe":
            return Listening(name)
        return News(name, body) if kind == b"message" else Alive()


def name_of(channel: bytes, channels: str) -> str:
    """The name of which a channel was made."""
    before, _, after = channels.partition("%s")
    return channel.decode().removeprefix(before).removesuffix(after)
