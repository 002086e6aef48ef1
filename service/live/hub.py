"""The hub: everybody in this process who waits for news of a match, and the one subscription that brings them.

A waiter subscribes first, then reads the feed, then waits: so nothing falls between. News carry the events themselves;
a waiter that is too slow, or whose subscription was interrupted, is told to read the feed again from its last number.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable

import msgspec

from service import metrics
from service.crowd import Crowd
from service.seldom import Seldom
from service.store.errors import StoreUnavailable
from service.store.news import Alive, Line, Listening, News

QUEUE = 64
"""How many pieces of news wait for a slow reader before it has to read the feed again."""

PING_EVERY_S = 5.0
"""How often the server is asked to show that it still lives. Three silent periods end the subscription."""

EMPTY_S = 3.0
"""For so long a match is listened to that nobody waits for any more: who polls is back in a moment."""
EMPTY_MOST = 1_000

_RETRY_FIRST_S = 0.05
_RETRY_MOST_S = 1.0

_lasting = Seldom(logging.getLogger(__name__))

_telling = threading.Lock()
"""Held while something is told or taken: one for all waiters, for it is held for a moment."""


class Waiter:
    """One client that waits. It may have been told of news, or to read the feed again because news were missed."""

    __slots__ = ("_behind", "_news", "_nothing_new")

    def __init__(self) -> None:
        # A lock that its waiter tries to take, and that whoever tells it of something gives free: thousands wait, and
        # a condition is four times as large. What is given free at the moment of a time-out is there the next time.
        self._nothing_new = threading.Lock()
        self._nothing_new.acquire()
        self._news: list[News] = []
        self._behind = True

    def wait(self, timeout_s: float) -> bool:
        """Wait until there are news, or something to look at. False: nothing happened for so long."""
        return self._nothing_new.acquire(timeout=timeout_s)

    def take(self) -> list[News]:
        """The news that have come in since, oldest first; empty when some were missed, which is settled by asking."""
        with _telling:
            news, self._news = self._news, []
            behind, self._behind = self._behind, False
            if not self._nothing_new.locked():  # told of something between waiting and now: it is taken with the rest
                self._nothing_new.acquire()
            return [] if behind else news

    def tell(self, news: News) -> None:
        """Queue a piece of news and wake the waiter."""
        with _telling:
            if len(self._news) >= QUEUE:
                self._behind, self._news = True, []
            elif not self._behind:
                self._news.append(news)
            self._wake()

    def look_again(self) -> None:
        """Wake the waiter to read the feed again."""
        with _telling:
            self._behind, self._news = True, []
            self._wake()

    def _wake(self) -> None:
        if self._nothing_new.locked():
            self._nothing_new.release()


class Known(msgspec.Struct, frozen=True):
    """What a waiter has read of its match before: up to event number `seq`, at `since_s` (monotonic) or later."""

    seq: int
    since_s: float


class _Room:
    """All who wait for one match. `asked` counts the subscriptions that the server has not confirmed yet; when it is 0,
    all news since `listening_s` have come here, the newest of them is `newest`."""

    __slots__ = ("asked", "listening_s", "newest", "waiters")

    def __init__(self) -> None:
        self.waiters: set[Waiter] = set()
        self.asked = 0
        self.listening_s = 0.0
        self.newest: News | None = None

    def has_nothing_after(self, known: Known) -> bool:
        """Whether whoever has read so much has missed nothing."""
        if self.asked or self.listening_s > known.since_s:
            return False
        if self.newest is None:
            return True
        written = self.newest.written()
        return written.first + len(written.events) - 1 <= known.seq


class Stay:
    """A waiter's time at a hub: thousands of them last long, so it holds no more than this."""

    __slots__ = ("_hub", "_known", "_matches", "_waiter")

    def __init__(self, hub: "Hub", matches: tuple[str, ...], known: Known | None) -> None:
        self._hub = hub
        self._matches = matches
        self._known = known
        self._waiter = Waiter()

    def __enter__(self) -> Waiter:
        self._hub.enter(self._matches, self._waiter, self._known)
        return self._waiter

    def __exit__(self, *_failure: object) -> None:
        self._hub.leave(self._matches, self._waiter)


class Hub:
    """Brings news to waiters. Its thread starts with the first of them and lives as long as the process.

    `heartbeat_s` is how long a stream stays silent at the most; `crowd` counts who waits, by address.
    """

    def __init__(
        self,
        subscribe: Callable[[], Line],
        heartbeat_s: float = 15.0,
        crowd: Crowd = Crowd(0),  # noqa: B008
    ) -> None:
        self.crowd = crowd
        self._subscribe = subscribe
        self.heartbeat_s = heartbeat_s
        self._rooms: dict[str, _Room] = {}
        self._empty: dict[str, float] = {}  # rooms that the last one has left, and when; the longest empty first
        self._lock = threading.RLock()
        self._line: Line | None = None
        self._thread: threading.Thread | None = None
        self._needed = threading.Event()
        self.closing = False

    @property
    def waiters(self) -> int:
        """How many wait now."""
        with self._lock:
            return sum(len(room.waiters) for room in self._rooms.values())

    def waiting(self, *matches: str, known: Known | None = None) -> "Stay":
        """A waiter for news of these matches, gone after the block.

        Its first `wait` returns once the server has confirmed, or nearly at once when it already had: read the feed
        then. With `known`, what was read of its only match before, that is left out where the server had confirmed by
        then and has told of nothing newer. While the store is away nobody is confirmed; waiters wake up when it is
        back.
        """
        return Stay(self, matches, known)

    def close(self) -> None:
        """The process is about to end: wake everybody, for good."""
        self.closing = True
        with self._lock:
            for room in self._rooms.values():
                for waiter in room.waiters:
                    waiter.look_again()

    def enter(self, matches: Iterable[str], waiter: Waiter, known: Known | None) -> None:
        """The waiter hears of these matches from now on."""
        with self._lock:
            for match in matches:
                self._enter(match, waiter, known)
            self._run()

    def leave(self, matches: Iterable[str], waiter: Waiter) -> None:
        """The waiter hears of them no more."""
        with self._lock:
            for match in matches:
                self._exit(match, waiter)

    def _enter(self, match: str, waiter: Waiter, known: Known | None) -> None:
        self._empty.pop(match, None)
        room = self._rooms.get(match)
        if room is None:
            room = self._rooms[match] = _Room()
            room.asked += 1
            self._say(lambda line: line.listen(match))
        room.waiters.add(waiter)
        if known is not None and room.has_nothing_after(known):
            waiter.take()
        elif room.asked == 0:
            waiter.look_again()

    def _exit(self, match: str, waiter: Waiter) -> None:
        room = self._rooms.get(match)
        if room is None:
            return
        room.waiters.discard(waiter)
        if not room.waiters:
            self._empty[match] = time.monotonic()
            if len(self._empty) > EMPTY_MOST:
                self._close(next(iter(self._empty)))

    def _close_empty(self, now: float) -> None:
        """Close the rooms to which nobody came back."""
        with self._lock:
            while self._empty:
                match, since = next(iter(self._empty.items()))
                if now - since < EMPTY_S:
                    return
                self._close(match)

    def _close(self, match: str) -> None:
        # An answer to an earlier request may still be on its way; the next room for this match counts anew, and is
        # confirmed early at the worst: its waiters read the feed, again when the right answer comes.
        del self._empty[match], self._rooms[match]
        self._say(lambda line: line.leave(match))

    def _say(self, say: Callable[[Line], None]) -> None:
        """Tell the server, if there is a line; without one everything is asked for when it is back."""
        if self._line is None:
            return
        try:
            say(self._line)
        except StoreUnavailable:
            self._line.close()  # the reading thread notices

    def _run(self) -> None:
        self._needed.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._listen_for_ever, name="hub", daemon=True)
            self._thread.start()

    def _listen_for_ever(self) -> None:
        pause_s = _RETRY_FIRST_S
        while True:
            self._needed.wait()
            line = self._subscribe()
            try:
                line.open()
                self._ask_for_all(line)
                pause_s = _RETRY_FIRST_S
                self._listen(line)
            except StoreUnavailable as gone:
                metrics.STORE_ERRORS.labels("unavailable", "news").inc()
                _lasting.warning("news are interrupted: %s", gone)
            finally:
                with self._lock:
                    self._line = None
                    for room in self._rooms.values():
                        room.asked = 1
                line.close()
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _RETRY_MOST_S)

    def _ask_for_all(self, line: Line) -> None:
        with self._lock:
            self._line = line
            for match in self._empty:
                del self._rooms[match]
            self._empty.clear()
            for room in self._rooms.values():
                room.asked = 1
            line.listen(*self._rooms)

    def _listen(self, line: Line) -> None:
        heard_at = pinged_at = time.monotonic()
        while True:
            said = line.read()
            now = time.monotonic()
            if said is not None:
                heard_at = now
                if not isinstance(said, Alive):
                    self._pass_on(said)
            elif now - heard_at > 3 * PING_EVERY_S:
                raise StoreUnavailable("the server is silent")
            if self._empty:
                self._close_empty(now)
            if now - pinged_at > PING_EVERY_S:
                line.ping()
                pinged_at = now

    def _pass_on(self, said: Listening | News) -> None:
        with self._lock:
            room = self._rooms.get(said.name)
            if room is None:
                return
            if isinstance(said, Listening):
                room.asked = max(0, room.asked - 1)
                room.listening_s, room.newest = time.monotonic(), None
                for waiter in room.waiters:
                    waiter.look_again()
            else:
                room.newest = said
                for waiter in room.waiters:
                    waiter.tell(said)
