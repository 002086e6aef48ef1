"""Readers who ask at the same time share one round trip.

Under gevent a trip costs more than what it carries: waking the server, being switched away, being woken. Whoever comes
first lets the others who are ready come along, and asks for all of them; who comes alone waits for nobody.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from redis.exceptions import ResponseError

from service.store.errors import StoreUnavailable

Command = Sequence[Any]


class Together:
    """Gathers commands for `read`, which answers many in one round trip or raises `StoreUnavailable`."""

    def __init__(self, read: Callable[..., list[Any]]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._boarding: _Trip | None = None

    def read(self, *commands: Command) -> list[Any]:
        """The answers to these commands, as `read` alone would give them."""
        trip, first, leads = self._board(commands)
        if leads:
            self._go(trip)
        else:
            trip.back.wait()
        if trip.answers is not None:
            return trip.answers[first : first + len(commands)]
        if trip.failure is not None and not isinstance(trip.failure.__cause__, ResponseError):
            raise StoreUnavailable(str(trip.failure)) from trip.failure
        # A command of somebody else's may have been at fault, or who led was stopped on the way.
        return self._read(*commands)

    def _board(self, commands: Sequence[Command]) -> tuple["_Trip", int, bool]:
        """(the trip, where in it these commands begin, whether this caller makes it)."""
        with self._lock:
            trip = self._boarding
            leads = trip is None
            if trip is None:
                trip = self._boarding = _Trip()
            first = len(trip.commands)
            trip.commands += commands
        return trip, first, leads

    def _go(self, trip: "_Trip") -> None:
        try:
            time.sleep(0)  # whoever else is ready to run does so, and boards
            self._depart(trip)
            trip.answers = self._read(*trip.commands)
        except StoreUnavailable as failure:
            trip.failure = failure
        finally:
            self._depart(trip)
            trip.back.set()

    def _depart(self, trip: "_Trip") -> None:
        with self._lock:
            if self._boarding is trip:
                self._boarding = None


class _Trip:
    """`answers` or `failure` is there once it is back; neither if whoever made it was stopped."""

    __slots__ = ("answers", "back", "commands", "failure")

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.answers: list[Any] | None = None
        self.failure: StoreUnavailable | None = None
        self.back = threading.Event()
