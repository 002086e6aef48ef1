"""Playing: a seat's state, its legal moves, its moves. The hot way; nothing here that a move does not need."""

from flask import Response

from service.api.answers import Answer, answer, not_modified, replayed, tag
from service.api.operations import Room
from service.api.requests import bearer_token, convert, idempotency_key, read_body
from service.api.states import state_of
from service.table.look import legal_moves
from service.table.play import Ask, Asked, Played, play
from service.table.seats import sit


def _tell(played: Played) -> Answer:
    """The answer to a move."""
    response = answer(played, 201)
    response.version = played.version
    return response


def add_to(room: Room) -> None:
    """Put the addresses of play into a game's room."""
    game, table, wire = room.game, room.table, room.wire
    move_request = wire.move_request

    def get_state(match: str, seat: str) -> Response:
        sitting = sit(table, game, match, seat, bearer_token())
        etag = tag(sitting.record.live.seq, sitting.seat)
        return not_modified(etag) or answer(state_of(table, sitting.record, sitting.seat), ETag=etag)

    def get_legal_moves(match: str, seat: str) -> Response:
        sitting = sit(table, game, match, seat, bearer_token())
        etag = tag(sitting.record.live.seq, sitting.seat)
        return not_modified(etag) or answer(legal_moves(sitting.record, sitting.seat), ETag=etag)

    def post_move(match: str, seat: str) -> Response:
        body = read_body()
        key = idempotency_key()

        def read() -> Asked:
            asked: Asked = convert(body, move_request)
            key.check()
            return asked

        body_hash = b"" if key.usable is None else body.fingerprint()
        return replayed(*play(table, Ask(game, match, seat, bearer_token(), read, key.usable, body_hash), _tell))

    seat_path = "/matches/<match>/seats/<seat>"
    room.put(
        "GET",
        f"{seat_path}/state",
        get_state,
        id="get_state",
        summary="See the match from a seat",
        description="All that this seat may know. Before the start `view` is null.",
        answer=wire.state,
        auth=True,
        tagged=True,
        codes=["unknown_seat", "wrong_seat"],
    )
    room.put(
        "GET",
        f"{seat_path}/legal-moves",
        get_legal_moves,
        id="get_legal_moves",
        summary="List a seat's legal moves",
        description="Every legal move once; an empty list when it is not this seat's to move. Anytime moves are not "
        "listed. The match's `legal_moves` says whether it lists (`full`), counts (`count`) or neither (`none`).",
        answer=wire.legal_moves,
        auth=True,
        tagged=True,
        codes=["unknown_seat", "wrong_seat"],
    )
    room.put(
        "POST",
        f"{seat_path}/moves",
        post_move,
        id="post_move",
        summary="Make a move",
        description="The move is stored before it is answered, and the answer has all that the next one needs. After "
        "an answer that got lost, repeat the request with the same `Idempotency-Key`.",
        status=201,
        answer=wire.played,
        body=wire.move_request,
        key=True,
        auth=True,
        writes=True,
        codes=[
            "unknown_seat",
            "wrong_seat",
            "match_waiting",
            "match_over",
            "stale_version",
            "seat_given_up",
            "not_your_turn",
            "illegal_move",
            "rate_limited",
        ],
    )
