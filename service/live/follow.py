"""Following a match: hold until there is something new, or pass on everything as it happens."""

import time
from collections.abc import Callable, Iterator

import msgspec

from engines.kit.game import Viewer
from service.live.hub import Hub, Waiter
from service.store.errors import StoreError
from service.table.feed import LIMIT_MOST, page
from service.table.records import Record
from service.table.table import Table
from service.table.watch import delayed, sight

HEARTBEAT_S = 15.0
STORE_AWAY_S = 0.5

# Events after which the caller may no longer be who it was.
_ABOUT_TOKENS = (b'"type":"token_renewed"', b'"type":"seat_freed"')
_LAST = (b'"type":"match_finished"', b'"type":"match_aborted"')

Again = Callable[[], Record]
"""Loads the match anew and recognises the caller anew; raises what either refuses."""


class Batch(msgspec.Struct, frozen=True):
    """Events that came together. `record` is the match that they were read with, None when they came as news.

    No events: a heartbeat.
    """

    events: list[bytes]
    last: int
    record: Record | None


def hold(hub: Hub, table: Table, record: Record, viewer: Viewer, after: int, wait_s: float, again: Again) -> Record:
    """The match once it has an event after number `after` for this viewer, is over, or `wait_s` seconds are up."""
    if wait_s <= 0 or _news_for(table, record, viewer, after):
        return record
    until = time.monotonic() + wait_s
    with hub.waiting(record.match) as waiter:
        while not hub.closing and (left_s := until - time.monotonic()) > 0:
            waiter.wait(left_s)
            waiter.take()
            record = again()
            if _news_for(table, record, viewer, after):
                break
    return record


def _news_for(table: Table, record: Record, viewer: Viewer, after: int) -> bool:
    return record.live.finished_ms is not None or sight(table, record, viewer).seq > after


def follow(
    hub: Hub, table: Table, record: Record, viewer: Viewer, after: int, again: Again, whole: bool
) -> Iterator[Batch]:
    """Every event after number `after`, in order, each once, until the match is over or the process ends.

    `whole` asks for a record with every batch. While the store is away only heartbeats come. What `again` refuses ends
    the iteration by that refusal.
    """
    with hub.waiting(record.match) as waiter:
        fresh: Record | None = record
        while True:
            try:
                fresh = fresh or again()
                for batch in _caught_up(table, fresh, viewer, after):
                    after = batch.last
                    yield batch
                if hub.closing or (fresh.live.finished_ms is not None and after >= fresh.live.seq):
                    return
                for batch in _as_it_happens(hub, waiter, fresh, viewer, after, whole):
                    after = batch.last
                    yield batch
                    if any(last in event for event in batch.events[-1:] for last in _LAST):
                        return
            except StoreError:
                waiter.wait(STORE_AWAY_S)
                yield Batch([], after, None)
            fresh = None


def _caught_up(table: Table, record: Record, viewer: Viewer, after: int) -> Iterator[Batch]:
    """Pages from the feed, up to what the record knows."""
    newest = sight(table, record, viewer).seq
    while after < newest:
        found = page(table, record, after, LIMIT_MOST, newest)
        after = found.last
        yield Batch([bytes(event) for event in found.events], after, record)


def _as_it_happens(
    hub: Hub, waiter: Waiter, record: Record, viewer: Viewer, after: int, whole: bool
) -> Iterator[Batch]:
    """News as they come, until the feed has to be read again: after a gap, for a record, or to check the caller."""
    reread = whole or (viewer is None and delayed(record))
    while not hub.closing:
        if not waiter.wait(HEARTBEAT_S):
            yield Batch([], after, None)
            continue
        news = waiter.take()
        if reread or not news:
            return
        for piece in news:
            first, events = piece.events()
            fresh = events[max(0, after + 1 - first) :]
            if first > after + 1 or any(about in event for event in fresh for about in _ABOUT_TOKENS):
                return
            if fresh:
                after += len(fresh)
                yield Batch(fresh, after, None)
