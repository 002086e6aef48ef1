"""Waiting on several matches at once: the first news of any of them ends it."""

import time
from collections.abc import Callable, Iterable, Sequence

import msgspec

from service import metrics
from service.live.follow import STORE_AWAY_S
from service.live.hub import Hub
from service.store.errors import StoreError, StoreUnavailable
from service.table.errors import Refusal
from service.table.records import Record

WAITS = metrics.WAITERS.labels("wait")


class Watched(msgspec.Struct, frozen=True):
    """One seat that is waited on: how to load its match, and the newest event that is known."""

    match: str
    after: int
    load: Callable[[], Record]


class StoreAway(Refusal):
    """The store that has the match of one seat did not answer, and nothing is known of it; of the others it may be."""

    code = "store_unavailable"

    def __init__(self) -> None:
        super().__init__("The store that has this match does not answer. Ask again in a moment.")


Found = Record | Refusal

SLOW_S = 0.2
"""A store that takes so long to fail is not asked about further seats in the same round: they would wait as long."""


def hold_several(hub: Hub, watched: Sequence[Watched], wait_s: float) -> list[Found]:
    """For each seat its match as it is, or why it is refused, as soon as one of them has news; or when time is up.

    A refusal does not end the waiting for the others; if all are refused there is nothing to wait for. Where the store
    is away (in a cluster, one master) this waits for it, and in the end gives those matches as they last were. Raises
    `StoreUnavailable` if it is away for all from the beginning.
    """
    until = time.monotonic() + wait_s
    found: list[Found] = [StoreAway() for _ in watched]
    away = _look(watched, found, range(len(watched)))
    if all(isinstance(known, StoreAway) for known in found):
        raise StoreUnavailable("no match of those waited on can be looked at")
    waited_on = (Record, StoreAway)
    matches = {seat.match for seat, known in zip(watched, found, strict=True) if isinstance(known, waited_on)}
    with WAITS.track_inprogress(), hub.waiting(*matches) as waiter:
        while not hub.closing and not _settled(watched, found):
            left_s = until - time.monotonic()
            if left_s <= 0:
                break
            woken = waiter.wait(min(left_s, STORE_AWAY_S) if away else left_s)
            # What the news say is not used: who is to move, and whether the token still holds, is in the record.
            named = {piece.name for piece in waiter.take()}
            everywhere = not named and (woken or not away)
            which = [n for n, seat in enumerate(watched) if everywhere or seat.match in named or n in away]
            # Last time's failures at the end: they may fail again, and slowly.
            away = _look(watched, found, sorted(which, key=lambda n: n in away))
    return found


def _look(watched: Sequence[Watched], found: list[Found], which: Iterable[int]) -> set[int]:
    """Look at these seats. Those for which the store does not answer stay as they were, and are given back."""
    away: set[int] = set()
    slow = False
    for number in which:
        begun = time.monotonic()
        try:
            if slow:
                away.add(number)
            else:
                found[number] = watched[number].load()
        except Refusal as refusal:
            found[number] = refusal
        except StoreError:
            away.add(number)
            slow = time.monotonic() - begun > SLOW_S
    return away


def _settled(watched: Sequence[Watched], found: Sequence[Found]) -> bool:
    """Whether there is news, or nothing left that could bring any."""
    records = [(seat, record) for seat, record in zip(watched, found, strict=True) if isinstance(record, Record)]
    if all(record.live.finished_ms is not None for _, record in records):
        return True
    return any(record.live.seq > seat.after for seat, record in records)
