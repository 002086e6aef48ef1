"""The feed of events, for a seat and for spectators, and the spectators' state."""

from collections.abc import Callable
from typing import Any

import marshmallow as ma
import msgspec
from flask import Response

from engines.kit.game import Viewer
from service.api.answers import answer, not_modified, tag
from service.api.operations import Room
from service.api.play import state_of
from service.api.requests import Whole, address, bearer_token, query
from service.api.shapes import INT_MOST, Events
from service.table.feed import wait
from service.table.look import legal_moves
from service.table.records import Record
from service.table.seats import sit, spectate
from service.table.table import Table


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
    game, table, wire = room.game, room.table, room.wire

    def get_seat_events(match: str, seat: str) -> Response:
        token = bearer_token()

        def again() -> Record:
            return sit(table, game, match, seat, token).record

        sitting = sit(table, game, match, seat, token)
        return _events(table, sitting.record, sitting.seat, again)

    def get_match_state(match: str) -> Response:
        record = spectate(table, game, match, bearer_token(), address())
        etag = tag(record.live.seq, None)
        return not_modified(etag) or answer(state_of(record, None), ETag=etag)

    def get_match_events(match: str) -> Response:
        token, guest = bearer_token(), address()

        def again() -> Record:
            return spectate(table, game, match, token, guest)

        return _events(table, again(), None, again)

    told = "`wait_s` holds the answer until something newer than `after` exists."
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
        codes=["unknown_seat", "wrong_seat"],
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


def _events(table: Table, record: Record, viewer: Viewer, again: Callable[[], Record]) -> Response:
    asked = query(EventsQuery)
    record, page = wait(table, record, asked["after"], asked["limit"], asked["wait_s"], again)
    state: Any = msgspec.UNSET
    moves: Any = msgspec.UNSET
    if asked.get("include") == "state":
        state = state_of(record, viewer)
        moves = None if viewer is None else legal_moves(record, viewer)
    return answer(Events(page.events, page.last, page.more, state, moves))
