"""Matches played at a person's pace while the test breaks things, and all that was answered meanwhile."""

import math
import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tests.support.play import Answer, Api, Playing
from tests.support.streaming import Stream

PACE_S = 0.15


@dataclass
class Asked:
    """One request: when it was answered (monotonic), and how."""

    at: float
    what: str
    answer: Answer


class _Told(msgspec.Struct):
    events: list[msgspec.Raw]


class AgainstBot(Playing):
    """A match in which a bot has the last seat."""

    def _sit(self, seat: int) -> str:
        if seat == 0:
            return super()._sit(seat)
        put = self.api.ask("POST", f"{self.path}/seats", {"bot": "random"}, token=self.host)
        assert put.status == 201, put
        return ""


@dataclass
class Paced:
    """One match, whose seats are all played, but for those of bots. `answers` has every answer there was."""

    api: Api
    match: Playing
    seed: int
    answers: list[Asked] = field(default_factory=list)
    acknowledged: dict[int, bytes] = field(default_factory=dict)
    """The body of each move that was answered 201, by its version."""
    streamed: list[bytes] = field(default_factory=list)
    over: bool = False

    def play(self, stop: threading.Event) -> None:
        """Play until told to stop, or the match is over. A 503 is asked again, a move with the same key."""
        rng = random.Random(self.seed)
        while not stop.wait(PACE_S) and not self.over:
            state = self._ask(stop, "state", "GET", "seats/0/state")
            if state is None:
                return
            self.over = state.json["status"] == "finished"
            for seat in state.json["to_move"]:
                if self.match.tokens[seat]:
                    self._move(stop, seat, rng)
                    break

    def read_on(self, url: str) -> None:
        """Keep a stream of all events until the match ends or is aborted."""
        self.streamed += Stream(url, f"{self.match.path}/events", self.match.tokens[0]).events()

    def since(self, moment: float) -> list[Asked]:
        """What was answered from then on."""
        return [asked for asked in self.answers if asked.at >= moment]

    def moves(self, since: float, until: float = math.inf) -> list[Asked]:
        """The moves that were acknowledged between two moments."""
        moves = [asked for asked in self.since(since) if asked.what == "move" and asked.answer.status == 201]
        return [asked for asked in moves if asked.at <= until]

    def acknowledged_events(self) -> set[bytes]:
        """The events of which answers told, as they stand in the feed."""
        return {
            bytes(event)
            for body in self.acknowledged.values()
            for event in msgspec.json.decode(body, type=_Told).events
        }

    def _move(self, stop: threading.Event, seat: int, rng: random.Random) -> None:
        listed = self._ask(stop, "legal moves", "GET", f"seats/{seat}/legal-moves", seat=seat)
        if listed is None or not listed.json["moves"]:
            return
        body = {"move": rng.choice(listed.json["moves"]), "expected_version": listed.json["version"]}
        answer = self._ask(stop, "move", "POST", f"seats/{seat}/moves", body, seat, rng.randbytes(8).hex())
        if answer is not None and answer.status == 201:
            self.acknowledged[answer.json["version"]] = answer.body
        elif answer is not None:
            assert answer.code in ("stale_version", "not_your_turn", "match_over"), answer

    def _ask(
        self,
        stop: threading.Event,
        what: str,
        method: str,
        path: str,
        body: Any = None,
        seat: int = 0,
        key: str | None = None,
    ) -> Answer | None:
        """The answer, once it is not 503; None if it is time to stop before."""
        while True:
            token = self.match.tokens[seat]
            answer = self.api.ask(method, f"{self.match.path}/{path}", body, token=token, key=key)
            self.answers.append(Asked(time.monotonic(), what, answer))
            if answer.status != 503:
                return answer
            if stop.wait(PACE_S):
                return None
