"""A match over HTTP in a few lines: a Flask test client, seats with their tokens, random legal moves."""

import random
from collections.abc import Mapping
from typing import Any

from flask import Flask
from flask.testing import FlaskClient


class Match:
    """A match of a game whose seats are all held by the test. Not started while some are open."""

    def __init__(self, client: FlaskClient, game: str, seats: int, **wish: Any) -> None:
        self.client = client
        made = client.post(f"/v1/games/{game}/matches", json={"seats": seats, **wish})
        assert made.status_code == 201, made.text
        self.made: dict[str, Any] = made.json
        self.id: str = self.made["match"]["match"]
        self.path = f"/v1/games/{game}/matches/{self.id}"
        self.seats = seats
        self.tokens: list[str] = []

    def sit(self, count: int | None = None, **wish: Any) -> "Match":
        """Claim the next `count` seats, or all that are left."""
        for seat in range(len(self.tokens), self.seats if count is None else len(self.tokens) + count):
            body = {"name": f"player {seat}", "join_code": self.made["join_code"], **wish}
            claimed = self.client.post(f"{self.path}/seats", json=body)
            assert claimed.status_code == 201, claimed.text
            self.tokens.append(claimed.json["token"])
        return self

    def auth(self, seat: int) -> dict[str, str]:
        """The header that makes a request this seat's."""
        return {"Authorization": f"Bearer {self.tokens[seat]}"}

    @property
    def host(self) -> dict[str, str]:
        """The header that makes a request the host's."""
        return {"Authorization": f"Bearer {self.made['host_token']}"}

    def seat(self, seat: int, what: str, **parameters: Any) -> Any:
        """What a seat reads: `state`, `legal-moves`, `events`."""
        answer = self.client.get(f"{self.path}/seats/{seat}/{what}", headers=self.auth(seat), query_string=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json

    def move(self, seat: int, move: Mapping[str, Any], headers: Mapping[str, str] | None = None, **more: Any) -> Any:
        """Post a move and give the whole answer, whatever it is."""
        return self.client.post(
            f"{self.path}/seats/{seat}/moves",
            json={"move": move, **more},
            headers={**self.auth(seat), **(headers or {})},
        )

    def play_on(self, rng: random.Random, moves: int | None = None) -> int:
        """Random legal moves until so many are made, or the match is over; how many were made."""
        made = 0
        while moves is None or made < moves:
            to_move = self.seat(0, "state")["to_move"]
            if not to_move:
                break
            seat = rng.choice(to_move)
            answer = self.move(seat, rng.choice(self.seat(seat, "legal-moves")["moves"]))
            assert answer.status_code == 201, answer.text
            made += 1
        return made


def client_of(app: Flask) -> FlaskClient:
    """A client that follows no redirects and keeps no cookies."""
    return app.test_client(use_cookies=False)
