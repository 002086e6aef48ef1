"""The replay of a match that is over, and what a seat knew at a version."""

import marshmallow as ma
from flask import Response

from service.api.answers import answer
from service.api.operations import Room
from service.api.requests import Whole, query
from service.api.shapes import INT_MOST, Knew
from service.table.errors import Invalid
from service.table.replay import knew, replay
from service.table.seats import find


class ReplayQuery(ma.Schema):
    """Both or neither: which seat, at which version."""

    seat = Whole(validate=ma.validate.Range(0, INT_MOST), metadata={"description": "What this seat knew ..."})
    version = Whole(
        validate=ma.validate.Range(0, INT_MOST),
        metadata={"description": "... at this version (0: just after the start)."},
    )


def add_to(room: Room) -> None:
    """Put the address of the replay into a game's room."""
    game, table, wire = room.game, room.table, room.wire

    def get_replay(match: str) -> Response:
        record = find(table, game, match)
        asked = query(ReplayQuery)
        if not asked:
            return answer(replay(table, record))
        seat, version = asked.get("seat"), asked.get("version")
        if seat is None or version is None:
            raise Invalid("$.seat" if seat is None else "$.version", "Send both `seat` and `version`, or neither.")
        if seat >= len(record.head.seats):
            raise Invalid("$.seat", f"This match has the seats 0 to {len(record.head.seats) - 1}.")
        return answer(Knew(match, seat, version, knew(table, record, seat, version)))

    room.put(
        "GET",
        "/matches/<match>/replay",
        get_replay,
        id="get_replay",
        summary="Replay a match that is over",
        description="The secret behind the deal, every nonce and every move: enough to deal and play the match again. "
        "With `seat` and `version` the answer is `{match, seat, version, view}` instead: what that seat knew then.",
        answer=(wire.replay, wire.knew),
        query=ReplayQuery,
        codes=["match_not_finished"],
    )
