"""Waiting on several matches at once: the first news of any of them ends it."""

import time
from collections.abc import Callable, Sequence

import msgspec

from service import metrics
from service.live.follow import STORE_AWAY_S
from service.live.hub import Hub
from service.store.errors import StoreError
from service.table.errors import Refusal
from service.table.records import Record

WAITS = metrics.WAITERS.labels("wait")


class Watched(msgspec.Struct, frozen=True):
    """One seat that is waited on: how to load its match, and the newest event that is known."""

    match: str
    after: int
    load: Callable[[], Record]


Found = Record | Refusal


def hold_several(hub: Hub, watched: Sequence[Watched], wait_s: float) -> list[Found]:
    """For each seat its match as it is, or why it is refused, as soon as one of them has news; or when time is up.

    A refusal does not end the waiting for the others; if all are refused there is nothing to wait for. While the store
    is away this waits for it, and in the end gives the matches as they last were.
    """
    until = time.monotonic() + wait_s
    found = [_look(seat) for seat in watched]
    again = False
    matches = {known.match for known in found if isinstance(known, Record)}
    with WAITS.track_inprogress(), hub.waiting(*matches) as waiter:
        while not hub.closing and not _settled(watched, found):
            left_s = until - time.monotonic()
            if left_s <= 0:
                break
            waiter.wait(min(left_s, STORE_AWAY_S) if again else left_s)
            # What the news say is not used: who is to move, and whether the token still holds, is in the record.
            named = {piece.name for piece in waiter.take()}
            everywhere = again or not named
            try:
                found = [
                    _look(seat) if everywhere or seat.match in named else known
                    for seat, known in zip(watched, found, strict=True)
                ]
                again = False
            except StoreError:
                again = True
    return found


def _look(seat: Watched) -> Found:
    try:
        return seat.load()
    except Refusal as refusal:
        return refusal


def _settled(watched: Sequence[Watched], found: Sequence[Found]) -> bool:
    """Whether there is news, or nothing left that could bring any."""
    records = [(seat, record) for seat, record in zip(watched, found, strict=True) if isinstance(record, Record)]
    if all(record.live.finished_ms is not None for _, record in records):
        return True
    return any(record.live.seq > seat.after for seat, record in records)
