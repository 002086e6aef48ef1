"""Matches: create, list, look at, abort."""

from typing import Any

import marshmallow as ma
from flask import Response
from msgspec import UNSET, UnsetType

from engines.kit.game import Game
from service.api.answers import answer, replayed
from service.api.limits import creating
from service.api.operations import Room
from service.api.requests import Body, Whole, address, bearer_token, convert, idempotency_key, query, read_body
from service.api.shapes import SEED_BYTES, Created, LeftSeat, Match, Matches, PublicSeat, SpectatorsWish, limit_bytes
from service.table.create import Wish, create
from service.table.edge import rfc3339
from service.table.leave import abort
from service.table.listing import listed
from service.table.records import Record, Spectators
from service.table.seats import find
from service.table.watch import delayed


class ListQuery(ma.Schema):
    """Which matches, and how many at once."""

    status = ma.fields.String(
        validate=ma.validate.OneOf(["waiting", "playing", "finished", "aborted"]),
        metadata={"description": "Only matches of this status."},
    )
    limit = Whole(load_default=50, validate=ma.validate.Range(1, 100), metadata={"description": "At most this many."})
    cursor = ma.fields.String(
        validate=ma.validate.Length(max=100), metadata={"description": "The `next_cursor` of the page before."}
    )


def add_to(room: Room) -> None:
    """Put the addresses of matches into a game's room."""
    game, table, wire = room.game, room.table, room.wire
    admit = creating(table)

    def create_match() -> Response:
        body = read_body(admit=admit)
        key = idempotency_key()
        wish = _wish(body, wire.create_request)
        key.check()
        scope = None if key.usable is None else f"create:{address()}:{key.usable}"
        created, repeat = create(table, game, wish, scope, body.fingerprint(game.key))
        record = created.record
        made = Created(public(record), created.host_token, record.head.join_code, _secret(record))
        return replayed(answer(made, 201, Location=_address(game, record.match)), repeat)

    def list_matches() -> Response:
        asked = query(ListQuery)
        page = listed(table, game, asked.get("status"), asked["limit"], asked.get("cursor"))
        return answer(Matches([public(record) for record in page.items], page.next_cursor))

    def get_match(match: str) -> Response:
        return answer(public(find(table, game, match)))

    def abort_match(match: str) -> Response:
        return answer(public(abort(table, game, match, bearer_token())))

    room.put(
        "POST",
        "/matches",
        create_match,
        id="create_match",
        summary="Set up a match",
        description="The match waits until all its seats are claimed. Its host token and join code are shown this "
        "once. The deal is committed to before anybody sits down; with `seed` it is fixed instead.",
        status=201,
        answer=wire.created,
        headers=["Location"],
        body=wire.create_request,
        key=True,
        writes=True,
        codes=["rate_limited"],
    )
    room.put(
        "GET",
        "/matches",
        list_matches,
        id="list_matches",
        summary="List matches",
        description="Listed matches, newest first.",
        answer=wire.matches,
        query=ListQuery,
    )
    room.put(
        "GET",
        "/matches/<match>",
        get_match,
        id="get_match",
        summary="Look at a match",
        description="What everybody who knows the id may see.",
        answer=wire.match,
    )
    room.put(
        "DELETE",
        "/matches/<match>",
        abort_match,
        id="abort_match",
        summary="Abort a match",
        description="The host ends the match without a result: while it waits, or while it is played if it was created "
        "with `host_can_abort`.",
        answer=wire.match,
        auth=True,
        writes=True,
        codes=["host_only", "match_started", "match_over"],
    )


def _wish(body: Body, kind: Any) -> Wish:
    """What the host asks for. Raises `Invalid`."""
    asked = convert(body, kind)
    if asked.seed is not None:
        limit_bytes("$.seed", asked.seed, SEED_BYTES)
    webhook = asked.webhook
    return Wish(
        seats=asked.seats,
        options=asked.options,
        visibility=asked.visibility,
        on_absent=asked.on_absent,
        host_can_abort=asked.host_can_abort,
        legal_moves=asked.legal_moves,
        seed=asked.seed,
        clock=asked.clock,
        takeover=asked.takeover,
        spectators=Spectators(asked.spectators.open, asked.spectators.delay),
        webhook=None if webhook is None else (webhook.url, tuple(webhook.events)),
    )


def public(record: Record) -> Match:
    """The match as everybody who knows its id sees it; nothing of the play while spectators are kept behind."""
    head, live = record.head, record.live
    hidden = delayed(record)
    return Match(
        match=record.match,
        game=head.game,
        status=live.status,
        options=head.options,
        seats=[PublicSeat(number, seat.name, seat.kind) for number, seat in enumerate(head.seats)],
        version=None if hidden else live.version,
        to_move=() if hidden else record.to_move,
        clock=head.clock,
        on_absent=head.on_absent,
        host_can_abort=head.host_can_abort,
        legal_moves=head.legal_moves,
        visibility=head.visibility,
        takeover=head.takeover,
        spectators=SpectatorsWish(head.spectators.open, head.spectators.delay),
        webhook=None if head.hook is None else "off" if head.hook.off else "on",
        left=[
            LeftSeat(number, seat.resigned, seat.bot or "table")
            for number, seat in enumerate(head.seats)
            if seat.left_to_others and not hidden
        ],
        rematch=head.rematch,
        fixed_deal=head.fixed is not None,
        commitment=head.commitment,
        outcome=record.outcome,
        created_at=rfc3339(head.created_ms),
        started_at=None if live.started_ms is None else rfc3339(live.started_ms),
        finished_at=None if live.finished_ms is None else rfc3339(live.finished_ms),
    )


def _secret(record: Record) -> str | UnsetType:
    return UNSET if record.head.hook is None else record.head.hook.secret


def _address(game: Game, match: str) -> str:
    return f"/v1/games/{game.key}/matches/{match}"
