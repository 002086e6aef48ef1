"""Following a match: hold until there is something new, or pass on everything as it happens."""

import time
from collections.abc import Callable, Generator, Iterator

import msgspec

from engines.kit.game import Viewer
from service import metrics
from service.live.hub import Hub, Known, Waiter
from service.store.errors import StoreError
from service.store.news import Written
from service.table.feed import LIMIT_MOST, page
from service.table.records import Record
from service.table.table import Table
from service.table.watch import Sight, sight

STORE_AWAY_S = 0.5

POLLS = metrics.WAITERS.labels("poll")
STREAMS = metrics.WAITERS.labels("stream")

# Events after which the caller may no longer be who it was.
_ABOUT_TOKENS = (b'"type":"token_renewed"', b'"type":"seat_freed"')
_LAST = (b'"type":"match_finished"', b'"type":"match_aborted"')

Again = Callable[[Record | None], Record]
"""Recognises the caller anew in the match as it is: in this record, if it is known to be up to date, else in one that
is loaded. Raises what either refuses."""

Show = Callable[[Record, Sight], bytes]
"""The match as the caller sees it, written down."""


class Batch(msgspec.Struct, frozen=True):
    """Events that came together, and what the match is after them, if that was asked for and is known.

    Neither: a heartbeat.
    """

    events: list[bytes]
    last: int
    shown: bytes | None = None


class Held(msgspec.Struct, frozen=True):
    """The match when there was news, and all events after the number that was known, if they came with the news."""

    record: Record
    events: list[bytes] | None = None


def hold(
    hub: Hub, table: Table, record: Record, since_s: float, viewer: Viewer, after: int, wait_s: float, again: Again
) -> Held:
    """The match once it has an event after number `after` for this viewer, is over, or `wait_s` seconds are up.

    `since_s` is a moment (monotonic) before the record was loaded. While the store is away this waits for it, and in
    the end gives the match as it last was.
    """
    if wait_s <= 0 or _news_for(table, record, viewer, after):
        return Held(record)
    until = time.monotonic() + wait_s
    away = False
    with POLLS.track_inprogress(), hub.waiting(record.match, known=Known(record.live.seq, since_s)) as waiter:
        while not hub.closing and (left_s := until - time.monotonic()) > 0:
            waiter.wait(min(left_s, STORE_AWAY_S) if away else left_s)
            news = [piece.written() for piece in waiter.take()]
            try:
                record, away = again(_remembered(table, record.match, news)), False
                if _news_for(table, record, viewer, after):
                    return Held(record, _all_after(after, record.live.seq, news))
            except StoreError:
                away = True
    return Held(record)


def _remembered(table: Table, match: str, news: list[Written]) -> Record | None:
    """The record that the last of the news was written with, where this process has it: because the move was made here,
    or because somebody else who waited has just loaded it."""
    record = table.recent.get(match) if news else None
    return record if record is not None and record.write == news[-1].write else None


def _all_after(after: int, last: int, news: list[Written]) -> list[bytes] | None:
    """The events after number `after` up to number `last`; None where the news are not just these."""
    found: list[bytes] = []
    for written in news:
        if written.first > after + len(found) + 1:
            return None
        found += written.events[after + len(found) + 1 - written.first :]
    return found if after + len(found) == last else None


def _news_for(table: Table, record: Record, viewer: Viewer, after: int) -> bool:
    return record.live.finished_ms is not None or sight(table, record, viewer).seq > after


def follow(
    hub: Hub,
    table: Table,
    record: Record,
    viewer: Viewer,
    after: int,
    again: Again,
    show: Show | None,
) -> Generator[Batch]:
    """Every event after number `after`, in order, each once, until the match is over or the process ends.

    With `show` what it gives comes at the beginning and whenever all events so far have come. While the store is away
    only heartbeats come. What `again` refuses ends the iteration by that refusal.
    """
    with STREAMS.track_inprogress(), hub.waiting(record.match) as waiter:
        fresh: Record | None = record
        del record  # thousands wait: none of them holds on to a position meanwhile
        shown = -1
        while True:
            try:
                fresh = fresh or again(None)
                seen = sight(table, fresh, viewer)
                for batch in _caught_up(table, fresh, seen, after, None if shown == seen.seq else show):
                    after = batch.last
                    yield batch
                    del batch  # thousands wait: none of them holds on to what it was told
                shown = seen.seq
                del seen
                if hub.closing or (fresh.live.finished_ms is not None and after >= fresh.live.seq):
                    return
                # Not `delayed`: what is not kept back yet, before the start, is so from the first move on.
                reread = show is not None or (viewer is None and fresh.head.spectators.delay > 0)
                match, fresh = fresh.match, None
                if show is not None and viewer is not None:
                    news = _with_what_is_shown(hub, table, waiter, match, viewer, after, again, show)
                else:
                    news = _as_it_happens(hub, waiter, after, reread)
                for batch in news:
                    after = batch.last
                    shown = shown if batch.shown is None else after
                    over = any(last in event for event in batch.events[-1:] for last in _LAST)
                    yield batch
                    del batch
                    if over:
                        return
            except StoreError:
                if hub.closing:
                    return
                waiter.wait(STORE_AWAY_S)
                yield Batch([], after)
            fresh = None


def _caught_up(table: Table, record: Record, seen: Sight, after: int, show: Show | None) -> Iterator[Batch]:
    """Pages from the feed, up to what is seen; what is shown comes with the last of them, or alone."""
    while True:
        found = page(table, record, after, LIMIT_MOST, seen.seq)
        after = found.last
        shown = None if show is None or found.more else show(record, seen)
        if found.events or shown is not None:
            yield Batch([bytes(event) for event in found.events], after, shown)
        if not found.more:
            return


def _as_it_happens(hub: Hub, waiter: Waiter, after: int, reread: bool) -> Iterator[Batch]:
    """News as they come, until the feed has to be read again: `reread`, after a gap, or to check the caller."""
    while not hub.closing:
        if not waiter.wait(hub.heartbeat_s):
            yield Batch([], after)
            continue
        news = waiter.take()
        if reread or not news:
            return
        for piece in news:
            written = piece.written()
            fresh = written.events[max(0, after + 1 - written.first) :]
            if written.first > after + 1 or any(about in event for event in fresh for about in _ABOUT_TOKENS):
                return
            if fresh:
                after += len(fresh)
                yield Batch(fresh, after)
        del news, piece, written, fresh


def _with_what_is_shown(
    hub: Hub, table: Table, waiter: Waiter, match: str, viewer: int, after: int, again: Again, show: Show
) -> Iterator[Batch]:
    """News as they come, and what a seat is shown after them, until the feed has to be read again.

    The record is the one that the last of them was written with: often this process has it, because the move was made
    here, or because another seat's stream has just loaded it.
    """
    while not hub.closing:
        if not waiter.wait(hub.heartbeat_s):
            yield Batch([], after)
            continue
        last, fresh = after, list[bytes]()
        news = [piece.written() for piece in waiter.take()]
        for written in news:
            if written.first > last + 1:
                return
            more = written.events[max(0, last + 1 - written.first) :]
            fresh += more
            last += len(more)
        if not fresh:
            if not news:
                return
            continue
        record = again(_remembered(table, match, news))
        if record.live.seq != last:
            return
        after = last
        yield Batch(fresh, last, show(record, sight(table, record, viewer)))
        del record, fresh, news, written, more  # thousands wait: none of them holds on to a position meanwhile
