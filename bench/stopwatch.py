"""CPU time by room: every function that is watched charges its own time to its room, and what it calls to theirs.

So the rooms add up to the whole, whatever is watched; what nobody is charged with is the caller's. What the watching
itself takes is measured beforehand, and taken off where it was charged.
"""

import functools
import importlib
import importlib.util
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

REST = "rest"
CALIBRATION_CALLS = 20_000


class Spot(msgspec.Struct, frozen=True):
    """A function to watch, where its callers look it up: `owner` is a module, or `module:name.name` in it."""

    room: str
    owner: str
    name: str


class Stopwatch:
    """Watches spots between `put_on` and `take_off`. For one thread whose greenlets do not take turns meanwhile."""

    def __init__(self, spots: list[Spot]) -> None:
        self.missing = [spot for spot in spots if not hasattr(_owner(spot), spot.name)]
        self._spots = [spot for spot in spots if spot not in self.missing]
        self._worn: list[tuple[Any, str, Any]] = []
        self._room = REST
        self._mark = 0.0
        self.spent: dict[str, float] = {}
        self.entered: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self._inside_s, self._outside_s = self._calibrate()

    def put_on(self) -> None:
        """From now on these functions are watched."""
        for spot in self._spots:
            owner = _owner(spot)
            original = getattr(owner, spot.name)
            self._worn.append((owner, spot.name, original))
            _set(owner, spot.name, self.watched(spot.room, original))

    def take_off(self) -> None:
        """They run again as they are."""
        while self._worn:
            _set(*self._worn.pop())

    def start(self) -> None:
        """The clock runs from here, for nobody in particular."""
        self._room, self._mark = REST, time.process_time()

    def stop(self) -> None:
        """The clock stands still."""
        self._charge(time.process_time())

    def watched(self, room: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, charging its time to a room."""

        @functools.wraps(function)
        def watching(*args: Any, **kwargs: Any) -> Any:
            caller = self._room
            self._charge(time.process_time())
            self._room = room
            self.entered[room] += 1
            self.left[caller] += 1
            try:
                return function(*args, **kwargs)
            finally:
                self._charge(time.process_time())
                self._room = caller

        return watching

    def by_room(self) -> dict[str, float]:
        """The seconds of each room so far, without what the watching took."""
        return {
            room: spent - self.entered[room] * self._inside_s - self.left[room] * self._outside_s
            for room, spent in self.spent.items()
        }

    def forget(self) -> None:
        """All rooms back to nothing."""
        self.spent = {}
        self.entered.clear()
        self.left.clear()

    def _charge(self, now: float) -> None:
        self.spent[self._room] = self.spent.get(self._room, 0.0) + now - self._mark
        self._mark = now

    def _calibrate(self) -> tuple[float, float]:
        """What watching one call of nothing charges to its room, and to its caller's, beyond calling it."""

        def nothing() -> None:
            pass

        watching = self.watched("calibration", nothing)
        begun = time.process_time()
        for _ in range(CALIBRATION_CALLS):
            nothing()
        plain = time.process_time() - begun
        self.start()
        for _ in range(CALIBRATION_CALLS):
            watching()
        self.stop()
        inside, outside = self.spent["calibration"], self.spent[REST] - plain
        self.forget()
        return inside / CALIBRATION_CALLS, outside / CALIBRATION_CALLS


def _owner(spot: Spot) -> Any:
    """What the spot is looked up in, None where there is no such thing."""
    module, _, path = spot.owner.partition(":")
    if importlib.util.find_spec(module) is None:
        return None
    owner: Any = importlib.import_module(module)
    for name in filter(None, path.split(".")):
        owner = owner.get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)
    return owner


def _set(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, msgspec.Struct):  # a game's record is frozen for everybody else
        msgspec.structs.force_setattr(owner, name, value)
    else:
        setattr(owner, name, value)
