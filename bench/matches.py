"""Real matches, played out beforehand: their deals are fixed, so each move is known and legal when its turn comes.

Whoever waits for a seat's turn must ask for that seat's legal moves first; here only the posts shall be measured. So
every match is played in this process, at random, from the same seed that it is created with on the server.
"""

import random
from functools import cache
from typing import Any

import msgspec

from bench.shore import Shore
from engines import GAMES
from engines.kit.chance import Chance, fixed_seed
from engines.kit.game import Game


class Prepared(msgspec.Struct, frozen=True):
    """A match on the server, with its seats' tokens, and (seat, move) for each move that it will see."""

    path: str
    tokens: list[str]
    moves: list[tuple[int, Any]]


def playout(game: Game, seats: int, seed: str) -> list[tuple[int, Any]]:
    """(seat, move) for each move of a match played at random to its end."""
    return _playout(game.key, seats, seed)


@cache
def _playout(key: str, seats: int, seed: str) -> list[tuple[int, Any]]:
    """Every round plays the same matches."""
    game = GAMES[key]
    rng = random.Random(seed)
    state = game.setup(game.options(), seats, Chance(fixed_seed(seed))).state
    moves = []
    while turn := game.to_move(state):
        seat = rng.choice(turn)
        move = rng.choice(game.legal_moves(state, seat))
        moves.append((seat, move))
        state = game.apply(state, seat, move).state
    return moves


def prepare(shore: Shore, game: Game, seats: int, seed: str, at_least: int = 0) -> Prepared:
    """Create the match and claim its seats; it has started, and no move has been made.

    A seed whose match ends before `at_least` moves is passed over for another.
    """
    moves = playout(game, seats, seed)
    if len(moves) < at_least:
        return prepare(shore, game, seats, f"{seed}'", at_least)
    created = shore.ask("POST", f"/v1/games/{game.key}/matches", {"seats": seats, "seed": seed, "legal_moves": "full"})
    path = f"/v1/games/{game.key}/matches/{created['match']['match']}"
    claims = [shore.ask("POST", f"{path}/seats", {"name": f"Seat {seat}", "seat": seat}) for seat in range(seats)]
    return Prepared(path, [claim["token"] for claim in claims], moves)


def advance(shore: Shore, match: Prepared, moves: int) -> None:
    """Make the first moves of the match."""
    for number in range(moves):
        post(shore, match, number)


def post(shore: Shore, match: Prepared, number: int, key: str | None = None) -> None:
    """Make one of the moves of the match, outside of what is measured."""
    seat, move = match.moves[number]
    shore.ask("POST", f"{match.path}/seats/{seat}/moves", {"move": move}, match.tokens[seat], key)


def get_stream(match: Prepared, seat: int, query: str = "") -> bytes:
    """The request for a seat's stream of events, to the byte."""
    path = f"{match.path}/seats/{seat}/events{query}"
    return _request("GET", path, match.tokens[seat], accept="text/event-stream")


def get_events(match: Prepared, seat: int, after: int) -> bytes:
    """The request that waits for events after this number, and for the state that they led to, to the byte."""
    path = f"{match.path}/seats/{seat}/events?after={after}&wait_s=30&include=state"
    return _request("GET", path, match.tokens[seat])


def get_state(match: Prepared, seat: int) -> bytes:
    """The request for a seat's state, to the byte."""
    return _request("GET", f"{match.path}/seats/{seat}/state", match.tokens[seat])


def post_moves(match: Prepared) -> list[tuple[int, bytes]]:
    """The seats and the requests that play the match, to the byte."""
    return [(seat, post_move(match, seat, move)) for seat, move in match.moves]


def post_move(match: Prepared, seat: int, move: Any) -> bytes:
    """The request for one move, to the byte."""
    body = msgspec.json.encode({"move": move})
    return _request("POST", f"{match.path}/seats/{seat}/moves", match.tokens[seat], body)


def get_list(path: str) -> bytes:
    """The request for a page of a list, to the byte."""
    return _request("GET", f"/v1/games/{path}", None)


def post_claim(path: str, seat: int) -> bytes:
    """The request for a seat, to the byte."""
    return _request("POST", f"{path}/seats", None, msgspec.json.encode({"name": f"Seat {seat}", "seat": seat}))


def _request(method: str, path: str, token: str | None, body: bytes | None = None, accept: str = "*/*") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\n"
    if token is not None:
        head += f"Authorization: Bearer {token}\r\n"
    if body is None:
        return f"{head}\r\n".encode()
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


HELLO = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
