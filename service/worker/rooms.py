"""How many deliveries may be under way at once: to one host, and to endpoints that have not proved themselves.

Slow and dead endpoints cost a thread for as long as the time-out. So one host has a quarter of the threads at most, and
all endpoints that never answered, or failed last, have half of them together: the other half is there for those that
take what they are sent, however many dead ones there are.
"""

import threading
import time
from collections.abc import Callable

WAIT_LEAST_S = 0.05
WAIT_MOST_S = 60.0
UNPROVED = ""
"""The room of endpoints that have not proved themselves. No host has this name."""


class _Room:
    def __init__(self, most: int) -> None:
        self.most = most
        self.inside = 0
        self.took_s = WAIT_LEAST_S
        self.booked_at = 0.0


class Rooms:
    """Counts who is inside. Who finds a room full is told when to come again: one after another, at the pace at which
    the room has been emptied lately, so that thousands who wait do not all knock all the time."""

    def __init__(self, threads: int, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._per_host = max(1, threads // 4)
        self._unproved = max(1, threads // 2)
        self._clock_s = clock_s
        self._rooms: dict[str, _Room] = {}
        self._lock = threading.Lock()

    def enter(self, host: str, proved: bool) -> float:
        """0: come in, and call `leave` with the same afterwards. Otherwise the seconds to stay away."""
        with self._lock:
            self._forget_empty()
            rooms = [self._room(name) for name in _names(host, proved)]
            full = [room for room in rooms if room.inside >= room.most]
            if full:
                return max(self._book(room) for room in full)
            for room in rooms:
                room.inside += 1
            return 0.0

    def leave(self, host: str, proved: bool, took_s: float) -> None:
        """Make room for others, after so long."""
        with self._lock:
            for name in _names(host, proved):
                room = self._rooms[name]
                room.inside -= 1
                room.took_s = took_s

    def _book(self, room: _Room) -> float:
        now_s = self._clock_s()
        room.booked_at = min(now_s + WAIT_MOST_S, max(room.booked_at, now_s) + room.took_s / room.most)
        return max(WAIT_LEAST_S, room.booked_at - now_s)

    def _room(self, name: str) -> _Room:
        if name not in self._rooms:
            self._rooms[name] = _Room(self._unproved if name == UNPROVED else self._per_host)
        return self._rooms[name]

    def _forget_empty(self) -> None:
        now_s = self._clock_s()
        if len(self._rooms) > 100:
            self._rooms = {name: room for name, room in self._rooms.items() if room.inside or room.booked_at > now_s}


def _names(host: str, proved: bool) -> list[str]:
    return [host] if proved else [host, UNPROVED]
