"""The port: all that the table asks of a store. One implementation runs (`redis.py`), and one suite proves it.

A match is a record of two opaque parts: `head` (who sits where, how the match was set up; changes seldom) and
`live` (the position; changes with every move), beside two lists that only grow: its moves and its feed of events.
Every write carries a fresh, unique id that is kept in the record: it is what the next write compares against, and
how a writer whose answer was lost finds out whether it won.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

Meanwhile = Callable[[], object]
"""What a writer does while the store is at work. What it gives is of no interest."""


def nothing() -> None:
    """Do nothing meanwhile."""


class Stored(msgspec.Struct, frozen=True):
    """One match as it was at one moment. `remembered` is what was kept under the key that was asked about."""

    write: bytes
    head: bytes
    live: bytes
    remembered: bytes | None = None


class Remember(msgspec.Struct, frozen=True):
    """What to keep under an idempotency key, written with the swap or not at all."""

    key: str
    value: bytes
    ttl_ms: int


class Pace(msgspec.Struct, frozen=True):
    """A bound on how often `who` writes to the match: `most` times within a window, which has a number."""

    who: str
    window: int
    most: int


class Swap(msgspec.Struct, frozen=True, kw_only=True):
    """One write. `expected` is the write id that was loaded, empty for a match that must not exist yet.

    `head` None leaves that part alone. `moves` and `events` are appended, oldest first. All that belongs to the
    match lives for `ttl_ms` from now at least, and an eighth longer at the most.
    """

    expected: bytes
    write: bytes
    live: bytes
    ttl_ms: int
    head: bytes | None = None
    moves: Sequence[bytes] = ()
    events: Sequence[bytes] = ()
    remember: Remember | None = None
    pace: Pace | None = None


class Hold(msgspec.Struct, frozen=True):
    """The errand of a match: `until_ms` None, it is the caller's, with the `note` of whoever had it before; otherwise
    another has it until then."""

    until_ms: int | None
    note: bytes = b""


class Due(msgspec.Struct, frozen=True):
    """An entry of a queue that was taken: the lease under which it is the taker's, and when it was due (ms)."""

    match: str
    lease: int
    due_ms: int


class Levels(msgspec.Struct, frozen=True):
    """What stands in the store across matches. `listed`: entries of the public lists by game and status; `due_ms`: when
    the earliest entry of each queue is due, None for an empty one; `beat_ms`: a worker's last sign of life, if any."""

    listed: dict[tuple[str, str], int]
    due_ms: dict[str, int | None]
    beat_ms: int | None


class Store(Protocol):
    """Reads raise `StoreUnavailable`; writes that, or `OutcomeUnknown`. Nothing is retried but reads."""

    def ping(self) -> None:
        """Return if the store answers."""

    def load(self, match: str, key: str | None = None) -> Stored | None:
        """The match, and what is remembered under `key`, in one round trip. None if there is no such match.

        Raises `OutcomeUnknown` if something is remembered that is not kept as safely as it should be.
        """

    def load_many(self, matches: Sequence[str]) -> list[Stored | None]:
        """The matches in the order asked for, None for each that is not there."""

    def swap(self, match: str, swap: Swap, meanwhile: Meanwhile = nothing) -> bool:
        """Write all of it if the record still bears `swap.expected` and nothing is remembered under its key.

        True: written. False: lost for certain, nothing written. Raises `TooFast` if it would have been written but for
        its pace: then nothing is written either, and the try is not counted.

        `meanwhile` may be called while the store is at work, once or more, whatever comes of the write; it must not
        use the store. What it raises is raised here, and then it is not known what came of the write.
        """

    def moves(self, match: str, count: int | None = None) -> list[bytes]:
        """The first `count` moves, or all, oldest first."""

    def events(self, match: str, after: int, limit: int) -> list[bytes]:
        """At most `limit` events of the feed, from number `after` + 1 on."""

    def enlist(self, game: str, match: str, created_ms: int, status: str, was: str | None) -> None:
        """Put the match among those of `status` (and out of those of `was`) in the game's public list."""

    def delist(self, game: str, match: str, created_ms: int, status: str | None) -> None:
        """Take a match that is gone out of that part of the list, or (None) out of the whole one."""

    def listed(self, game: str, status: str | None, before: str | None, limit: int) -> list[tuple[str, str]]:
        """(place, match) of at most `limit` listed matches, newest first, that stand after the place `before`.

        The list may be late: whoever reads it compares with the records.
        """

    def reserve(self, key: str, value: bytes, ttl_ms: int) -> bytes | None:
        """Keep `value` under `key` if nothing is there; otherwise what is there."""

    def schedule(self, queue: str, match: str, at_ms: int, now_ms: int) -> None:
        """See that the queue has the match at `at_ms` or earlier, whatever a worker that looks at it now will say.

        Workers that wait are woken if it is due.
        """

    def take_due(self, queue: str, now_ms: int, lease_ms: int, most: int) -> list[Due]:
        """At most `most` entries that are due, earliest first.

        Each is hidden for `lease_ms`: if whoever took it dies, it comes back by itself.
        """

    def settle_due(self, queue: str, match: str, lease: int, next_ms: int | None) -> None:
        """What was taken has been looked at; look again at `next_ms` (None: not by itself), or at what was scheduled
        meanwhile if that is earlier."""

    def next_due(self, queue: str) -> int | None:
        """When the earliest entry is due; None for an empty queue."""

    def hold(self, match: str, holder: bytes, now_ms: int, until_ms: int) -> Hold | None:
        """Have the match's one errand (what is done for it outside, by one worker at a time) to oneself until then.

        None: there is no such match. Whoever has it hears from `let_go` that it was wanted. Changes of the match and
        its errand do not get into each other's way; they live equally long.
        """

    def note(self, match: str, holder: bytes, note: bytes, until_ms: int) -> bool:
        """Keep a note of how far the errand has come, and the errand until then. False: it is no longer the caller's,
        and nothing was kept."""

    def let_go(self, match: str, holder: bytes) -> bool:
        """Leave the errand to whoever comes next, if it is still the caller's. True: it was wanted meanwhile."""

    def beat(self, now_ms: int, silence_ms: int) -> None:
        """A worker shows that it and the store live. A silence of more than `silence_ms` before it was time away."""

    def pulse(self, match: str, now_ms: int) -> tuple[int, int]:
        """When the last beat was, and all time away, in milliseconds, where the match is kept. A store that never saw a
        beat has one now."""

    def levels(self, games: Sequence[str], statuses: Sequence[str], queues: Sequence[str]) -> Levels:
        """How much there is, for operators. Cheap: it counts nothing itself."""

    def tries(self, key: str, window_s: int, more: int) -> tuple[int, int]:
        """Add `more` to a counter that is forgotten `window_s` after its first try: (count, seconds left)."""
