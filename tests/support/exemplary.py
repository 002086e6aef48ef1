"""The examples of the document, made by asking the service: a short story for each game, the same in every run."""

import itertools
import re
from typing import Any

from engines import GAMES
from tests.support.checked import checked_client
from tests.support.contract import bearer, begun, legal, play_first, to_move
from tests.support.failing import WAYS, Scene
from tests.support.playing import Match
from tests.support.server import RedisServer
from tests.support.steered import Steered

LASTS = 10
FEW_MOVES = 8


def examples(redis: RedisServer) -> dict[str, dict[str, Any]]:
    """By file (an operation's id, or `problems`): what stands in it. The server must be empty, and is written to."""
    found: dict[str, dict[str, Any]] = {"problems": problems(redis)}
    client = checked_client(redis, Steered("catalogue").edge())
    for operation, path in (("list_games", "/v1/games"), ("get_game", f"/v1/games/{next(iter(GAMES))}")):
        found[operation] = {"answer": client.get(path).json}
    waited = begun(client, "onda")
    seat = {"game": "onda", "match": waited.id, "seat": 0, "token": waited.tokens[0], "after": 5}
    request = {"seats": [seat], "wait_s": 30}
    found["wait"] = {"request": request, "answer": client.post("/v1/wait", json=request).json}
    for operation in ("livez", "readyz"):
        found[operation] = {"answer": client.get(f"/{operation}").json}
    for game in GAMES:
        with redis.client() as link:
            link.flushall()
        prefix = game.replace("-", "_")
        found |= {f"{prefix}_{operation}": example for operation, example in Story(redis, game).told.items()}
    return found


def problems(redis: RedisServer) -> dict[str, Any]:
    """By code: a real problem."""
    found = {code: way(Scene.on(redis, code)).json for code, way in WAYS.items()}
    # How long it took to get here is chance.
    found["rate_limited"]["detail"] = re.sub(r"\d+ s", "60 s", found["rate_limited"]["detail"])
    return found


class Story:
    """One match, from its creation to its end, and two that did not get so far. `told`: request and answer by name."""

    def __init__(self, redis: RedisServer, game: str) -> None:
        self.told: dict[str, dict[str, Any]] = {}
        self.game = game
        self.salt = self.lasting_deal(redis)
        with redis.client() as link:
            link.flushall()
        self.steered = Steered(self.salt)
        self.client = checked_client(redis, self.steered.edge())
        self.seats = max(2, GAMES[game].min_seats)
        self.match = self.begin()
        self.play()
        self.read()
        self.end()

    def lasting_deal(self, redis: RedisServer) -> str:
        """The first salt whose match goes on for some moves: some of Wave's are over at once."""
        for number in itertools.count():
            salt = f"{self.game} {number}"
            match = Match(checked_client(redis, Steered(salt).edge()), self.game, max(2, GAMES[self.game].min_seats))
            match.sit()
            if _lasts(match):
                return salt
        raise AssertionError

    def ask(self, operation: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """A request and its answer, told as this operation's example."""
        self.steered.ms += 1_500
        answer = self.client.open(path, method=method, json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        self.told[operation] = {"answer": answer.json} if body is None else {"request": body, "answer": answer.json}
        return answer.json

    def begin(self) -> Match:
        """Created, and everybody sits down."""
        match = Match.__new__(Match)
        wish = {"seats": self.seats, "host_can_abort": True}
        match.client, match.seats, match.tokens = self.client, self.seats, []
        match.made = self.ask("create_match", "POST", f"/v1/games/{self.game}/matches", wish)
        match.id = match.made["match"]["match"]
        match.path = f"/v1/games/{self.game}/matches/{match.id}"
        for name in ("Ana", "Bo", "Cy", "Di", "Eve")[: self.seats]:
            claim = {"name": name, "nonce": f"{name} shook the box"}
            match.tokens.append(self.ask("claim_seat", "POST", f"{match.path}/seats", claim)["token"])
        return match

    def play(self) -> None:
        """On to a position with few moves to choose from, and one of them is made."""
        match = self.match
        play_first(match, 4)
        while len(legal(match, to_move(match))) > FEW_MOVES:
            play_first(match, 1)
        seat = to_move(match)
        self.place = f"{match.path}/seats/{seat}"
        mine = bearer(match.tokens[seat])
        state = self.ask("get_state", "GET", f"{self.place}/state", **mine)
        moves = self.ask("get_legal_moves", "GET", f"{self.place}/legal-moves", **mine)
        move = {"move": moves["moves"][0], "expected_version": state["version"]}
        self.ask("post_move", "POST", f"{self.place}/moves", move, **mine)
        self.mine = mine

    def read(self) -> None:
        """What happened, from the seat and as a spectator."""
        last = len(self.client.get(f"{self.match.path}/events?limit=500").json["events"])
        news = f"after={last - 2}&include=state"
        self.ask("get_seat_events", "GET", f"{self.place}/events?{news}", **self.mine)
        self.ask("get_match_state", "GET", f"{self.match.path}/state")
        self.ask("get_match_events", "GET", f"{self.match.path}/events?limit=5")
        self.ask("renew_token", "POST", f"{self.place}/token", **self.mine)

    def end(self) -> None:
        """One match is aborted and replayed, one finishes because all resign, one waits."""
        self.ask("abort_match", "DELETE", self.match.path, **self.match.host)
        self.ask("get_replay", "GET", f"{self.match.path}/replay")
        finished = Match(self.client, self.game, self.seats).sit()
        for seat in range(self.seats):
            self.client.delete(f"{finished.path}/seats/{seat}", headers=finished.auth(seat))
        self.ask("get_match", "GET", finished.path)
        self.ask("rematch", "POST", f"{finished.path}/rematch", **finished.auth(0))
        left = Match(self.client, self.game, self.seats, on_absent="bot").sit()
        self.client.delete(f"{left.path}/seats/0", headers=left.auth(0))
        self.ask("take_over_seat", "POST", f"{left.path}/seats/0/takeover", **left.auth(0))
        waiting = Match(self.client, self.game, self.seats).sit(1)
        self.ask("leave_seat", "DELETE", f"{waiting.path}/seats/0", **waiting.auth(0))
        self.ask("list_matches", "GET", f"/v1/games/{self.game}/matches?limit=2")


def _lasts(match: Match) -> bool:
    """Whether ten first moves can be made, and one more."""
    for _ in range(LASTS):
        if not match.client.get(match.path).json["to_move"]:
            return False
        play_first(match, 1)
    return bool(match.client.get(match.path).json["to_move"])
