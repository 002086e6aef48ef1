"""Every way to fail, by its code: requests to a real service that are refused, and faults that it meets."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from flask.testing import FlaskClient

from tests.support.checked import checked_client
from tests.support.contract import bearer, begun, legal, play_first, to_move
from tests.support.playing import Match
from tests.support.server import RedisServer
from tests.support.steered import Steered

KEY = {"Idempotency-Key": str(UUID(int=0x5E7_0F_CA12D5))}
STORE_TIMEOUT_S = 0.3


@dataclass
class Scene:
    """A service whose time and chance are steered, on a Redis server of its own, and another one beside it."""

    redis: RedisServer
    steered: Steered
    client: FlaskClient

    @cached_property
    def undisturbed(self) -> FlaskClient:
        """A client of the service beside it."""
        return checked_client(self.redis, Steered(f"beside {self.steered.salt}").edge())

    @classmethod
    def on(cls, redis: RedisServer, salt: str) -> "Scene":
        """Scenes of different salts have different matches on one server."""
        steered = Steered(salt)
        return cls(redis, steered, checked_client(redis, steered.edge(), store_timeout_s=STORE_TIMEOUT_S))

    def wave(self, **wish: Any) -> Match:
        """A match of Wave in play."""
        return begun(self.client, "wave", **wish)


def not_found(scene: Scene) -> Any:
    return scene.client.get("/v1/cards")


def method_not_allowed(scene: Scene) -> Any:
    return scene.client.put("/v1/games/wave/matches")


def too_large(scene: Scene) -> Any:
    return scene.client.post("/v1/games/wave/matches", data=b" " * 70_000, content_type="application/json")


class Dripping(io.RawIOBase):
    """A body that does not come in time, as the web server tells it."""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        raise TimeoutError


def too_slow(scene: Scene) -> Any:
    late = {"wsgi.input": Dripping()}
    return scene.client.post("/v1/games/wave/matches", content_type="application/json", environ_overrides=late)


def unsupported_media_type(scene: Scene) -> Any:
    return scene.client.post("/v1/games/wave/matches", data="seats=2", content_type="application/x-www-form-urlencoded")


def rate_limited(scene: Scene) -> Any:
    match = Match(scene.client, "wave", 2, visibility="unlisted")
    for _ in range(10):
        scene.client.get(f"{match.path}/state", headers=bearer("WRONG123"))
    return scene.client.get(f"{match.path}/state", headers=bearer("WRONG123"))


def malformed(scene: Scene) -> Any:
    return scene.client.post("/v1/games/wave/matches", data='{"seats": 2', content_type="application/json")


def unknown_game(scene: Scene) -> Any:
    return scene.client.get("/v1/games/chess")


def unknown_match(scene: Scene) -> Any:
    return scene.client.get("/v1/games/wave/matches/000000000000000000000000")


def unknown_seat(scene: Scene) -> Any:
    match = scene.wave()
    return scene.client.get(f"{match.path}/seats/2/state", headers=match.auth(0))


def unauthenticated(scene: Scene) -> Any:
    return scene.client.get(f"{scene.wave().path}/seats/0/state")


def wrong_seat(scene: Scene) -> Any:
    match = scene.wave()
    return scene.client.get(f"{match.path}/seats/0/state", headers=match.auth(1))


def invalid(scene: Scene) -> Any:
    return scene.client.post("/v1/games/onda/matches", json={"seats": 3, "options": {"rounds": 5}})


def wrong_join_code(scene: Scene) -> Any:
    match = Match(scene.client, "wave", 2, visibility="unlisted")
    return scene.client.post(f"{match.path}/seats", json={"name": "Ana"})


def host_only(scene: Scene) -> Any:
    match = Match(scene.client, "wave", 2).sit(1)
    return scene.client.delete(match.path, headers=match.auth(0))


def idempotency_mismatch(scene: Scene) -> Any:
    match = scene.wave()
    seat = to_move(match)
    move = legal(match, seat)[0]
    match.move(seat, move, KEY)
    return match.move(seat, move, KEY, expected_version=1)


def match_waiting(scene: Scene) -> Any:
    match = Match(scene.client, "onda", 2).sit(1)
    return match.move(0, {"type": "pass"})


def match_started(scene: Scene) -> Any:
    return scene.client.post(f"{scene.wave().path}/seats", json={"name": "Zoe"})


def match_over(scene: Scene) -> Any:
    match = scene.wave(host_can_abort=True)
    scene.client.delete(match.path, headers=match.host)
    return match.move(0, {"type": "play", "card": 2})


def match_not_finished(scene: Scene) -> Any:
    return scene.client.get(f"{scene.wave().path}/replay")


def seat_taken(scene: Scene) -> Any:
    match = Match(scene.client, "wave", 3).sit(1)
    return scene.client.post(f"{match.path}/seats", json={"name": "Bo", "seat": 0})


def stale_version(scene: Scene) -> Any:
    match = scene.wave()
    play_first(match, 2)
    seat = to_move(match)
    return match.move(seat, legal(match, seat)[0], expected_version=1)


def seat_given_up(scene: Scene) -> Any:
    match = begun(scene.client, "onda", takeover=False, on_absent="bot")
    scene.client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    return scene.client.post(f"{match.path}/seats/0/takeover", headers=match.auth(0))


def not_your_turn(scene: Scene) -> Any:
    match = scene.wave()
    return match.move(1, {"type": "play", "card": 5})


def illegal_move(scene: Scene) -> Any:
    return scene.wave().move(0, {"type": "play", "card": 1})


def draining(scene: Scene) -> Any:
    scene.client.application.extensions["shorebreak.readiness"].watch(lambda: True)
    return scene.client.get("/readyz")


def store_unavailable(scene: Scene) -> Any:
    nowhere = checked_client(f"unix://{scene.redis.home}/nobody-listens-here")
    return nowhere.get("/v1/games/wave/matches/000000000000000000000000")


def busy(scene: Scene) -> Any:
    """Somebody else writes to the match whenever this move is about to be stored."""
    match = begun(scene.client, "wave")
    theirs = Match.__new__(Match)
    theirs.__dict__.update(match.__dict__, client=scene.undisturbed)
    card = match.seat(1, "state")["view"]["hands"][0]["cards"][0]["card"]
    move = legal(match, 0)[0]
    scene.steered.meanwhile = lambda: theirs.move(1, {"type": "tip", "about": card, "says": "should_play"})
    return match.move(0, move)


def outcome_unknown(scene: Scene) -> Any:
    """The store goes silent between reading the match and writing the move."""
    match = scene.wave()
    move = legal(match, 0)[0]
    scene.steered.meanwhile = scene.redis.freeze
    try:
        return match.move(0, move)
    finally:
        scene.redis.thaw()


def match_unreadable(scene: Scene) -> Any:
    match = scene.wave()
    with scene.redis.client() as client:
        client.hset(f"sb:{{{match.id}}}", "head", b"damage")
    return match.client.get(match.path)


def internal(scene: Scene) -> Any:
    """Something breaks that never should."""
    match = scene.wave()
    move = legal(match, 0)[0]

    def broken() -> None:
        raise ZeroDivisionError("a sentence for the log alone")

    scene.steered.meanwhile = broken
    return match.move(0, move)


WAYS: dict[str, Callable[[Scene], Any]] = {
    way.__name__: way
    for way in (
        not_found, method_not_allowed, too_large, too_slow, unsupported_media_type, rate_limited, malformed,
        unknown_game, unknown_match, unknown_seat, unauthenticated, wrong_seat, invalid, wrong_join_code, host_only,
        idempotency_mismatch, match_waiting, match_started, match_over, match_not_finished, seat_taken, stale_version,
        seat_given_up, not_your_turn, illegal_move, draining, store_unavailable, busy, outcome_unknown,
        match_unreadable, internal,
    )
}  # fmt: skip
"""By code, in the order in which a request is judged."""
