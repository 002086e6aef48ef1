"""Seats: claim, free or resign, renew the token."""

from flask import Response

from service.api.answers import answer, replayed
from service.api.limits import claiming
from service.api.matches import public
from service.api.operations import Room
from service.api.requests import address, bearer_token, convert, idempotency_key, read_body
from service.api.shapes import NONCE_BYTES, ClaimRequest, SeatToken, limit_bytes
from service.table.claim import Wanted, arrive, claim
from service.table.leave import leave, renew
from service.table.rematch import rematch
from service.table.takeover import take_over


def add_to(room: Room) -> None:
    """Put the addresses of seats into a game's room."""
    game, table, wire = room.game, room.table, room.wire
    admit = claiming(table)

    def claim_seat(match: str) -> Response:
        body = read_body(admit=admit)
        key = idempotency_key()
        record, who = arrive(table, game, match, bearer_token(), key.usable)
        asked = convert(body, ClaimRequest)
        limit_bytes("$.nonce", asked.nonce or "", NONCE_BYTES)
        key.check()
        wanted = Wanted(asked.seat, asked.name, asked.nonce or "", asked.join_code, asked.bot)
        claimed, repeat = claim(table, record, who, wanted, address(), key.usable, body.fingerprint())
        place = f"/v1/games/{game.key}/matches/{match}/seats/{claimed.seat}"
        return replayed(answer(SeatToken(match, claimed.seat, claimed.token), 201, Location=place), repeat)

    def leave_seat(match: str, seat: str) -> Response:
        return answer(public(leave(table, game, match, seat, bearer_token())))

    def renew_token(match: str, seat: str) -> Response:
        renewed = renew(table, game, match, seat, bearer_token())
        return answer(SeatToken(renewed.match, renewed.seat, renewed.token), 201)

    def take_over_seat(match: str, seat: str) -> Response:
        return answer(public(take_over(table, game, match, seat, bearer_token())))

    def ask_for_rematch(match: str) -> Response:
        claimed = rematch(table, game, match, bearer_token())
        next_id = claimed.record.match
        place = f"/v1/games/{game.key}/matches/{next_id}/seats/{claimed.seat}"
        return answer(SeatToken(next_id, claimed.seat, claimed.token), 201, Location=place)

    room.put(
        "POST",
        "/matches/<match>/seats",
        claim_seat,
        id="claim_seat",
        summary="Claim a seat",
        description="Sit down at a match that waits; its host's token, if sent, stands for the join code. The claim "
        "that fills the last seat starts the match. The token is shown this once. With `bot` the host puts one of the "
        "game's built-in bots on the seat.",
        status=201,
        answer=SeatToken,
        headers=["Location"],
        body=ClaimRequest,
        key=True,
        auth=None,
        writes=True,
        codes=["rate_limited", "wrong_join_code", "host_only", "match_started", "match_over", "seat_taken"],
    )
    room.put(
        "DELETE",
        "/matches/<match>/seats/<seat>",
        leave_seat,
        id="leave_seat",
        summary="Free or resign a seat",
        description="Before the start the seat (its holder or the host asks) is open again. While playing its holder "
        "resigns, and the match's `on_absent` says what follows.",
        answer=wire.match,
        auth=True,
        writes=True,
        codes=["unknown_seat", "wrong_seat", "rate_limited", "match_over"],
    )
    room.put(
        "POST",
        "/matches/<match>/seats/<seat>/token",
        renew_token,
        id="renew_token",
        summary="Renew a seat's token",
        description="The old token stops working. Its holder may always; the host before the start, or once the seat "
        "has resigned. The event `token_renewed` tells by whom; there is none once the match is over.",
        status=201,
        answer=SeatToken,
        auth=True,
        writes=True,
        codes=["unknown_seat", "wrong_seat", "rate_limited", "match_waiting"],
    )
    room.put(
        "POST",
        "/matches/<match>/seats/<seat>/takeover",
        take_over_seat,
        id="take_over_seat",
        summary="Take one's seat back",
        description="A seat that was resigned, or that the clock handed to a bot, is played by its player again. A "
        "move of its player does the same. A match that was created without `takeover` refuses.",
        answer=wire.match,
        auth=True,
        writes=True,
        codes=["unknown_seat", "wrong_seat", "rate_limited", "match_waiting", "match_over", "seat_given_up"],
    )
    room.put(
        "POST",
        "/matches/<match>/rematch",
        ask_for_rematch,
        id="rematch",
        summary="Ask for a rematch",
        description="After a match that was played to its end each seat posts here with its old token and gets its "
        "seat in the next match: the same options, seats rotated by one, a fresh secret. Bots follow. If not all have "
        "come within ten minutes it is aborted.",
        status=201,
        answer=SeatToken,
        headers=["Location"],
        auth=True,
        writes=True,
        codes=["wrong_seat", "rate_limited", "match_not_finished", "match_over"],
    )
