"""The link to a cluster: to each of its masters a link as to a single server, and the way to the right one.

A node that does not serve a slot says so instead of running a command: nothing was done, so the same command may go
where it points, once. Everything else is as with one server: reads may be repeated, a write is sent once, and what
became of it is told for certain or called unknown. A node that is gone costs those who ask for its slots, and nobody
else: links share nothing.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from redis.exceptions import AskError, MovedError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.address import Place
from service.store.errors import OutcomeUnknown, StoreUnavailable
from service.store.link import Link, Script
from service.store.port import Meanwhile, nothing
from service.store.slots import Slots, slot_of
from service.store.spread import PARTS

T = TypeVar("T")
Command = Sequence[Any]

KEYLESS = ("PING", "INFO", "TIME", "CONFIG", "CLIENT", "DBSIZE")
"""Commands that any node answers, for itself."""

PASSED_OVER_S = 1.0
"""For so long a node that was silent is not asked again for what may be missing: one caller finds out for all."""


class ClusterLink:
    """Sends commands to the nodes that serve their keys. See `Link` for what each call promises."""

    parts = PARTS

    def __init__(self, slots: Slots, timeout_s: float, connections: int, replicas: int = 0) -> None:
        self.replicas = replicas
        self._slots = slots
        self._timeout_s = timeout_s
        self._connections = connections
        self._links: dict[Place, Link] = {}
        self._lock = threading.Lock()
        self._silent: dict[Place, float] = {}

    def read(self, *commands: Command) -> list[Any]:
        """The answers, each from the node that serves its key, from all of them at the same time."""
        if all(command[0] in KEYLESS for command in commands):
            return self._anywhere(commands)
        answers = self._each(commands)
        for answer in answers:
            if isinstance(answer, StoreUnavailable):
                raise answer
        return answers

    def read_some(self, *commands: Command) -> list[Any]:
        """The same, with `StoreUnavailable` among the answers where a node has none. Raises it if no node has."""
        answers = self._each(commands, patient=False)
        failures = [answer for answer in answers if isinstance(answer, StoreUnavailable)]
        if failures and len(failures) == len(answers):
            raise failures[0]
        return answers

    def read_together(self, *commands: Command) -> list[Any]:
        """The answers to commands whose keys share a slot, in a trip with those of others to the same node."""
        place = self._slots.owner(slot_of(_key(commands[0])))
        try:
            return self._link(place).read_together(*commands)
        except StoreUnavailable as failure:
            if self._turn(_key(commands[0]), place, failure) is None:
                raise
        return [self._one(command) for command in commands]

    def write(self, script: Script, keys: Sequence[str], args: Sequence[Any], meanwhile: Meanwhile = nothing) -> Any:
        """Run a script, whose keys share a slot, on the node that serves it, which may be asked twice."""

        def ask(place: Place, asking: bool) -> Any:
            try:
                return self._link(place).write(script, keys, args, meanwhile, asking)
            except OutcomeUnknown:
                self._slots.ask_soon(place)
                raise

        return self._follow(keys[0], ask)

    def close(self) -> None:
        """Close what is idle."""
        for link in list(self._links.values()):
            link.close()

    def _one(self, command: Command) -> Any:
        return self._follow(_key(command), lambda place, asking: self._link(place).read(command, asking=asking)[0])

    def _follow(self, key: str, ask: Callable[[Place, bool], T]) -> T:
        """Ask the node that serves a key, and the one to which it points, if it does."""
        place = self._slots.owner(slot_of(key))
        try:
            return ask(place, False)
        except StoreUnavailable as refused:
            turn = self._turn(key, place, refused)
            if turn is None:
                raise
        return ask(*turn)

    def _turn(self, key: str, place: Place, refused: StoreUnavailable) -> tuple[Place, bool] | None:
        """Where to ask instead: (the node, whether it is only about to serve the slot). None: nowhere, for now."""
        pointed = _pointed(refused)
        if pointed is None:
            self._slots.ask_soon(place)
            owner = self._slots.known(slot_of(key))  # somebody else may have found it out already
            return None if owner is None or owner == place else (owner, False)
        there = Place(pointed.host or place.host, pointed.port)
        if not isinstance(pointed, MovedError):
            return there, True
        self._slots.moved(pointed.slot_id, there)
        return there, False

    def _each(self, commands: Sequence[Command], patient: bool = True) -> list[Any]:
        """The answer or the `StoreUnavailable` of each command, one trip for each node."""
        answers: list[Any] = [None] * len(commands)
        trips: dict[Place, list[int]] = {}
        for number, command in enumerate(commands):
            try:
                trips.setdefault(self._slots.owner(slot_of(_key(command))), []).append(number)
            except StoreUnavailable as nobody:
                answers[number] = nobody

        def go(place: Place, numbers: list[int]) -> None:
            asked = [commands[number] for number in numbers]
            for number, answer in zip(numbers, self._from(place, asked, patient), strict=True):
                answers[number] = answer

        _at_once([partial(go, place, numbers) for place, numbers in trips.items()])
        return answers

    def _from(self, place: Place, commands: Sequence[Command], patient: bool) -> list[Any]:
        """What one node answers; each command alone where it points elsewhere."""
        if not patient and not self._worth_asking(place):
            return [StoreUnavailable(f"{place} was silent a moment ago")] * len(commands)
        try:
            found = self._link(place).read(*commands)
        except StoreUnavailable as failure:
            if isinstance(failure.__cause__, RedisTimeoutError):
                self._silent[place] = time.monotonic()
            if self._turn(_key(commands[0]), place, failure) is None:
                return [failure] * len(commands)
        else:
            self._silent.pop(place, None)
            return found
        return [_caught(partial(self._one, command)) for command in commands]

    def _worth_asking(self, place: Place) -> bool:
        """Whether the node answered last, or one is due to look whether it does again."""
        now = time.monotonic()
        with self._lock:
            silent_at = self._silent.get(place)
            if silent_at is not None and now - silent_at < PASSED_OVER_S:
                return False
            if silent_at is not None:
                self._silent[place] = now + self._timeout_s  # the others pass it over until this one has found out
        return True

    def _anywhere(self, commands: Sequence[Command]) -> list[Any]:
        self._slots.begin()
        masters = sorted(self._slots.masters, key=lambda place: place in self._silent)
        if not masters:
            self._slots.ask_soon()
            raise StoreUnavailable("no node of the cluster serves anything yet")
        for place in masters[:-1]:
            try:
                return self._link(place).read(*commands)
            except StoreUnavailable as failure:
                if isinstance(failure.__cause__, RedisTimeoutError):
                    self._silent[place] = time.monotonic()
                self._slots.ask_soon(place)
        return self._link(masters[-1]).read(*commands)

    def _link(self, place: Place) -> Link:
        link = self._links.get(place)
        if link is None:
            with self._lock:
                self._forget(self._slots.masters)
                link = self._links.get(place)
                if link is None:
                    server = self._slots.server(place)
                    link = Link(server, self._timeout_s, self._connections, replicas=self.replicas)
                    self._links[place] = link
        return link

    def _forget(self, masters: Iterable[Place]) -> None:
        """Let go of nodes that serve nothing any more. They are noticed when another takes their place."""
        for place in set(self._links) - set(masters):
            self._links.pop(place).retire()


def _key(command: Command) -> str:
    key: str = command[3] if command[0] == "EVAL" else command[1]
    return key


def _pointed(refused: BaseException | None) -> AskError | None:
    """The redirection (`MovedError` is one) that a refusal comes from, if it does."""
    while refused is not None:
        if isinstance(refused, AskError):
            return refused
        refused = refused.__cause__
    return None


def _caught(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except StoreUnavailable as failure:
        return failure


def _at_once(calls: Sequence[Callable[[], None]]) -> None:
    """Make all calls, each in a thread of its own but the last. None of them may raise."""
    threads, left = [], list(calls[-1:])
    for call in calls[:-1]:
        thread = threading.Thread(target=call, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system has none to give: then one call after the other
            left.append(call)
        else:
            threads.append(thread)
    for call in left:
        call()
    for thread in threads:
        thread.join()
