"""Playing over HTTP as any client does: requests, and a match with its tokens at hand."""

import http.client
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")

LONG = {2: "long 58", 3: "long 47"}
"""For so many seats, a deal with which even Wave runs for fifty moves when the first legal move is always made."""


@dataclass(frozen=True)
class Answer:
    """One answer, and how long it took."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    took_s: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The code of a refusal, None of an answer."""
        return self.json["code"] if self.status >= 400 else None

    @property
    def replayed(self) -> bool:
        return self.headers.get("Idempotent-Replayed") == "true"

    def __repr__(self) -> str:
        return f"<{self.status} {dict(self.headers)} {self.body[:600]!r} in {self.took_s:.2f} s>"


def send(url: str, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """A request just as it is given, on a connection of its own; an iterable body is sent in chunks."""
    line, begun = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30), time.monotonic()
    try:
        line.request(method, path, body, headers, encode_chunked=not isinstance(body, bytes | None))
        answer = line.getresponse()
        return Answer(answer.status, answer.headers, answer.read(), time.monotonic() - begun)
    finally:
        line.close()


def headers_of(body: Any, token: str | None, key: str | None) -> dict[str, str]:
    """The headers of a request with this body, token and idempotency key, each of which may be missing."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if key is not None:
        headers["Idempotency-Key"] = key
    return headers


class Api:
    """A running service. Every request goes over a connection of its own, so it may be called from many threads."""

    def __init__(self, url: str) -> None:
        self._place = urlsplit(url).netloc

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, key: str | None = None
    ) -> Answer:
        headers = headers_of(body, token, key)
        line = http.client.HTTPConnection(self._place, timeout=30)
        begun = time.monotonic()
        try:
            line.request(method, path, None if body is None else json.dumps(body), headers)
            answer = line.getresponse()
            return Answer(answer.status, answer.headers, answer.read(), time.monotonic() - begun)
        finally:
            line.close()

    def get(self, path: str, *, token: str | None = None) -> Answer:
        return self.ask("GET", path, token=token)


class Playing:
    """A match that everybody sits at, with all its tokens, by default a long one. `tokens[n]` is seat n's."""

    def __init__(self, api: Api, game: str, seats: int = 2, **asked: Any) -> None:
        self.api = api
        made = api.ask("POST", f"/v1/games/{game}/matches", {"seats": seats, "seed": LONG.get(seats), **asked})
        assert made.status == 201, made
        self.match: str = made.json["match"]["match"]
        self.host: str = made.json["host_token"]
        self.path = f"/v1/games/{game}/matches/{self.match}"
        self.tokens = [self._sit(seat) for seat in range(seats)]

    def _sit(self, seat: int) -> str:
        claimed = self.api.ask("POST", f"{self.path}/seats", {"name": f"Seat {seat}", "seat": seat}, token=self.host)
        assert claimed.status == 201, claimed
        token: str = claimed.json["token"]
        return token

    def public(self) -> Any:
        return self.api.get(self.path).json

    def state(self, seat: int = 0) -> Answer:
        return self.api.get(f"{self.path}/seats/{seat}/state", token=self.tokens[seat])

    def turn(self) -> tuple[int, int, Any]:
        """(seat, version, move): the first legal move of the first seat that is to move."""
        seat = self.public()["to_move"][0]
        listed = self.api.get(f"{self.path}/seats/{seat}/legal-moves", token=self.tokens[seat]).json
        return seat, listed["version"], listed["moves"][0]

    def move(self, seat: int, move: Any, version: int | None = None, key: str | None = None) -> Answer:
        body = {"move": move} if version is None else {"move": move, "expected_version": version}
        return self.api.ask("POST", f"{self.path}/seats/{seat}/moves", body, token=self.tokens[seat], key=key)

    def step(self) -> Answer:
        """Make that move, for certain."""
        seat, version, move = self.turn()
        played = self.move(seat, move, version)
        assert played.status == 201, played
        return played

    def events(self) -> list[Any]:
        """The whole feed."""
        found: list[Any] = self.api.get(f"{self.path}/events?limit=500", token=self.host).json["events"]
        return found

    def tips(self, seat: int, count: int) -> list[Any]:
        """So many different tips of Wave that this seat may give."""
        says = ("can_play", "cannot_play", "should_play", "should_not_play")
        hands = self.state(seat).json["view"]["hands"]
        cards = [card["card"] for hand in hands for card in hand["cards"]]
        return [{"type": "tip", "about": card, "says": said} for said in says for card in cards][:count]


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The answers to calls that are all made at the same time, in their order."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [waiting.result() for waiting in [pool.submit(call) for call in calls]]
