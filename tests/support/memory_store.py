"""The store as one would write it down on paper: dictionaries, no network, one caller at a time.

It is what the contract suite and the state machine measure the real store against, and no store to run on.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from service.store.errors import TooFast
from service.store.port import Hold, Meanwhile, Stored, Swap, nothing


@dataclass
class Kept:
    """All of one match."""

    write: bytes
    head: bytes
    live: bytes
    gone_at: float
    moves: list[bytes] = field(default_factory=list)
    events: list[bytes] = field(default_factory=list)
    holder: bytes | None = None
    held_until_ms: int = 0
    wanted: bool = False
    note: bytes = b""
    paces: dict[str, tuple[int, int]] = field(default_factory=dict)


class MemoryStore:
    """See `service.store.port.Store` for what each call promises."""

    def __init__(self) -> None:
        self._matches: dict[str, Kept] = {}
        self._keys: dict[tuple[str, str], tuple[bytes, float]] = {}
        self._lists: dict[tuple[str, str | None], set[str]] = {}
        self._reserved: dict[str, tuple[bytes, float]] = {}
        self._counters: dict[str, tuple[int, float]] = {}

    def ping(self) -> None:
        return

    def load(self, match: str, key: str | None = None) -> Stored | None:
        kept = self._kept(match)
        if kept is None:
            return None
        return Stored(kept.write, kept.head, kept.live, None if key is None else self._remembered(match, key))

    def load_many(self, matches: Sequence[str]) -> list[Stored | None]:
        return [self.load(match) for match in matches]

    def swap(self, match: str, swap: Swap, meanwhile: Meanwhile = nothing) -> bool:
        meanwhile()
        kept = self._kept(match)
        if swap.expected != (b"" if kept is None else kept.write):
            return False
        if swap.remember is not None and self._remembered(match, swap.remember.key) is not None:
            return False
        if kept is None:
            kept = self._matches[match] = Kept(b"", b"", b"", 0.0)
        if swap.pace is not None:
            window, count = kept.paces.get(swap.pace.who, (swap.pace.window, 0))
            count = count + 1 if window == swap.pace.window else 1
            if count > swap.pace.most:
                raise TooFast(f"{swap.pace.who} writes too fast")
            kept.paces[swap.pace.who] = (swap.pace.window, count)
        kept.write, kept.live, kept.gone_at = swap.write, swap.live, _in(swap.ttl_ms)
        kept.head = kept.head if swap.head is None else swap.head
        kept.moves += swap.moves
        kept.events += swap.events
        if swap.remember is not None:
            self._keys[match, swap.remember.key] = (swap.remember.value, _in(swap.remember.ttl_ms))
        return True

    def moves(self, match: str, count: int | None = None) -> list[bytes]:
        kept = self._kept(match)
        return [] if kept is None else kept.moves[:count]

    def events(self, match: str, after: int, limit: int) -> list[bytes]:
        kept = self._kept(match)
        return [] if kept is None else kept.events[after : after + limit]

    def enlist(self, game: str, match: str, created_ms: int, status: str, was: str | None) -> None:
        place = f"{created_ms:013d}:{match}"
        self._list(game, None).add(place)
        self._list(game, status).add(place)
        if was is not None:
            self._list(game, was).discard(place)

    def delist(self, game: str, match: str, created_ms: int, status: str | None) -> None:
        self._list(game, status).discard(f"{created_ms:013d}:{match}")

    def listed(self, game: str, status: str | None, before: str | None, limit: int) -> list[tuple[str, str]]:
        places = sorted(self._list(game, status), reverse=True)
        after = [place for place in places if before is None or place < before]
        return [(place, place.partition(":")[2]) for place in after[:limit]]

    def reserve(self, key: str, value: bytes, ttl_ms: int) -> bytes | None:
        was, gone_at = self._reserved.get(key, (None, 0.0))
        if was is not None and gone_at > time.monotonic():
            return was
        self._reserved[key] = (value, _in(ttl_ms))
        return None

    def hold(self, match: str, holder: bytes, now_ms: int, until_ms: int) -> Hold | None:
        kept = self._kept(match)
        if kept is None:
            return None
        if kept.holder not in (None, holder) and kept.held_until_ms > now_ms:
            kept.wanted = True
            return Hold(kept.held_until_ms)
        kept.holder, kept.held_until_ms, kept.wanted = holder, until_ms, False
        return Hold(None, kept.note)

    def note(self, match: str, holder: bytes, note: bytes, until_ms: int) -> bool:
        kept = self._kept(match)
        if kept is None or kept.holder != holder:
            return False
        kept.note, kept.held_until_ms = note, until_ms
        return True

    def let_go(self, match: str, holder: bytes) -> bool:
        kept = self._kept(match)
        if kept is None or kept.holder != holder:
            return False
        kept.holder, wanted = None, kept.wanted
        return wanted

    def tries(self, key: str, window_s: int, more: int) -> tuple[int, int]:
        count, closes_at = self._counters.get(key, (0, 0.0))
        if closes_at <= time.monotonic():
            count, closes_at = 0, _in(1000 * window_s)
        if count + more:
            self._counters[key] = (count + more, closes_at)
        return count + more, max(1, -int(-(closes_at - time.monotonic()) // 1)) if count + more else 1

    def _kept(self, match: str) -> Kept | None:
        kept = self._matches.get(match)
        if kept is not None and kept.gone_at <= time.monotonic():
            del self._matches[match]
            return None
        return kept

    def _remembered(self, match: str, key: str) -> bytes | None:
        value, gone_at = self._keys.get((match, key), (None, 0.0))
        return value if gone_at > time.monotonic() else None

    def _list(self, game: str, status: str | None) -> set[str]:
        return self._lists.setdefault((game, status), set())


def _in(ms: int) -> float:
    return time.monotonic() + ms / 1000
