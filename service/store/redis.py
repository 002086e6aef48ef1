"""Matches in Redis 7.0 or later (or Valkey). The keys are listed in docs/storage.md; all of one match share a hash tag.

sb:{match}          hash: write, head, live         sb:{match}:moves    list, oldest first
sb:{match}:feed     list, number n at n - 1         sb:{match}:key:…    what an idempotency key gave
                    and errand_*: who does what is done for the match outside, and how far that has come
    and pace:…: how often a seat has moved within the present minute
sb:list:<game>:<status>  and  sb:list:<game>        sorted sets: the public lists, late by nature
sb:once:…           what the key of a creation gave       sb:try:…      counters of tries
sb:due:{<queue>}    sorted set: what workers look at, and when;  …:announced  hash: what may not be put off
sb:pulse            hash: the last sign of life, and all time during which there was none

In a cluster queues and pulse are divided, and named otherwise: see `spread`.
"""

from collections.abc import Sequence
from importlib.resources import files

from service.store.cluster import ClusterLink
from service.store.errors import OutcomeUnknown, StoreUnavailable, TooFast, TooFewReplicas
from service.store.link import Link, Script
from service.store.port import Hold, Levels, Meanwhile, Stored, Swap, nothing
from service.store.queues import Queues

_SCRIPTS = files("service.store") / "scripts"
SWAP = Script((_SCRIPTS / "swap.lua").read_text(), lasting=True)
CONFIRM = Script((_SCRIPTS / "confirm.lua").read_text(), lasting=True)
TRIES = Script((_SCRIPTS / "tries.lua").read_text())
HOLD = Script((_SCRIPTS / "hold.lua").read_text())
NOTE = Script((_SCRIPTS / "note.lua").read_text())
LET_GO = Script((_SCRIPTS / "let_go.lua").read_text())


_TOO_FAST = 2
"""What swap.lua answers then."""


class RedisStore(Queues):
    """The store, in one Redis server or a cluster. See `port.Store` for what each call promises."""

    def __init__(self, link: Link | ClusterLink) -> None:
        super().__init__(link)
        self._swap = SWAP if link.parts == 1 else SWAP.by_shard()

    def ping(self) -> None:
        self._link.read(("PING",))

    def load(self, match: str, key: str | None = None) -> Stored | None:
        # The record first: should a twin of this request land in between, its key is seen although its record is not.
        if key is None:
            (fields,), remembered = self._link.read_together(_record(match)), None
        else:
            fields, remembered = self._link.read_together(_record(match), ("GET", _remembered(match, key)))
            if remembered is not None:
                self._confirm(match)
        return _stored(fields, remembered)

    def load_many(self, matches: Sequence[str]) -> list[Stored | None]:
        if not matches:
            return []
        return [_stored(fields, None) for fields in self._link.read(*(_record(match) for match in matches))]

    def swap(self, match: str, swap: Swap, meanwhile: Meanwhile = nothing) -> bool:
        keys = [f"sb:{{{match}}}", f"sb:{{{match}}}:moves", f"sb:{{{match}}}:feed"]
        remembered: tuple[bytes, int] = (b"", 0)
        if swap.remember is not None:
            keys.append(_remembered(match, swap.remember.key))
            remembered = (swap.remember.value, swap.remember.ttl_ms)
        pace: tuple[str, int, int] = ("", 0, 0)
        if swap.pace is not None:
            pace = (f"pace:{swap.pace.who}", swap.pace.window, swap.pace.most)
        args = (
            swap.expected,
            swap.write,
            swap.live,
            b"" if swap.head is None else swap.head,
            swap.ttl_ms,
            *remembered,
            *pace,
            len(swap.moves),
            *swap.moves,
            *swap.events,
        )
        try:
            came_to = self._link.write(self._swap, keys, args, meanwhile)
        except TooFewReplicas:
            raise
        except OutcomeUnknown:
            return self._find_out(match, swap)
        if came_to == _TOO_FAST:
            raise TooFast(f"a seat of {match} moves too fast")
        return bool(came_to)

    def _find_out(self, match: str, swap: Swap) -> bool:
        """Whether a write whose answer was lost is there. Only its own id proves it; anything else proves nothing:
        it may still arrive, or have been followed by another."""
        try:
            stored = self.load(match)
        except StoreUnavailable as silent:
            raise OutcomeUnknown(f"a write to {match} was not answered, nor was the read after it") from silent
        if stored is not None and stored.write == swap.write:
            self._confirm(match)
            return True
        raise OutcomeUnknown(f"a write to {match} was not answered, and does not show")

    def _confirm(self, match: str) -> None:
        """Before something is acknowledged that was written by another exchange: see that enough replicas have it.

        Raises `OutcomeUnknown`.
        """
        if not self._link.replicas:
            return
        try:
            self._link.write(CONFIRM, [f"sb:{{{match}}}"], [])
        except StoreUnavailable as refused:
            raise OutcomeUnknown(f"{match} is written, and it is not known where else") from refused

    def moves(self, match: str, count: int | None = None) -> list[bytes]:
        if count == 0:
            return []
        last = -1 if count is None else count - 1
        found: list[bytes] = self._link.read(("LRANGE", f"sb:{{{match}}}:moves", 0, last))[0]
        return found

    def events(self, match: str, after: int, limit: int) -> list[bytes]:
        found: list[bytes] = self._link.read(("LRANGE", f"sb:{{{match}}}:feed", after, after + limit - 1))[0]
        return found

    def enlist(self, game: str, match: str, created_ms: int, status: str, was: str | None) -> None:
        place = _place(created_ms, match)
        commands: list[tuple[str | int, ...]] = [
            ("ZADD", _list(game, None), 0, place),
            ("ZADD", _list(game, status), 0, place),
        ]
        if was is not None:
            commands.append(("ZREM", _list(game, was), place))
        self._link.read(*commands)

    def delist(self, game: str, match: str, created_ms: int, status: str | None) -> None:
        self._link.read(("ZREM", _list(game, status), _place(created_ms, match)))

    def listed(self, game: str, status: str | None, before: str | None, limit: int) -> list[tuple[str, str]]:
        newest = "+" if before is None else f"({before}"
        found = self._link.read(("ZRANGE", _list(game, status), newest, "-", "BYLEX", "REV", "LIMIT", 0, limit))[0]
        places = [place.decode() for place in found]
        return [(place, place.partition(":")[2]) for place in places]

    def reserve(self, key: str, value: bytes, ttl_ms: int) -> bytes | None:
        # SET NX may be repeated: the second time it finds what the first one left.
        was: bytes | None = self._link.read(("SET", f"sb:once:{key}", value, "NX", "GET", "PX", ttl_ms))[0]
        return was

    def hold(self, match: str, holder: bytes, now_ms: int, until_ms: int) -> Hold | None:
        found = self._certain(HOLD, [f"sb:{{{match}}}"], (holder, now_ms, until_ms))
        if not found:
            return None
        return Hold(None, found[1]) if found[0] == b"" else Hold(int(found[0]))

    def note(self, match: str, holder: bytes, note: bytes, until_ms: int) -> bool:
        return bool(self._certain(NOTE, [f"sb:{{{match}}}"], (holder, note, until_ms)))

    def let_go(self, match: str, holder: bytes) -> bool:
        return bool(self._certain(LET_GO, [f"sb:{{{match}}}"], (holder,)))

    def levels(self, games: Sequence[str], statuses: Sequence[str], queues: Sequence[str]) -> Levels:
        lists = [(game, status) for game in games for status in statuses]
        asked = [("ZCARD", _list(game, status)) for game, status in lists]
        beats = [("HGET", self._spread.pulse(part), "last") for part in range(self._spread.parts)]
        found = [None if isinstance(of, StoreUnavailable) else of for of in self._link.read_some(*asked, *beats)]
        sizes, lasts = found[: len(lists)], [int(last) for last in found[len(lists) :] if last is not None]
        return Levels(
            listed={of: int(size) for of, size in zip(lists, sizes, strict=True) if size is not None},
            due_ms={queue: self.next_due(queue) for queue in queues},
            beat_ms=max(lasts, default=None),
        )

    def tries(self, key: str, window_s: int, more: int) -> tuple[int, int]:
        count, left_ms = self._certain(TRIES, [f"sb:try:{key}"], (more, window_s * 1000))
        return int(count), max(1, -(-int(left_ms) // 1000))


def _record(match: str) -> tuple[str, ...]:
    return ("HMGET", f"sb:{{{match}}}", "write", "head", "live")


def _remembered(match: str, key: str) -> str:
    return f"sb:{{{match}}}:key:{key}"


def _list(game: str, status: str | None) -> str:
    return f"sb:list:{game}" if status is None else f"sb:list:{game}:{status}"


def _place(created_ms: int, match: str) -> str:
    """Where a match stands in a list: all scores are 0, so the order is that of these texts."""
    return f"{created_ms:013d}:{match}"


def _stored(fields: Sequence[bytes | None], remembered: bytes | None) -> Stored | None:
    if fields == [None, None, None]:
        return None
    write, head, live = (field or b"" for field in fields)  # a part that is missing is damage: not ours to judge
    return Stored(write, head, live, remembered)
