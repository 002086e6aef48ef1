"""Which node of a cluster has which slot: asked of the nodes themselves, and again whenever one of them surprises us.

redis-py's own map (NodesManager) keeps a client and a pool for each node, and asks one node after another for as long
as each may take. This asks on a connection of its own, briefly, and beside whoever noticed that the map is old: see
docs/decisions/0011-cluster-and-sentinel.md. What the nodes say is read by redis-py.
"""

import logging
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

from redis.cluster import parse_cluster_slots
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import RedisError

from service.store.address import Address, Place
from service.store.errors import StoreUnavailable
from service.store.server import Server

ASK_TIMEOUT_S = 0.5
"""How long one node may take to tell of the others. There are more of them."""

ASKED_EVERY_S = 0.1
"""One process asks no more often, however many requests find the map wrong."""

_log = logging.getLogger(__name__)


def slot_of(key: str) -> int:
    """The slot of a key: that of its hash tag, if it has one."""
    slot: int = key_slot(key.encode())
    return slot


class Slots:
    """The map of one cluster, shared by all in a process who need it. `version` counts how often it has changed."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        self._address = address
        self._timeout_s = min(timeout_s, ASK_TIMEOUT_S)
        self._server_timeout_s = timeout_s
        self._owners: list[Place | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        self._nodes: tuple[Place, ...] = ()
        self._epoch = -1
        self._lock = threading.Lock()
        self._asking = threading.Lock()
        self._asked_soon = False
        self._lost = False
        self._in_vain_at = -ASKED_EVERY_S
        self.masters: tuple[Place, ...] = ()
        self.version = 0

    def server(self, place: Place) -> Server:
        """Where connections to one of the nodes come from."""
        return Server(self._address.server, self._server_timeout_s, place)

    def owner(self, slot: int) -> Place:
        """Who serves a slot, as far as is known. Raises `StoreUnavailable` if nobody does, or no node answers."""
        place = self._owners[slot]
        if place is not None:
            return place
        if not self.version:
            self.begin()
            place = self._owners[slot]
        if place is None:
            self.ask_soon()
            raise StoreUnavailable(f"no node of the cluster serves slot {slot}")
        return place

    def known(self, slot: int) -> Place | None:
        """Who serves a slot by the map as it is."""
        return self._owners[slot]

    def begin(self) -> None:
        """See that there is a map. Raises `StoreUnavailable` if no node answers."""
        with self._asking:
            if self.version:
                return
            # Whoever waited here while another asked in vain does not ask all of them once more.
            if time.monotonic() - self._in_vain_at > ASKED_EVERY_S:
                if self._ask(None):
                    return
                self._in_vain_at = time.monotonic()
            raise StoreUnavailable("no node of the cluster answers")

    def moved(self, slot: int, place: Place) -> None:
        """A node said who serves this slot now. There will be more such slots, so the whole map is asked for."""
        with self._lock:
            if self._owners[slot] != place:
                self._owners[slot] = place
                self.version += 1
        self.ask_soon()

    def ask_soon(self, failed: Place | None = None) -> None:
        """Have the map asked for anew, by a thread of its own; a node that failed is asked last."""
        with self._lock:
            if self._asked_soon:
                return
            self._asked_soon = True
        try:
            threading.Thread(target=self._ask_beside, args=(failed,), name="slots", daemon=True).start()
        except RuntimeError:  # the system has none to give: whoever finds the map wrong next asks
            self._asked_soon = False

    def _ask_beside(self, failed: Place | None) -> None:
        try:
            with self._asking:
                found = self._ask(failed)
            if not found and not self._lost:
                _log.warning("no node of the cluster answers")
            self._lost = not found
            time.sleep(ASKED_EVERY_S)
        finally:
            self._asked_soon = False

    def _ask(self, failed: Place | None) -> bool:
        """Take the map of the first node that answers and is not behind what we know. If all are, of any."""
        behind = None
        for place in self._in_turn(failed):
            try:
                found = self._asked(place)
            except (RedisError, OSError):
                continue
            if found[0] >= self._epoch:
                self._take(*found)
                return True
            behind = found
        if behind is not None:
            self._take(*behind)
        return behind is not None

    def _in_turn(self, failed: Place | None) -> Iterator[Place]:
        """Nodes that are known, then those that the address names, in any order; the one that failed at the end."""
        known, named = list(self._nodes), list(self._address.places)
        random.shuffle(known)  # Python's own, which begins anew in each process that is forked
        random.shuffle(named)
        places = dict.fromkeys([*known, *named])
        if failed in places:
            del places[failed]
            places[failed] = None
        yield from places

    def _asked(self, place: Place) -> tuple[int, dict[tuple[int, int], Any]]:
        """(the epoch, what each range of slots is served by) as one node sees it."""
        server = Server(self._address.server, self._timeout_s, place)
        connection = server.connection()
        try:
            server.connect(connection)
            connection.send_command("CLUSTER", "INFO", check_health=False)
            told = connection.read_response()
            connection.send_command("CLUSTER", "SLOTS", check_health=False)
            ranges = parse_cluster_slots(connection.read_response(), current_host=place.host)
        finally:
            connection.disconnect()
        info = dict(line.split(":", 1) for line in told.decode().split("\r\n") if ":" in line)
        return int(info["cluster_current_epoch"]), ranges

    def _take(self, epoch: int, ranges: dict[tuple[int, int], Any]) -> None:
        owners: list[Place | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        nodes: dict[Place, None] = {}
        for (first, last), served in ranges.items():
            master = Place(*served["primary"])
            owners[first : last + 1] = [master] * (last + 1 - first)
            nodes |= dict.fromkeys([master, *(Place(*replica) for replica in served["replicas"])])
        with self._lock:
            changed = owners != self._owners or not self.version
            self._owners, self._epoch, self._nodes = owners, epoch, tuple(nodes)
            self.masters = tuple(dict.fromkeys(place for place in owners if place is not None))
            self.version += changed
        if changed:
            _log.info("the cluster's masters: %s", ", ".join(map(str, self.masters)))
