"""When a worker must look at a match, and how it comes to know.

A schedule is an index across matches, so it cannot be in the same write as a match. Its promise: an entry is never
later than `SAFETY_MS` after what the record needs. It may be early, or be there for nothing: then a worker looks in
vain.
"""

import logging
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from service.store.errors import StoreUnavailable
from service.table import clock

if TYPE_CHECKING:
    from service.table.change import Change

SAFETY_MS = 3_000
"""How much later than needed a match is looked at when the process that wrote it died right afterwards."""


class Queue(StrEnum):
    """What workers work off: matches that need something done, and matches whose events a platform waits for."""

    MATCHES = "matches"
    HOOKS = "hooks"


class Announced(msgspec.Struct, frozen=True):
    """An entry put into a schedule before a write: when it is needed, and when it stands."""

    queue: Queue
    wanted_ms: int
    safe_ms: int


REMATCH_MS = 10 * 60 * 1000
"""A rematch that has not come together for so long is aborted."""

_log = logging.getLogger(__name__)


def of_change(change: "Change") -> int | None:
    """When a worker must look at the match once this change is written, in wall time; None: never."""
    if change.status == "playing" and bots_wanted(change):
        return change.now_ms
    return of_time(change)


def of_time(change: "Change") -> int | None:
    """The same for a match whose bots have nothing to do and nothing to say: only time can bring something."""
    if change.status == "waiting":
        return None if change.head.rematch_of is None else change.head.created_ms + REMATCH_MS
    if change.status != "playing":
        return None
    if change.head.clock is None or change.pulse is None:
        return None
    moment = clock.next_ms(change.head.clock, change.times)
    return None if moment is None else moment + change.now_ms - change.played_ms


def bots_wanted(change: "Change") -> bool:
    """Whether a bot is to move, or could have something to say."""
    if all(seat.bot is None for seat in change.head.seats):
        return False
    bots = change.record.game.bots
    playing = {number: seat.bot for number, seat in enumerate(change.head.seats) if seat.bot is not None}
    if any(seat in playing for seat in change.to_move):
        return True
    return any(bots[bot].remark is not None for bot in playing.values())


def announce(change: "Change") -> list[Announced]:
    """Before the write: see that entries are there, `SAFETY_MS` away at the least, when the write has surely landed."""
    wanted = {Queue.MATCHES: of_change(change), Queue.HOOKS: _of_hook(change)}
    announced = []
    for queue, wanted_ms in wanted.items():
        if wanted_ms is not None:
            safe_ms = max(wanted_ms, change.now_ms + SAFETY_MS)
            change.table.store.schedule(queue, change.record.match, safe_ms, change.now_ms)
            announced.append(Announced(queue, wanted_ms, safe_ms))
    return announced


def hasten(change: "Change", announced: list[Announced]) -> None:
    """After the write: have it looked at when it is needed, not later. What this misses is late by `SAFETY_MS`."""
    match = change.record.match
    for entry in announced:
        if entry.wanted_ms < entry.safe_ms:
            try:
                change.table.store.schedule(entry.queue, match, entry.wanted_ms, change.now_ms)
            except StoreUnavailable:
                _log.warning("a worker looks at %s late", match)


def _of_hook(change: "Change") -> int | None:
    hook = change.head.hook
    return change.now_ms if hook is not None and not hook.off and change.events else None
