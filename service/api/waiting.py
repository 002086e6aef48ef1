"""Waiting on several seats at once, so that a bot in many matches needs one connection."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Annotated, Any

import msgspec
from flask import Response
from msgspec import Meta

from engines.kit.game import Game
from service.api.answers import answer
from service.api.catalogue import unknown_game
from service.api.limits import waiting
from service.api.operations import Chapter, Operation, place
from service.api.problems import Problem, problem_of
from service.api.requests import convert, read_body
from service.api.shapes import INT_MOST, ToMove
from service.live.hub import Hub
from service.live.several import Found, StoreAway, Watched, hold_several
from service.store.errors import StoreUnavailable
from service.table.change import FeedEvent
from service.table.errors import Refusal
from service.table.feed import page
from service.table.records import Record, Status
from service.table.seats import sit
from service.table.table import Table

SEATS_MOST = 64
EVENTS_MOST = 100


class WaitSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat to wait on: its match and token, and the newest event that is known (0: none)."""

    game: Annotated[str, Meta(max_length=40)]
    match: Annotated[str, Meta(max_length=40)]
    seat: Annotated[int, Meta(ge=0, le=INT_MOST)]
    token: Annotated[str, Meta(max_length=200)]
    after: Annotated[int, Meta(ge=0, le=INT_MOST)] = 0


class WaitRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The seats to wait on, and for how long."""

    seats: Annotated[list[WaitSeat], Meta(min_length=1, max_length=SEATS_MOST)]
    wait_s: Annotated[int, Meta(ge=0, le=60)] = 30


class SeatNews(msgspec.Struct, frozen=True):
    """What is new for one seat; or `problem`, and nothing else: the token is wrong, say. The others wait on."""

    game: str
    match: str
    seat: int
    status: Status | None
    version: int | None
    to_move: ToMove
    events: list[FeedEvent]
    last: int
    more: bool
    problem: Problem | None


class News(msgspec.Struct, frozen=True):
    """The seats that have news or a problem, in the order asked for. Empty: time is up."""

    items: list[SeatNews]


def blueprint(games: Mapping[str, Game], table: Table, hub: Hub) -> Chapter:
    """The address of waiting."""

    def wait() -> Response:
        asked = convert(read_body(), WaitRequest)
        watched = [_watched(games, table, seat) for seat in asked.seats]
        with waiting(hub.crowd) if asked.wait_s else nullcontext():
            found = hold_several(hub, watched, asked.wait_s)
        news = [_news(table, seat, known) for seat, known in zip(asked.seats, found, strict=True)]
        return answer(News([item for item in news if item is not None]))

    made = Chapter("waiting", "Waiting on several seats at once.", "/v1")
    place(
        made,
        "POST",
        "/wait",
        wait,
        Operation(
            id="wait",
            tag="waiting",
            summary="Wait on several seats",
            description="Holds the answer until one of up to 64 seats has news, whichever matches they are in. A wrong "
            "token is reported in its own entry and does not fail the others; so is a store that does not answer for "
            "one of them.",
            answer=News,
            body=WaitRequest,
            codes=["rate_limited"],
        ),
    )
    return made


def _watched(games: Mapping[str, Game], table: Table, seat: WaitSeat) -> Watched:
    def load() -> Record:
        if seat.game not in games:
            raise unknown_game(games, seat.game)
        return sit(table, games[seat.game], seat.match, str(seat.seat), seat.token).record

    return Watched(seat.match, seat.after, load)


def _news(table: Table, seat: WaitSeat, found: Found) -> SeatNews | None:
    if isinstance(found, Refusal):
        return _entry(seat, None, [], seat.after, False, problem_of(found))
    try:
        events = page(table, found, seat.after, EVENTS_MOST, found.live.seq)
    except StoreUnavailable:  # since it was looked at
        return _entry(seat, None, [], seat.after, False, problem_of(StoreAway()))
    return _entry(seat, found, events.events, events.last, events.more, None) if events.events else None


def _entry(
    seat: WaitSeat, record: Record | None, events: list[Any], last: int, more: bool, problem: Problem | None
) -> SeatNews:
    return SeatNews(
        game=seat.game,
        match=seat.match,
        seat=seat.seat,
        status=None if record is None else record.live.status,
        version=None if record is None else record.live.version,
        to_move=() if record is None else record.to_move,
        events=events,
        last=last,
        more=more,
        problem=problem,
    )
