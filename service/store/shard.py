"""News from one node of a cluster: a connection, and the thread that reads what comes over it."""

import contextlib
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any, Protocol

from hiredis import pack_command
from redis.exceptions import MovedError, RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.address import Place
from service.store.server import Server
from service.store.slots import slot_of

SILENT_S = 15.0
"""A node that says nothing for so long, in spite of pings, is gone."""


class Owner(Protocol):
    """Whose shard it is, and who is told what comes of it: see `by_shard.Subscription`."""

    def server(self, place: Place) -> Server: ...
    def channel(self, name: str) -> str: ...
    def heard(self, shard: "Shard", said: Any) -> None: ...
    def moved(self, shard: "Shard", slot: int, place: Place | None) -> None: ...
    def gone(self, shard: "Shard") -> None: ...


class Shard:
    """One node, and the thread that reads what it says. `wanted` are the names that are to be asked for there."""

    def __init__(self, owner: Owner, place: Place) -> None:
        self.place = place
        self._owner = owner
        self._server = owner.server(place)
        self._connection = self._server.connection()
        self._sending = threading.Lock()
        self._wanted: set[str] | None = set()  # until it is connected
        self._leaving: Counter[str] = Counter()  # how often the node has still to confirm it
        self._heard_at = time.monotonic()
        self._closed = False
        self.up = False
        threading.Thread(target=self._read_for_ever, name=f"news from {place}", daemon=True).start()

    def listen(self, names: list[str]) -> None:
        """Ask for news of these names, now or once it is connected."""
        with self._sending:
            if self._wanted is not None:
                self._wanted.update(names)
            else:
                self._send("SSUBSCRIBE", names)

    def leave(self, names: list[str]) -> None:
        """No more news of these."""
        with self._sending:
            if self._wanted is not None:
                self._wanted.difference_update(names)
            else:
                self._leaving.update(names)
                self._send("SUNSUBSCRIBE", names)

    def was_told_to_leave(self, name: str) -> bool:
        """Whether that the node brings no more news of this name is what it was asked for; then it has confirmed it."""
        with self._sending:
            told = self._leaving.pop(name, 0)
            if told > 1:
                self._leaving[name] = told - 1
            return told > 0

    def ping(self) -> None:
        """Make the node say something, or give it up."""
        if time.monotonic() - self._heard_at > SILENT_S:
            self.close()
            return
        with self._sending:
            if self._wanted is None:
                self._transmit(_packed("PING"))

    def close(self) -> None:
        """Hang up: the thread notices, and tidies up."""
        self._closed = True
        sock = self._connection._sock
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _send(self, command: str, names: Iterable[str]) -> None:
        # One command a name: those of several slots may not share one.
        self._transmit(b"".join(_packed(command, self._owner.channel(name)) for name in names))

    def _transmit(self, packed: bytes) -> None:
        try:
            if packed and not self._closed:  # redis-py would connect anew by itself
                self._connection.send_packed_command((packed,), check_health=False)
        except (RedisError, OSError):
            self.close()

    def _read_for_ever(self) -> None:
        try:
            self._server.connect(self._connection)
            self.up = True
            with self._sending:
                names, self._wanted = self._wanted or (), None
                self._send("SSUBSCRIBE", names)
            while not self._closed:
                self._read()
        except (RedisError, OSError):
            pass  # told to the owner below, who asks elsewhere
        finally:
            self._closed = True
            self._connection.disconnect()
            self._owner.gone(self)

    def _read(self) -> None:
        try:
            said = self._connection.read_response(disconnect_on_error=False)
        except RedisTimeoutError:
            return
        except MovedError as elsewhere:
            self._forget_leaving(elsewhere.slot_id)
            self._owner.moved(self, elsewhere.slot_id, Place(elsewhere.host or self.place.host, elsewhere.port))
        else:
            self._heard_at = time.monotonic()
            self._owner.heard(self, said)

    def _forget_leaving(self, slot: int) -> None:
        """A node that does not serve a slot confirms nothing of it."""
        with self._sending:
            for name in [each for each in self._leaving if slot_of(self._owner.channel(each)) == slot]:
                del self._leaving[name]


def _packed(*command: str) -> bytes:
    packed: bytes = pack_command(command)  # type: ignore[arg-type]  # it takes any number, and says one
    return packed
