"""A match that is played to be recorded, or played on after it was loaded: by its tokens, over the API."""

import random
from typing import Any

import msgspec
from flask.testing import FlaskClient

from service.table.records import read_record
from tests.layouts.recorded import Asked, Recorded
from tests.support.tending import Tended


class Sitting:
    """A match, its tokens, and whoever makes its moves. `tokens` holds None for a seat without a player."""

    def __init__(
        self, site: Tended, game: str, match: str, host_token: str, join_code: str, tokens: list[str | None]
    ) -> None:
        self.site = site
        self.client: FlaskClient = site.client
        self.match = match
        self.path = f"/v1/games/{game}/matches/{match}"
        self.game = game
        self.host_token = host_token
        self.join_code = join_code
        self.tokens = tokens
        self.asked: list[Asked] = []

    @classmethod
    def create(cls, site: Tended, game: str, seats: int, key: str | None = None, **asked: Any) -> "Sitting":
        """A new match."""
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = site.client.post(f"/v1/games/{game}/matches", json={"seats": seats, **asked}, headers=headers)
        assert answer.status_code == 201, answer.text
        made = answer.json
        return cls(site, game, made["match"]["match"], made["host_token"], made["join_code"], [None] * seats)

    @classmethod
    def loaded(cls, site: Tended, found: Recorded) -> "Sitting":
        """A recorded one."""
        return cls(site, found.game, found.match, found.host_token, found.join_code, list(found.tokens))

    def auth(self, token: int | str | None) -> dict[str, str]:
        text = None if token is None else self.host_token if isinstance(token, str) else self.tokens[token]
        return {} if text is None else {"Authorization": f"Bearer {text}"}

    def sit(self, *seats: int, key: str | None = None, **asked: Any) -> "Sitting":
        """Claim these seats, or all that are open; with `bot` a bot's, by the host."""
        wanted = seats or [seat["seat"] for seat in self.public()["seats"] if seat["kind"] == "open"]
        for seat in wanted:
            body = {"seat": seat, "name": f"Player {seat}", "join_code": self.join_code, **asked}
            if "bot" in asked:
                del body["name"]
            headers = self.auth("host") if "bot" in asked else {}
            if key is not None:
                headers["Idempotency-Key"] = key
            answer = self.client.post(f"{self.path}/seats", json=body, headers=headers)
            assert answer.status_code == 201, answer.text
            self.tokens[seat] = answer.json["token"]
        return self

    def public(self) -> Any:
        answer = self.client.get(self.path)
        assert answer.status_code == 200, answer.text
        return answer.json

    def state(self, seat: int) -> Any:
        answer = self.client.get(f"{self.path}/seats/{seat}/state", headers=self.auth(seat))
        assert answer.status_code == 200, answer.text
        return answer.json

    def ours(self) -> list[int]:
        """The seats that their players play."""
        left = [seat["seat"] for seat in self.public()["left"]]
        return [seat for seat, token in enumerate(self.tokens) if token is not None and seat not in left]

    def moves(self, seat: int) -> list[Any]:
        """The seat's legal moves, of the engine where the match does not list them."""
        answer = self.client.get(f"{self.path}/seats/{seat}/legal-moves", headers=self.auth(seat)).json
        if answer["moves"] is not None:
            listed: list[Any] = answer["moves"]
            return listed
        stored = self.site.table.store.load(self.match)
        assert stored is not None
        record = read_record(self.match, stored)
        found: list[Any] = msgspec.to_builtins(record.game.legal_moves(record.state, seat))
        return found

    def move(self, seat: int, move: Any, key: str | None = None) -> Any:
        """Make it, for certain. With a key the answer is noted, to be asked for again."""
        path, headers, body = f"{self.path}/seats/{seat}/moves", self.auth(seat), {"move": move}
        if key is not None:
            headers["Idempotency-Key"] = key
        answer = self.client.post(path, json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        if key is not None:
            self.asked.append(
                Asked(method="POST", path=path, token=seat, key=key, body=body, status=201, answer=answer.text)
            )
        return answer.json

    def play_on(
        self, rng: random.Random, moves: int | None = None, key: str | None = None, each: int = 1, pause_s: float = 0
    ) -> int:
        """Random moves of our seats, and whatever a worker does in between, until so many were made, or to the end.

        Gives how many were made. With `key` each so many-th of them has a key that begins so.
        """
        made = 0
        while moves is None or made < moves:
            self.site.pass_time(pause_s)
            self.site.work()
            now = self.public()
            if now["status"] != "playing":
                break
            movers = [seat for seat in self.ours() if self.state(seat)["to_move"].count(seat)]
            if not movers:
                continue
            seat = rng.choice(movers)
            own_key = f"{key} {made}" if key is not None and made % each == 0 else None
            self.move(seat, rng.choice(self.moves(seat)), own_key)
            made += 1
        return made

    def leave(self, seat: int) -> None:
        answer = self.client.delete(f"{self.path}/seats/{seat}", headers=self.auth(seat))
        assert answer.status_code == 200, answer.text

    def abort(self) -> None:
        answer = self.client.delete(self.path, headers=self.auth("host"))
        assert answer.status_code == 200, answer.text

    def rematch(self, seat: int) -> Any:
        answer = self.client.post(f"{self.path}/rematch", headers=self.auth(seat))
        assert answer.status_code == 201, answer.text
        return answer.json
