"""Small words that the tests of the contract share."""

from typing import Any

from flask.testing import FlaskClient

from engines.kit.game import Game
from tests.support.play import LONG
from tests.support.playing import Match


def few(game: Game) -> int:
    """A number of seats that is more than one."""
    return max(2, game.min_seats)


def bearer(token: str) -> dict[str, str]:
    """The header that carries a token."""
    return {"Authorization": f"Bearer {token}"}


def waiting(client: FlaskClient, game: Game | str, seats: int = 2, **wish: Any) -> Match:
    """A match that nobody sits at yet, with a deal that is known to last: one in so many of Wave is over at once."""
    key = game if isinstance(game, str) else game.key
    return Match(client, key, seats, **{"seed": LONG[seats], **wish})


def begun(client: FlaskClient, game: Game | str, seats: int = 2, **wish: Any) -> Match:
    """The same, when everybody has sat down."""
    return waiting(client, game, seats, **wish).sit()


def to_move(match: Match) -> int:
    """The lowest seat that the match waits for."""
    seat: int = match.client.get(match.path).json["to_move"][0]
    return seat


def legal(match: Match, seat: int) -> list[dict[str, Any]]:
    """The seat's legal moves."""
    moves: list[dict[str, Any]] = match.seat(seat, "legal-moves")["moves"]
    return moves


def play_first(match: Match, moves: int) -> None:
    """So many times the first legal move of the lowest seat to move. Fails if the match is over before."""
    for _ in range(moves):
        seat = to_move(match)
        assert match.move(seat, legal(match, seat)[0]).status_code == 201


def told(match: Match) -> list[dict[str, Any]]:
    """Every event of the match so far, the first five hundred."""
    events: list[dict[str, Any]] = match.client.get(
        f"{match.path}/events", query_string={"limit": 500}, headers=match.host
    ).json["events"]
    return events


def facts(match: Match) -> list[tuple[str, int | None, Any]]:
    """Type, seat and data of every event so far."""
    return [(event["type"], event["seat"], event["data"]) for event in told(match)]
