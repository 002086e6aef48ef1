"""The feed of events, for a seat and for spectators, and the spectators' state."""

from time import monotonic
from typing import Any

import marshmallow as ma
import msgspec
from flask import Response

from engines.kit.game import Viewer
from service.api.answers import answer, not_modified, tag
from service.api.limits import stay, waiting
from service.api.operations import Room
from service.api.requests import Whole, address, bearer_token, query
from service.api.shapes import INT_MOST, Events
from service.api.states import moves_of, state_of
from service.api.stream import last_event_id, stream, wants_stream
from service.live.follow import Again, Held, hold
from service.live.hub import Hub
from service.table.feed import Page, page
from service.table.records import Record
from service.table.seats import seated, sit, spectate
from service.table.table import Table
from service.table.watch import sight


class EventsQuery(ma.Schema):
    """Which events, and how long to wait for one."""

    after = Whole(
        load_default=0, validate=ma.validate.Range(0, INT_MOST), metadata={"description": "Events after this number."}
    )
    wait_s = Whole(
        load_default=0,
        validate=ma.validate.Range(0, 60),
        metadata={"description": "Hold the answer for so long, until there is something newer."},
    )
    limit = Whole(load_default=100, validate=ma.validate.Range(1, 500), metadata={"description": "At most this many."})
    include = ma.fields.String(
        validate=ma.validate.OneOf(["state"]),
        metadata={"description": "`state`: the answer also has what `state` and `legal-moves` say now."},
    )


def add_to(room: Room) -> None:
    """Put the addresses of the feed into a game's room."""
    game, table, wire, hub = room.game, room.table, room.wire, room.hub

    def get_seat_events(match: str, seat: str) -> Response:
        token, since_s = bearer_token(), monotonic()
        sitting = sit(table, game, match, seat, token)

        def again(known: Record | None) -> Record:
            return (sit(table, game, match, seat, token) if known is None else seated(known, seat, token)).record

        return _events(hub, table, sitting.record, since_s, sitting.seat, again)

    def get_match_state(match: str) -> Response:
        record = spectate(table, game, match, bearer_token(), address())
        seen = sight(table, record, None)
        etag = tag(seen.seq, None)
        return not_modified(etag) or answer(state_of(table, record, None, seen), ETag=etag)

    def get_match_events(match: str) -> Response:
        token, guest, since_s = bearer_token(), address(), monotonic()

        def again(_known: Record | None) -> Record:
            return spectate(table, game, match, token, guest)

        return _events(hub, table, again(None), since_s, None, again)

    told = (
        "`wait_s` holds the answer until something newer than `after` exists. With `Accept: text/event-stream` the "
        "same events come as server-sent events (`id` is `seq`, resumed by `Last-Event-ID`), with `include=state` "
        "followed by a message `event: state`; the stream ends with the match."
    )
    room.put(
        "GET",
        "/matches/<match>/seats/<seat>/events",
        get_seat_events,
        id="get_seat_events",
        summary="Read the feed from a seat",
        description=f"What has happened, numbered without gaps, the same for everyone. {told}",
        answer=wire.events,
        query=EventsQuery,
        auth=True,
        codes=["unknown_seat", "wrong_seat", "rate_limited"],
    )
    watch = "A listed match is open to all; an unlisted one asks for its join code or any of its tokens."
    room.put(
        "GET",
        "/matches/<match>/state",
        get_match_state,
        id="get_match_state",
        summary="Watch the match",
        description=f"What a spectator may know: no hidden card. {watch}",
        answer=wire.state,
        auth=None,
        tagged=True,
        codes=["rate_limited"],
    )
    room.put(
        "GET",
        "/matches/<match>/events",
        get_match_events,
        id="get_match_events",
        summary="Read the feed as a spectator",
        description=f"{watch} {told}",
        answer=wire.events,
        query=EventsQuery,
        auth=None,
        codes=["rate_limited"],
    )


def _events(hub: Hub, table: Table, record: Record, since_s: float, viewer: Viewer, again: Again) -> Response:
    asked = query(EventsQuery)
    whole = asked.get("include") == "state"
    if wants_stream():
        after = last_event_id(asked["after"])
        return stay(hub.crowd, lambda: stream(hub, table, record, viewer, after, again, whole))
    held = Held(record)
    if asked["wait_s"]:
        with waiting(hub.crowd):
            held = hold(hub, table, record, since_s, viewer, asked["after"], asked["wait_s"], again)
    record = held.record
    seen = sight(table, record, viewer)
    found = _page(table, held, asked["after"], asked["limit"], seen.seq)
    state: Any = state_of(table, record, viewer, seen) if whole else msgspec.UNSET
    moves: Any = moves_of(record, viewer) if whole else msgspec.UNSET
    return answer(Events(found.events, found.last, found.more, state, moves))


def _page(table: Table, held: Held, after: int, limit: int, newest: int) -> Page:
    """The events after number `after`: those that came with the news, if they are all that may be seen."""
    events = held.events
    if events is None or len(events) > limit or newest != held.record.live.seq:
        return page(table, held.record, after, limit, newest)
    return Page([msgspec.Raw(event) for event in events], newest, False)
