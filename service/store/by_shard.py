"""News from a cluster: each match's come from the node that has the match, over one connection to each such node.

What is published the classic way goes to every node of a cluster, so that adding nodes would add nothing. Published by
shard it stays where it is written; but then whoever listens has to go where the match is, and to go on when it moves:
that is what this does. A node that is gone costs the news of its own matches, until another serves them. Then they are
asked for there, and `Listening` comes again: whoever waits reads the feed, where nothing is missing.
"""

import logging
import queue
import threading
import time
from collections.abc import Iterable
from typing import Any

from service.store.address import Place
from service.store.errors import StoreUnavailable
from service.store.news import FEEDS, Alive, Listening, News, name_of
from service.store.server import Server
from service.store.shard import Shard
from service.store.slots import Slots, slot_of

AGAIN_S = 0.2
"""How often news that nobody brings are asked for again."""

PINGED_EVERY_S = 1.0
"""Nodes are not made to say something more often, whoever asks for it whenever there is nothing to read."""


_log = logging.getLogger(__name__)


class Subscription:
    """News of many names from many nodes. One thread reads; any thread may listen or leave. See `news.Line`."""

    def __init__(self, slots: Slots, timeout_s: float, channels: str = FEEDS) -> None:
        self._slots = slots
        self._timeout_s = timeout_s
        self._channels = channels
        self._said: queue.SimpleQueue[Listening | News | Alive] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._shards: dict[Place, Shard] = {}
        self._homes: dict[str, Shard | None] = {}
        self._names: dict[int, set[str]] = {}  # by slot
        self._looked_at = 0.0
        self._pinged_at = 0.0
        self._version = 0
        self._closed = False

    def open(self) -> None:
        """See that there is a cluster. Raises `StoreUnavailable`."""
        self._slots.begin()
        self._version = self._slots.version

    def listen(self, *names: str) -> None:
        """Ask for news of these names, now or as soon as a node serves them."""
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the subscription is closed")
            self._find_homes(names)

    def leave(self, *names: str) -> None:
        """No more news of these names."""
        with self._lock:
            for name in names:
                shard = self._homes.pop(name, None)
                self._names.get(self._slot(name), set()).discard(name)
                if shard is not None:
                    shard.leave([name])

    def ping(self) -> None:
        """Make every node say something; one that has been silent for long is given up."""
        now = time.monotonic()
        if now - self._pinged_at < PINGED_EVERY_S:
            return
        self._pinged_at = now
        with self._lock:
            for shard in self._shards.values():
                shard.ping()
            if not self._homes:  # nobody is listened to, so that nobody is silent
                self._said.put(Alive())

    def read(self) -> Listening | News | Alive | None:
        """The next thing that a node says; None after a while of silence. Looks after what moves on the way."""
        if self._closed:
            raise StoreUnavailable("the subscription is closed")
        self._look_after()
        try:
            return self._said.get(timeout=min(AGAIN_S, self._timeout_s))
        except queue.Empty:
            return None

    def close(self) -> None:
        """Hang up everywhere."""
        with self._lock:
            self._closed = True
            shards = list(self._shards.values())
            self._shards.clear()
        for shard in shards:
            shard.close()

    def _look_after(self) -> None:
        """Ask again for what nobody brings, and go where the map says that names have moved."""
        now = time.monotonic()
        if now - self._looked_at < AGAIN_S:
            return
        self._looked_at = now
        with self._lock:
            if self._version != self._slots.version:
                self._version = self._slots.version
                for slot, here in self._names.items():
                    place = self._slots.known(slot)
                    self._leave_homes([name for name in here if self._is_elsewhere(name, place)])
            self._find_homes([name for name, shard in self._homes.items() if shard is None])

    def _find_homes(self, names: Iterable[str]) -> None:
        found: dict[Place, list[str]] = {}
        for name in names:
            slot = self._slot(name)
            self._homes[name] = None
            self._names.setdefault(slot, set()).add(name)
            place = self._slots.known(slot)
            if place is not None:
                found.setdefault(place, []).append(name)
        for place, here in found.items():
            shard = self._shards.get(place)
            if shard is None:
                shard = self._shards[place] = Shard(self, place)
            self._homes |= dict.fromkeys(here, shard)
            shard.listen(here)

    def _is_elsewhere(self, name: str, place: Place | None) -> bool:
        """Whether the name is asked for at another node than the one that serves it."""
        home = self._homes[name]
        return home is not None and place is not None and home.place != place

    def _leave_homes(self, names: Iterable[str]) -> None:
        for name in names:
            home = self._homes[name]
            if home is not None:
                self._homes[name] = None
                home.leave([name])

    def _slot(self, name: str) -> int:
        return slot_of(self._channels % name)

    # What the shards' threads tell.

    def heard(self, shard: Shard, said: Any) -> None:
        """A node has said something."""
        if not isinstance(said, list) or len(said) < 3:
            self._said.put(Alive())
            return
        kind, name, body = said[0], name_of(said[1], self._channels), said[2]
        if kind == b"sunsubscribe" and shard.was_told_to_leave(name):
            return  # it may have been asked for again since
        if self._homes.get(name) is not shard:
            return  # left, or asked for elsewhere by now
        if kind == b"ssubscribe":
            self._said.put(Listening(name))
        elif kind == b"smessage":
            self._said.put(News(name, body))
        elif kind == b"sunsubscribe":  # unasked: its slot has gone elsewhere
            self.moved(shard, self._slot(name), None)

    def moved(self, shard: Shard, slot: int, place: Place | None) -> None:
        """A node does not serve a slot any more."""
        if place is None:
            self._slots.ask_soon()
        else:
            self._slots.moved(slot, place)
        with self._lock:
            self._leave_homes([name for name in self._names.get(slot, ()) if self._homes[name] is shard])

    def gone(self, shard: Shard) -> None:
        """The connection to a node is broken, or never came about."""
        if shard.up:
            _log.warning("news from %s are interrupted", shard.place)
        self._slots.ask_soon(shard.place)
        with self._lock:
            if self._shards.get(shard.place) is shard:
                del self._shards[shard.place]
            for name, home in self._homes.items():
                if home is shard:
                    self._homes[name] = None

    def server(self, place: Place) -> Server:
        """Where a shard's connection comes from."""
        return self._slots.server(place)

    def channel(self, name: str) -> str:
        """The channel of a name."""
        return self._channels % name
