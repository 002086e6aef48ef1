"""Whoever plays a seat over HTTP as a careful client does: with keys, again after a refusal, from the feed alone."""

import http.client
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.play import Answer, Api


@dataclass
class Acknowledged:
    """A move that was answered 201."""

    seat: int
    version: int
    move: dict[str, Any]


@dataclass
class SeatPlayer:
    """Plays one seat at random. What was acknowledged is remembered, to be looked for afterwards, and how many moves
    were never answered before it was time to stop."""

    api: Api
    path: str
    seat: int
    token: str
    rng: random.Random
    acknowledged: list[Acknowledged] = field(default_factory=list)
    unanswered: int = 0
    over: bool = False

    def play(self, until: float, enough: Callable[[], bool] = lambda: False) -> None:
        """Play until the match is over, that moment (monotonic), or it is enough. Whatever breaks is tried again."""
        after = 0
        while not self.over and time.monotonic() < until and not enough():
            answer = self._ask("GET", f"events?include=state&after={after}&wait_s=2&limit=500", until)
            if answer is None or answer.status != 200:
                assert answer is None or answer.status == 503, answer
                continue
            after = answer.json["last"]
            self.over = answer.json["state"]["status"] in ("finished", "aborted")
            moves = answer.json["legal_moves"]
            while not self.over and moves["moves"] and time.monotonic() < until and not enough():
                moves = self._move(moves, until)

    def _move(self, listed: Any, until: float) -> Any:
        """Make one of these moves, and give what can be done then."""
        move, key = self.rng.choice(listed["moves"]), self.rng.randbytes(8).hex()
        body = {"move": move, "expected_version": listed["version"]}
        while True:
            answer = self._ask("POST", "moves", until, body, key)
            if answer is None:
                self.unanswered += 1
                return {"moves": []}
            if answer.status == 201:
                self.acknowledged.append(Acknowledged(self.seat, answer.json["version"], move))
                self.over = answer.json["outcome"] is not None
                return answer.json["legal_moves"]
            if answer.status == 503:
                time.sleep(0.05)
                continue
            assert answer.code in ("stale_version", "not_your_turn", "match_over"), answer
            return {"moves": []}

    def _ask(self, method: str, what: str, until: float, body: Any = None, key: str | None = None) -> Answer | None:
        """The answer; None if there was none before it is time to stop."""
        while time.monotonic() < until:
            try:
                return self.api.ask(method, f"{self.path}/seats/{self.seat}/{what}", body, token=self.token, key=key)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
        return None
