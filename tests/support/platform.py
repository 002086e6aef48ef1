"""A platform that has matches, and the worker's side of its webhooks, on a clock that a test moves."""

import itertools
import time
from collections.abc import Sequence
from typing import Any

from flask.testing import FlaskClient

from service.settings import Settings
from service.table.edge import Edge
from service.table.table import Table
from service.wiring import open_table
from service.worker.hooks import HOLD_MARGIN_MS, Teller
from service.worker.post import Post, Resolve
from service.worker.rooms import Rooms
from tests.support.checked import checked_client
from tests.support.server import RedisServer

_numbers = itertools.count()


def leading_to(*addresses: str) -> Resolve:
    """A resolver that knows one answer, whatever it is asked."""

    def resolve(_host: str, _port: int) -> Sequence[str]:
        return addresses

    return resolve


class Moved:
    """A clock that runs, and can be put ahead."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self.ahead_ms

    def pass_s(self, seconds: float) -> None:
        self.ahead_ms += round(1000 * seconds)


class Match:
    """A match with a webhook, made over HTTP. `made` is the answer to its creation."""

    def __init__(self, client: FlaskClient, url: str, game: str = "onda", **asked: Any) -> None:
        self.client = client
        wanted = {"url": url, "events": asked.pop("events", [])}
        key = f"made {next(_numbers)} {time.time_ns()}"
        self.asked = {
            "path": f"/v1/games/{game}/matches",
            "json": {"seats": 2, "seed": "a hook", "webhook": wanted, **asked},
            "headers": {"Idempotency-Key": key},
        }
        answer = client.post(**self.asked)
        assert answer.status_code == 201, answer.json
        self.made: Any = answer.json
        self.id: str = self.made["match"]["match"]
        self.secret: str = self.made["webhook_secret"]
        self.path = f"/v1/games/{game}/matches/{self.id}"
        self.tokens: list[str] = []

    def sit(self, *names: str) -> "Match":
        """Fill seats: two of them start it."""
        for name in names:
            answer = self.client.post(f"{self.path}/seats", json={"name": name})
            assert answer.status_code == 201, answer.json
            self.tokens.append(answer.json["token"])
        return self

    def move(self) -> None:
        """The first legal move of whoever is to move."""
        seat = self.public()["to_move"] or [
            number for number in range(2) if self._ask("GET", f"/seats/{number}/legal-moves", number)["moves"]
        ]
        moves = self._ask("GET", f"/seats/{seat[0]}/legal-moves", seat[0])["moves"]
        self._ask("POST", f"/seats/{seat[0]}/moves", seat[0], {"move": moves[0]})

    def abort(self) -> None:
        answer = self.client.delete(self.path, headers={"Authorization": f"Bearer {self.made['host_token']}"})
        assert answer.status_code == 200, answer.json

    def public(self) -> Any:
        return self.client.get(self.path).json

    def feed(self) -> list[Any]:
        """What spectators see of it now."""
        events: list[Any] = self.client.get(f"{self.path}/events?limit=500").json["events"]
        return events

    def _ask(self, method: str, path: str, seat: int, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[seat]}"}
        answer = self.client.open(f"{self.path}{path}", method=method, json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.json
        return answer.json


class Platform:
    """A service with its clock, and a teller that a test calls as a worker would."""

    def __init__(self, redis: RedisServer, timeout_s: float = 5.0, **settings: Any) -> None:
        self.clock = Moved()
        self.edge = Edge(now_ms=self.clock.now_ms)
        settings = {"webhook_private_addresses": True, "webhook_timeout_s": timeout_s, **settings}
        self.settings = Settings(redis_url=redis.url, **settings)
        self.client = checked_client(redis, self.edge, **settings)
        self.table: Table = open_table(self.settings, self.edge)
        self.teller = self.new_teller()

    def new_teller(self, **post: Any) -> Teller:
        """A worker of its own."""
        made = Post(self.settings.webhook_timeout_s, self.settings.webhook_private_addresses, lookups=4, **post)
        return Teller(made, Rooms(16), round(1000 * self.settings.webhook_timeout_s) + HOLD_MARGIN_MS)

    def match(self, url: str, **asked: Any) -> Match:
        return Match(self.client, url, **asked)

    def tell(self, match: Match) -> int | None:
        """What a worker does that looks at the match now: in how many milliseconds to look again."""
        next_ms = self.teller.tell(self.table, match.id)
        return None if next_ms is None else next_ms - self.clock.now_ms()

    def tell_all(self, match: Match) -> None:
        """As often as there is more at once."""
        while (next_ms := self.tell(match)) is not None:
            assert next_ms <= 0, f"something failed: the next attempt is in {next_ms} ms"
