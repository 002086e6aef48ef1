"""Any requests to a match, in any order: every answer is the one that the model foretells.

After each step the public match and the whole feed are read and compared, so that nothing else happens.
"""

import random
import uuid
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from werkzeug.test import TestResponse

from engines import GAMES
from service.app import create_app
from service.settings import Settings
from tests.engines.walks import hooks_of
from tests.support.server import RedisServer
from tests.support.steady import steady
from tests.support.table_model import Refusal, TableModel, accepted, body_of

# Mostly the right one, for a match in which nobody may do anything tells little.
TOKENS = st.sampled_from(["right"] * 15 + ["host", "another seat's", "dead", "another match's", "none", "nonsense"])
KEYS = st.none() | st.sampled_from(["a", "b", "c d"])
HOLDERS = st.sampled_from(["right"] * 5 + ["host"] * 4 + ["another seat's", "dead", "none"])
SEATS = st.sampled_from([0, 1, 2] * 4 + [9])
NAMES = st.sampled_from(["Ada", "Bob", "Zoë 🂡"])
EXPECTED = st.sampled_from(["none", "none", "now", "now", "now", "before", "later"])


class AnyRequests(RuleBasedStateMachine):
    clients: list[FlaskClient]
    game_key: str

    @initialize(
        size=st.sampled_from([2, 2, 3]),
        seed=st.integers(0, 999),
        on_absent=st.sampled_from(["move", "move", "abort"]),
        host_can_abort=st.booleans(),
        policy=st.sampled_from(["full", "full", "count", "none"]),
        visibility=st.sampled_from(["listed", "unlisted"]),
        seated=st.sampled_from([True, True, True, True, False]),
    )
    def create(
        self, size: int, seed: int, on_absent: str, host_can_abort: bool, policy: str, visibility: str, seated: bool
    ) -> None:
        self.wish = {
            "seats": size,
            "seed": f"machine {seed}",
            "on_absent": on_absent,
            "host_can_abort": host_can_abort,
            "legal_moves": policy,
            "visibility": visibility,
        }
        self.creation, self.asked = uuid.uuid4().hex, 0
        self.root = f"/v1/games/{self.game_key}/matches"
        made = self.ask("POST", self.root, self.wish, key=self.creation)
        assert made.status_code == 201, made.data
        self.match, self.code = made.json["match"]["match"], made.json["join_code"]
        self.path = f"{self.root}/{self.match}"
        self.model = TableModel(
            game=GAMES[self.game_key],
            size=size,
            seed=f"machine {seed}",
            on_absent=on_absent,
            host_can_abort=host_can_abort,
            policy=policy,
            visibility=visibility,
            host=made.json["host_token"],
        )
        self.tags: dict[tuple[str, int | None], dict[int, str]] = {}
        other = self.ask("POST", self.root, {"seats": 2})
        self.strangers = other.json["host_token"]
        note(f"match {self.match}: {self.wish}")
        if seated:
            for seat in range(size):
                self.claim(seat, "Ada", None, "right", True)

    # -- asking -------------------------------------------------------------------------------------------------------

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, key: str | None = None, **more: str
    ) -> TestResponse:
        headers = {name.replace("_", "-"): value for name, value in more.items()}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        # What is read is read through one process, what is done through two others by turns: what they remember of the
        # match is nearly always behind.
        self.asked += method != "GET"
        client = self.clients[0 if method == "GET" else 1 + self.asked % 2]
        return client.open(path, method=method, json=body, headers=headers)

    def token(self, which: str, seat: int) -> str | None:
        """The token that is meant, for requests about this seat."""
        model = self.model
        another = (seat + 1) % model.size
        mine = model.seats[seat].token if seat < model.size else model.host
        return {
            "right": mine or "0" * 48,
            "host": model.host,
            "another seat's": model.seats[another].token or "1" * 48,
            "dead": model.dead[-1 - seat % len(model.dead)] if model.dead else "2" * 48,
            "another match's": self.strangers,
            "none": None,
            "nonsense": "nonsense",
        }[which]

    def refused(self, answer: TestResponse, refusal: Refusal) -> bool:
        """Whether it had to be refused; checks that it was, or was not."""
        if refusal is None:
            assert answer.status_code < 300, (answer.status_code, answer.data)
            return False
        assert (answer.status_code, answer.json["code"]) == refusal, answer.data
        return True

    def seat(self, number: int) -> int:
        """A seat of this match, or 9, which no match has."""
        return number if number == 9 else number % self.model.size

    # -- moves --------------------------------------------------------------------------------------------------------

    def post(self, seat: int, move: Any, which: str, expected: str, key: str | None) -> None:
        model, token = self.model, self.token(which, seat)
        version = {"none": None, "now": model.version, "before": max(0, model.version - 1), "later": model.version + 2}
        body = body_of(move, version[expected])
        refusal = model.refuse_move(seat, token, move, version[expected], key)
        answer = self.ask("POST", f"{self.path}/seats/{seat}/moves", body, token=token, key=key)
        if self.refused(answer, refusal):
            if refusal == (409, "stale_version"):
                assert answer.json["version"] == model.version
                assert facts(answer.json["events"]) == model.since(version[expected] or 0)[:100]
            return
        if key is not None and (seat, key) in model.move_keys:
            assert answer.data == model.move_keys[seat, key][1], "equal to the byte"
            assert answer.headers["Idempotent-Replayed"] == "true"
            return
        assert "Idempotent-Replayed" not in answer.headers
        before = len(model.feed)
        model.move(seat, move)
        assert answer.json == {
            "version": model.version,
            "events": answer.json["events"],
            "to_move": list(model.game.to_move(model.state)),
            "view": model.view(seat),
            "legal_moves": model.legal_moves(seat),
            "outcome": model.outcome,
        }
        assert facts(answer.json["events"]) == model.feed[before:]
        if key is not None:
            model.move_keys[seat, key] = (body, answer.data)

    @precondition(lambda self: self.model.to_move)
    @rule(choice=st.integers(0, 10_000), mover=SEATS, which=TOKENS, expected=EXPECTED, key=KEYS)
    def legal_move(self, choice: int, mover: int, which: str, expected: str, key: str | None) -> None:
        seat = self.model.to_move[mover % len(self.model.to_move)]
        legal = self.model.legal(seat)
        self.post(seat, legal[choice % len(legal)], which, expected, key)

    @precondition(lambda self: self.model.to_move)
    @rule(count=st.integers(1, 12), choice=st.integers(0, 10_000))
    def play_on(self, count: int, choice: int) -> None:
        for _ in range(count):
            if self.model.to_move:
                self.legal_move(choice, 0, "right", "now", None)

    @precondition(lambda self: self.model.to_move)
    @rule(choice=st.integers(0, 10_000), expected=EXPECTED, key=st.integers(0, 9))
    def legal_move_with_a_key(self, choice: int, expected: str, key: int) -> None:
        self.legal_move(choice, choice, "right", expected, f"key {key}")

    @precondition(lambda self: self.model.state is not None)
    @rule(seed=st.integers(0, 999), seat=SEATS, which=TOKENS, expected=EXPECTED, key=KEYS)
    def any_move(self, seed: int, seat: int, which: str, expected: str, key: str | None) -> None:
        rng = random.Random(seed)
        probes = hooks_of(self.model.game).probes(self.model.state, seat % self.model.size, rng)
        self.post(self.seat(seat), rng.choice(probes), which, expected, key)

    @precondition(lambda self: self.game_key == "wave" and self.model.status == "playing")
    @rule(seed=st.integers(0, 999), seat=SEATS, expected=EXPECTED, key=KEYS)
    def tip(self, seed: int, seat: int, expected: str, key: str | None) -> None:
        model, rng, seat = self.model, random.Random(seed), seat % self.model.size
        for move in hooks_of(model.game).probes(model.state, seat, rng):
            if move.__struct_config__.tag == "tip" and accepted(model.game, model.state, seat, move):
                self.post(seat, move, "right", expected, key)
                return

    @precondition(lambda self: self.model.move_keys)
    @rule(choice=st.integers(0, 99), same=st.booleans(), which=TOKENS)
    def send_a_move_again(self, choice: int, same: bool, which: str) -> None:
        model = self.model
        (seat, key), (body, data) = sorted(model.move_keys.items())[choice % len(model.move_keys)]
        sent = body if same else {**body, "expected_version": 77}
        token = self.token(which, seat)
        refusal = model.refuse_seat(seat, token) or (None if same else (422, "idempotency_mismatch"))
        answer = self.ask("POST", f"{self.path}/seats/{seat}/moves", sent, token=token, key=key)
        if not self.refused(answer, refusal):
            assert (answer.status_code, answer.data) == (201, data), "equal to the byte, whatever has happened since"
            assert answer.headers["Idempotent-Replayed"] == "true"

    @precondition(lambda self: self.model.status == "waiting")
    @rule(seat=SEATS, which=TOKENS, key=KEYS)
    def move_before_the_start(self, seat: int, which: str, key: str | None) -> None:
        moves = GAMES[self.game_key].moves
        bare = [move for move in moves if not move.__struct_fields__]
        move = bare[0]() if bare else moves[0](1)
        self.post(self.seat(seat), move, which, "now", key)

    # -- seats --------------------------------------------------------------------------------------------------------

    @rule(
        seat=st.none() | SEATS, name=NAMES, key=KEYS, which=TOKENS, with_code=st.sampled_from([True, True, True, False])
    )
    def claim(self, seat: int | None, name: str, key: str | None, which: str, with_code: bool) -> None:
        model = self.model
        body: dict[str, Any] = {"name": name} if seat is None else {"name": name, "seat": self.seat(seat)}
        if with_code and model.visibility == "unlisted":
            body["join_code"] = self.code
        self.send_claim(body, None if which == "right" else self.token(which, seat or 0), key)

    def send_claim(self, body: dict[str, Any], token: str | None, key: str | None) -> None:
        model = self.model
        refusal = model.refuse_claim(token, body, self.code, key)
        answer = self.ask("POST", f"{self.path}/seats", body, token=token, key=key)
        if self.refused(answer, refusal):
            return
        fresh = answer.json["token"]
        number, repeat = model.claim(body, key, fresh)
        assert answer.json == {"match": self.match, "seat": number, "token": fresh}
        assert answer.headers["Location"] == f"{self.path}/seats/{number}"
        assert (answer.headers.get("Idempotent-Replayed") == "true") == repeat

    @precondition(lambda self: self.model.claim_keys)
    @rule(choice=st.integers(0, 99), same=st.sampled_from([True, True, False]))
    def claim_again(self, choice: int, same: bool) -> None:
        key, (body, _, _) = sorted(self.model.claim_keys.items())[choice % len(self.model.claim_keys)]
        self.send_claim(body if same else {**body, "nonce": "another"}, None, key)

    @rule(seat=SEATS, which=HOLDERS)
    def leave(self, seat: int, which: str) -> None:
        seat = self.seat(seat)
        token = self.token(which, seat)
        refusal = self.model.refuse_leave(seat, token)
        answer = self.ask("DELETE", f"{self.path}/seats/{seat}", token=token)
        if not self.refused(answer, refusal):
            self.model.leave(seat)
            assert answer.json == self.ask("GET", self.path).json

    @rule(seat=SEATS, which=HOLDERS)
    def renew(self, seat: int, which: str) -> None:
        seat = self.seat(seat)
        token = self.token(which, seat)
        refusal = self.model.refuse_renew(seat, token)
        answer = self.ask("POST", f"{self.path}/seats/{seat}/token", token=token)
        if not self.refused(answer, refusal):
            by = "host" if self.model.who(token) == "host" else "seat"
            self.model.renew(seat, answer.json["token"], by)

    @rule(
        again=st.booleans(),
        which=st.sampled_from(["host", "host", "right", "dead", "none", "another match's"]),
        sure=st.sampled_from([False, False, False, True]),
    )
    def host(self, again: bool, which: str, sure: bool) -> None:
        if again:
            self.create_again(same=sure or which == "host")
        else:
            self.abort(which, sure)

    def abort(self, which: str, sure: bool) -> None:
        token = self.token(which, 0)
        refusal = self.model.refuse_abort(token)
        if refusal is None and not sure:  # little can happen afterwards
            return
        if not self.refused(self.ask("DELETE", self.path, token=token), refusal):
            self.model.abort()

    def create_again(self, same: bool) -> None:
        wish = self.wish if same else {**self.wish, "seats": 4}
        answer = self.ask("POST", self.root, wish, key=self.creation)
        if not self.refused(answer, None if same else (422, "idempotency_mismatch")):
            assert (answer.json["match"]["match"], answer.json["join_code"]) == (self.match, self.code)
            assert answer.headers["Idempotent-Replayed"] == "true"
            self.model.renew_host(answer.json["host_token"])

    # -- reading ------------------------------------------------------------------------------------------------------

    @rule(
        what=st.sampled_from(["a seat", "a seat", "as a spectator", "a page", "the replay"]),
        seat=SEATS,
        which=TOKENS,
        number=st.integers(0, 40),
        limit=st.integers(1, 20),
    )
    def read(self, what: str, seat: int, which: str, number: int, limit: int) -> None:
        match what:
            case "a seat":
                self.read_a_seat(seat, which)
            case "as a spectator":
                self.watch(which)
            case "a page":
                self.read_a_page(number, limit)
            case _:
                self.read_the_replay(seat, number)

    def read_a_seat(self, seat: int, which: str) -> None:
        seat = self.seat(seat)
        model, token = self.model, self.token(which, seat)
        refusal = model.refuse_seat(seat, token)
        path = f"{self.path}/seats/{seat}"
        state, legal = (
            self.ask("GET", f"{path}/state", token=token),
            self.ask("GET", f"{path}/legal-moves", token=token),
        )
        feed = self.ask("GET", f"{path}/events?include=state&limit=500", token=token)
        if [self.refused(answer, refusal) for answer in (state, legal, feed)] == [False] * 3:
            assert state.json == self.state(seat)
            assert legal.json == model.legal_moves(seat)
            assert feed.json["state"] == state.json
            assert feed.json["legal_moves"] == legal.json
            self.same_tag_while_nothing_happens(f"{path}/state", seat, state, token)
            self.same_tag_while_nothing_happens(f"{path}/legal-moves", seat, legal, token)

    def watch(self, which: str) -> None:
        model, token = self.model, None if which == "right" else self.token(which, 0)
        public = model.visibility == "listed" and token is None
        refusal = None if public or model.who(token) is not None else (401, "unauthenticated")
        state = self.ask("GET", f"{self.path}/state", token=token)
        if not self.refused(state, refusal):
            assert state.json == self.state(None)
            self.same_tag_while_nothing_happens(f"{self.path}/state", None, state, token)

    def state(self, viewer: int | None) -> Any:
        model = self.model
        return {
            "match": self.match,
            "seat": viewer,
            "version": model.version,
            "status": model.status,
            "to_move": model.to_move,
            "view": model.view(viewer),
            "outcome": model.outcome,
            "clock": None,
        }

    def same_tag_while_nothing_happens(
        self, path: str, viewer: int | None, answer: TestResponse, token: str | None
    ) -> None:
        """An ETag stands for one number of events and one viewer: it changes when, and only when, something happens."""
        tags = self.tags.setdefault((path.rpartition("/")[2], viewer), {})
        now, tag = len(self.model.feed), answer.headers["ETag"]
        assert tags.setdefault(now, tag) == tag
        assert len(set(tags.values())) == len(tags)
        again = self.ask("GET", path, token=token, If_None_Match=tag)
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        for seq, old in tags.items():
            if seq != now:
                assert self.ask("GET", path, token=token, If_None_Match=old).status_code == 200

    def read_a_page(self, after: int, limit: int) -> None:
        feed = self.model.feed
        page = self.ask("GET", f"{self.path}/events?after={after}&limit={limit}", token=self.model.host).json
        assert facts(page["events"]) == feed[after : after + limit]
        assert page["last"] == max(after, min(after + limit, len(feed)))
        assert page["more"] == (after + limit < len(feed))

    def read_the_replay(self, seat: int, version: int) -> None:
        model = self.model
        seat %= model.size
        replay = self.ask("GET", f"{self.path}/replay")
        knew = self.ask("GET", f"{self.path}/replay?seat={seat}&version={version}")
        if not model.over:
            assert self.refused(replay, (409, "match_not_finished"))
            assert self.refused(knew, (409, "match_not_finished"))
            return
        told = [(move["version"], move["seat"], move["move"], move["cause"]) for move in replay.json["moves"]]
        assert told == [(number, *move) for number, move in enumerate(model.moves, start=1)], "each once, in order"
        assert (replay.json["outcome"], replay.json["seed"]) == (model.outcome, model.seed)
        if not self.refused(knew, None if version <= model.version else (422, "invalid")):
            view = model.view(seat, version) if model.positions else None
            assert knew.json == {"match": self.match, "seat": seat, "version": version, "view": view}

    # -- always -------------------------------------------------------------------------------------------------------

    @precondition(lambda self: hasattr(self, "model"))
    @invariant()
    def of_every_seat_one_token_works_and_the_dead_stay_dead(self) -> None:
        tokens = [(seat, held.token, 200) for seat, held in enumerate(self.model.seats) if held.token is not None]
        tokens += [(0, dead, 401) for dead in self.model.dead[-2:]]
        for seat, token, status in tokens:
            assert self.ask("GET", f"{self.path}/seats/{seat}/legal-moves", token=token).status_code == status

    @precondition(lambda self: hasattr(self, "model"))
    @invariant()
    def everybody_is_told_what_has_happened_and_nothing_else(self) -> None:
        model = self.model
        public = self.ask("GET", self.path).json
        seats = [{"seat": n, "name": seat.name, "kind": seat.kind} for n, seat in enumerate(model.seats)]
        assert (public["status"], public["version"], public["to_move"], public["seats"], public["outcome"]) == (
            model.status,
            model.version,
            model.to_move,
            seats,
            model.outcome,
        )
        events: list[Any] = []
        while (page := self.ask("GET", f"{self.path}/events?after={len(events)}&limit=500", token=model.host).json)[
            "events"
        ]:
            events += page["events"]
        assert facts(events) == model.feed
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1)), "without a gap"
        versions, times = [event["version"] for event in events], [event["at"] for event in events]
        assert versions == sorted(versions)
        assert times == sorted(times)
        if model.over:
            self.read_the_replay(0, model.version // 2)


def facts(events: list[Any]) -> list[tuple[int, str, int | None, Any]]:
    """Events as the model keeps them: without their number and time."""
    return [(event["version"], event["type"], event["seat"], event["data"]) for event in events]


@pytest.fixture(scope="module")
def clients(shared_redis: RedisServer) -> list[FlaskClient]:
    """Of three processes on one store."""
    return [create_app(Settings(redis_url=shared_redis.url)).test_client() for _ in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(GAMES))
def test_any_requests_in_any_order_are_answered_as_the_contract_says(clients: list[FlaskClient], game: str) -> None:
    class Machine(AnyRequests):
        game_key = game

    Machine.clients = clients
    run_state_machine_as_test(Machine, settings=steady(examples=40, steps=40))
