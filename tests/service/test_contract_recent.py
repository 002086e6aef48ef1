"""Two processes on one store, each remembering matches as it last saw them: neither ever answers by what is behind."""

import multiprocessing
import random
import sys
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from engines.kit.game import Game
from service.store.port import Stored
from service.table.edge import Edge
from service.table.recent import Recent
from service.table.records import Live, Record
from service.table.shared import ENTRY_BYTES, Shared
from tests.support.checked import checked_client
from tests.support.contract import begun, legal, play_first, to_move
from tests.support.play import at_once
from tests.support.playing import Match
from tests.support.refusals import refused
from tests.support.server import RedisServer


@pytest.fixture(scope="module")
def here(shared_redis: RedisServer) -> FlaskClient:
    return checked_client(shared_redis)


@pytest.fixture(scope="module")
def elsewhere(shared_redis: RedisServer) -> FlaskClient:
    return checked_client(shared_redis)


def through(client: FlaskClient, match: Match) -> Match:
    """The same match, asked for through another process."""
    same = object.__new__(Match)
    same.__dict__ = {**match.__dict__, "client": client}
    return same


def turn(match: Match) -> tuple[int, dict[str, Any]]:
    seat = to_move(match)
    return seat, legal(match, seat)[0]


def test_moves_through_two_processes_by_turns_are_all_played(
    here: FlaskClient, elsewhere: FlaskClient, game: Game
) -> None:
    match = begun(here, game)
    both, rng = [match, through(elsewhere, match)], random.Random(5)
    for version in range(12):
        seat, move = turn(rng.choice(both))
        answer = rng.choice(both).move(seat, move)
        assert (answer.status_code, answer.json["version"]) == (201, version + 1), "seed 5"
    assert [asked.seat(0, "state") for asked in both] == [match.seat(0, "state")] * 2


def test_what_is_behind_refuses_nothing(here: FlaskClient, elsewhere: FlaskClient, game: Game) -> None:
    match = begun(here, game)
    play_first(through(elsewhere, match), 1)
    seat, move = turn(through(elsewhere, match))
    assert match.move(seat, move, expected_version=1).status_code == 201, "as seen from here it was another's turn"


def test_a_move_for_a_version_that_has_passed_elsewhere_is_stale_and_told_why(
    here: FlaskClient, elsewhere: FlaskClient, game: Game
) -> None:
    match = begun(here, game)
    seat, move = turn(match)
    assert through(elsewhere, match).move(seat, move).status_code == 201
    body = refused(match.move(seat, move, expected_version=0), 409, "stale_version")
    assert body["version"] == 1
    assert {event["version"] for event in body["events"]} == {1}


def test_a_token_that_was_renewed_elsewhere_opens_nothing_here(
    here: FlaskClient, elsewhere: FlaskClient, game: Game
) -> None:
    match = begun(here, game)
    seat, move = turn(match)
    renewed = elsewhere.post(f"{match.path}/seats/{seat}/token", headers=match.auth(seat))
    assert renewed.status_code == 201
    refused(match.move(seat, move), 401, "unauthenticated")
    refused(
        here.post(f"{match.path}/seats/{seat}/moves", json={"no": "move"}, headers=match.auth(seat)),
        401,
        "unauthenticated",
    )
    match.tokens[seat] = renewed.json["token"]
    assert match.move(seat, move).status_code == 201


def test_a_match_that_was_aborted_elsewhere_is_over_here(here: FlaskClient, elsewhere: FlaskClient, game: Game) -> None:
    match = begun(here, game, host_can_abort=True)
    seat, move = turn(match)
    assert elsewhere.delete(match.path, headers=match.host).status_code == 200
    refused(match.move(seat, move), 409, "match_over")


def test_a_match_that_is_gone_is_unknown_here_too(here: FlaskClient, shared_redis: RedisServer, game: Game) -> None:
    match = begun(here, game)
    seat, move = turn(match)
    with shared_redis.client() as client:
        client.delete(*client.scan_iter(f"sb:*{match.id}*", count=1000))
    refused(match.move(seat, move), 404, "unknown_match")
    with shared_redis.client() as client:
        assert list(client.scan_iter(f"sb:{{{match.id}}}*", count=1000)) == [], "and is not brought back"


def test_a_key_that_was_used_elsewhere_is_used_up_here(here: FlaskClient, elsewhere: FlaskClient, game: Game) -> None:
    match, key = begun(here, game), {"Idempotency-Key": uuid4().hex}
    seat, move = turn(match)
    first = through(elsewhere, match).move(seat, move, key)
    again = match.move(seat, move, key)
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert here.get(match.path).json["version"] == 1
    refused(match.move(seat, move, key, expected_version=0), 422, "idempotency_mismatch")


def test_a_match_of_another_game_is_not_found_although_it_is_remembered(here: FlaskClient) -> None:
    match = begun(here, "onda")
    seat, move = turn(match)
    path = match.path.replace("/onda/", "/wave/")
    answer = here.post(f"{path}/seats/{seat}/moves", json={"move": {"type": "pass"}}, headers=match.auth(seat))
    refused(answer, 404, "unknown_match")
    assert match.move(seat, move).status_code == 201


def test_a_seat_that_moves_too_fast_is_told_when_to_go_on(shared_redis: RedisServer) -> None:
    clock = [1_700_000_000_123]
    client = checked_client(shared_redis, Edge(now_ms=lambda: clock[0]), moves_per_minute=2)
    match = begun(client, "onda")
    made = {0: 0, 1: 0}
    while made[seat := to_move(match)] < 2:
        assert match.move(seat, legal(match, seat)[0]).status_code == 201
        made[seat] += 1
    version = client.get(match.path).json["version"]
    _, move = turn(match)
    answer = match.move(seat, move)
    body = refused(answer, 429, "rate_limited")
    assert (body["limit"], answer.headers["Retry-After"]) == ("moves", "40"), "the minute ends at …020 s"
    assert client.get(match.path).json["version"] == version
    clock[0] += 40_000
    assert match.move(seat, move).status_code == 201


def test_a_move_is_refused_for_what_it_is_before_it_is_for_coming_too_fast(shared_redis: RedisServer) -> None:
    client = checked_client(shared_redis, moves_per_minute=1)
    match = begun(client, "onda")
    while match.move(seat := to_move(match), legal(match, seat)[0]).status_code == 201:
        pass
    refused(match.move(1 - seat, {"type": "pass"}), 409, "not_your_turn")
    refused(match.move(seat, {"type": "nothing"}), 422, "invalid")


def test_the_longest_unseen_is_let_go_of() -> None:
    recent = Recent(2)

    def record(match: str) -> Record:
        live = Live(status="playing", version=1, seq=1)
        return Record(match, None, b"", None, live)  # only its name matters

    for match in ("a", "b", "a", "c"):
        recent.put(record(match))
    assert [recent.get(match) is not None for match in ("a", "b", "c")] == [True, False, True]
    recent.forget("a")
    recent.forget("never seen")
    assert recent.get("a") is None
    nothing = Recent(0)
    nothing.put(record("a"))
    assert nothing.get("a") is None


def test_threads_may_share_what_is_remembered() -> None:
    recent, failed = Recent(2), []
    records = [Record(str(number), None, b"", None, None) for number in range(100)]

    def use(first: int) -> None:
        try:
            for number in range(50_000):
                recent.put(records[(first + 7 * number) % 100])
                recent.forget(records[3 * number % 100].match)
        except RuntimeError as failure:
            failed.append(failure)

    was = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        at_once([partial(use, first) for first in range(4)])
    finally:
        sys.setswitchinterval(was)
    assert failed == []


@pytest.fixture
def two(empty_redis: RedisServer) -> tuple[FlaskClient, FlaskClient]:
    """Two processes of one server."""
    shared = Shared(1_000)
    return checked_client(empty_redis, shared=shared), checked_client(empty_redis, shared=shared)


def test_processes_of_one_server_move_in_one_trip_after_each_other(
    two: tuple[FlaskClient, FlaskClient], empty_redis: RedisServer, game: Game
) -> None:
    match = begun(two[0], game)
    both = [match, through(two[1], match)]
    with empty_redis.client() as redis:
        for version in range(6):
            seat, move = turn(match)
            redis.config_resetstat()
            assert both[version % 2].move(seat, move).json["version"] == version + 1
            calls = {name: stat["calls"] for name, stat in redis.info("commandstats").items()}
            assert calls["cmdstat_hmget"] == calls["cmdstat_evalsha"] == 1, "the script's own look, and no other"


def test_what_processes_share_is_told_once_and_whole() -> None:
    shared = Shared(10)
    first, second = (Stored(write, b"head", write + b" live") for write in (b"write id one", b"write id two"))
    assert shared.get("m", b"", -1) is None
    shared.put("m", 7, first)
    assert shared.get("m", b"", -1) == shared.get("m", b"another", 6) == first
    assert shared.get("m", first.write, 7) is None, "known"
    assert shared.get("m", b"another", 7) is None, "not newer than what is known"
    shared.put("m", 8, second)
    assert shared.get("m", first.write, 7) == second


def test_what_is_half_written_is_not_there() -> None:
    shared, whole = Shared(1), Stored(b"write id one", b"h" * 300, b"l" * 200)
    memory = shared._memory
    assert memory is not None
    shared.put("m", 1, whole)
    entry = memory[: len(memory)]
    shared.put("m", 2, Stored(b"write id two", b"H" * 310, b"L" * 200))
    for cut in range(1, 540, 7):
        torn = Shared(1)
        assert torn._memory is not None
        torn._memory[:] = memory[:cut] + entry[cut:]
        assert torn.get("m", b"", -1) is None, f"written as far as byte {cut}"


def test_two_matches_in_one_place_drive_each_other_out_and_what_is_too_long_is_not_shared() -> None:
    shared, stored = Shared(1), Stored(b"write id one", b"head", b"live")
    shared.put("a", 1, stored)
    shared.put("b", 1, stored)
    assert (shared.get("a", b"", -1), shared.get("b", b"", -1)) == (None, stored)
    shared.put("b", 2, Stored(b"write id two", b"h" * ENTRY_BYTES, b"live"))
    assert shared.get("b", b"", -1) == stored
    nothing = Shared(0)
    nothing.put("a", 1, stored)
    assert nothing.get("a", b"", -1) is None


def test_processes_that_are_forked_share_it() -> None:
    shared, stored = Shared(10), Stored(b"write id one", b"head", b"live")
    child = multiprocessing.get_context("fork").Process(target=shared.put, args=("m", 1, stored))
    child.start()
    child.join()
    assert shared.get("m", b"", -1) == stored


def test_what_cannot_be_read_is_passed_over() -> None:
    shared, recent = Shared(10), Recent(10, Shared(0))
    shared.put("m", 1, Stored(b"write id one", b"no head", b"no live"))
    assert Recent(10, shared).get("m") is None
    assert recent.get("m") is None
