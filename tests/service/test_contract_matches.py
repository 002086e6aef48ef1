"""Matches: create, list, look at, abort, as the contract words them."""

import itertools
import random
import re
from typing import Any
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from engines.kit.game import Game
from service.table.edge import Edge
from tests.support.checked import checked_client
from tests.support.contract import bearer, begun, few, waiting
from tests.support.playing import Match
from tests.support.refusals import refused
from tests.support.server import RedisServer

SEED = 20_261_130
RFC3339_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
PUBLIC = {
    "match", "game", "status", "options", "seats", "version", "to_move", "clock", "on_absent", "host_can_abort",
    "legal_moves", "fixed_deal", "commitment", "outcome", "created_at", "started_at", "finished_at", "visibility",
    "takeover", "spectators", "webhook", "left", "rematch",
}  # fmt: skip


# Creating


def test_creating_answers_201_with_location_match_host_token_and_join_code(client: FlaskClient, game: Game) -> None:
    answer = client.post(f"/v1/games/{game.key}/matches", json={"seats": few(game)})
    assert answer.status_code == 201
    assert set(answer.json) == {"match", "host_token", "join_code"}
    assert answer.headers["Location"] == f"/v1/games/{game.key}/matches/{answer.json['match']['match']}"
    assert client.get(answer.headers["Location"]).json == answer.json["match"]


def test_tokens_have_128_random_bits_match_ids_96_and_join_codes_40(client: FlaskClient) -> None:
    made = [Match(client, "wave", 2).sit() for _ in range(3)]
    hexadecimal = re.compile(r"[0-9a-f]+")
    for match in made:
        assert len(match.id) * 4 >= 96
        assert hexadecimal.fullmatch(match.id)
        for token in (*match.tokens, match.made["host_token"]):
            assert len(token) * 4 >= 128
            assert hexadecimal.fullmatch(token)
        assert len(match.made["join_code"]) * 5 >= 40
    secrets = [text for match in made for text in (match.id, match.made["host_token"], match.made["join_code"])]
    assert len(set(secrets)) == len(secrets)


def test_a_new_match_is_as_it_was_asked_for(client: FlaskClient, game: Game) -> None:
    wish: dict[str, Any] = {
        "on_absent": "abort",
        "host_can_abort": True,
        "legal_moves": "count",
        "visibility": "unlisted",
    }
    made = Match(client, game.key, few(game), options={}, **wish).made["match"]
    assert set(made) == PUBLIC
    assert {name: made[name] for name in wish} == wish
    assert made["game"] == game.key
    assert made["status"] == "waiting"
    assert set(made["options"]) == set(game.options.__struct_fields__)
    assert made["seats"] == [{"seat": n, "name": None, "kind": "open"} for n in range(few(game))]
    assert (made["version"], made["to_move"], made["clock"], made["outcome"]) == (0, [], None, None)
    assert RFC3339_UTC.fullmatch(made["created_at"])
    assert (made["started_at"], made["finished_at"]) == (None, None)


def test_what_is_not_asked_for_has_its_default(client: FlaskClient, game: Game) -> None:
    made = Match(client, game.key, few(game)).made["match"]
    told = client.get(f"/v1/games/{game.key}").json["options"]["properties"]
    assert made["options"] == {name: option["default"] for name, option in told.items()}
    assert (made["visibility"], made["on_absent"]) == ("listed", "move")
    assert (made["host_can_abort"], made["legal_moves"], made["fixed_deal"]) == (False, "full", False)


def test_as_many_seats_as_the_catalogue_says(client: FlaskClient, game: Game) -> None:
    path = f"/v1/games/{game.key}/matches"
    for seats in range(few(game), game.max_seats + 1):
        assert client.post(path, json={"seats": seats}).status_code == 201
    for seats in (0, -1, game.min_seats - 1, game.max_seats + 1, 2**31, 10**400):
        refused(client.post(path, data=f'{{"seats": {seats}}}', content_type="application/json"), 422, "invalid")


def test_options_that_do_not_fit_are_named_by_their_path(client: FlaskClient) -> None:
    path = "/v1/games/wave/matches"
    body = refused(client.post(path, json={"seats": 3, "options": {"tips_per_turn": 21}}), 422, "invalid")
    assert body["errors"][0]["path"] == "$.options.tips_per_turn"
    body = refused(client.post(path, json={"seats": 3, "options": {"first_seat": 3}}), 422, "invalid")
    assert body["errors"][0]["path"] == "$.options.first_seat"
    onda = "/v1/games/onda/matches"
    refused(client.post(onda, json={"seats": 3, "options": {"rounds": 5}}), 422, "invalid")


def test_unknown_fields_are_refused(client: FlaskClient, game: Game) -> None:
    path = f"/v1/games/{game.key}/matches"
    refused(client.post(path, json={"seats": few(game), "colour": "blue"}), 422, "invalid")
    refused(client.post(path, json={"seats": few(game), "options": {"colour": "blue"}}), 422, "invalid")


def test_a_clock_has_a_turn_a_bank_and_a_policy(client: FlaskClient, game: Game) -> None:
    path = f"/v1/games/{game.key}/matches"
    clock = {"turn_s": 30, "bank_s": 120, "on_timeout": "move"}
    assert client.post(path, json={"seats": few(game), "clock": clock}).json["match"]["clock"] == clock
    assert client.post(path, json={"seats": few(game), "clock": None}).json["match"]["clock"] is None
    short = client.post(path, json={"seats": few(game), "clock": {"turn_s": 5}}).json["match"]["clock"]
    assert short == {"turn_s": 5, "bank_s": 0, "on_timeout": "move"}
    wrong_ones = (
        {},
        {"turn_s": 0},
        {"turn_s": -1},
        {"turn_s": "30"},
        {**clock, "on_timeout": "shout"},
        {**clock, "x": 1},
        30,
    )
    for wrong in wrong_ones:
        body = refused(client.post(path, json={"seats": few(game), "clock": wrong}), 422, "invalid")
        assert body["errors"][0]["path"].startswith("$.clock")


def test_repeating_a_creation_gives_the_same_match_and_a_fresh_host_token(client: FlaskClient, game: Game) -> None:
    path, key = f"/v1/games/{game.key}/matches", {"Idempotency-Key": uuid4().hex}
    first = client.post(path, json={"seats": few(game), "host_can_abort": True}, headers=key)
    again = client.post(path, json={"host_can_abort": True, "seats": float(few(game))}, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    assert again.json["match"] == first.json["match"]
    assert again.json["join_code"] == first.json["join_code"]
    assert again.json["host_token"] != first.json["host_token"]
    place = first.headers["Location"]
    refused(client.delete(place, headers=bearer(first.json["host_token"])), 401, "unauthenticated")
    assert client.delete(place, headers=bearer(again.json["host_token"])).status_code == 200


def test_the_key_of_a_creation_is_scoped_to_its_address(client: FlaskClient) -> None:
    path, key = "/v1/games/wave/matches", {"Idempotency-Key": uuid4().hex}
    here = client.post(path, json={"seats": 2}, headers=key)
    there = client.post(path, json={"seats": 2}, headers=key, environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert there.status_code == 201
    assert "Idempotent-Replayed" not in there.headers
    assert there.json["match"]["match"] != here.json["match"]["match"]


def test_the_key_of_a_creation_with_another_body_is_a_mismatch(client: FlaskClient) -> None:
    key = {"Idempotency-Key": uuid4().hex}
    assert client.post("/v1/games/wave/matches", json={"seats": 2}, headers=key).status_code == 201
    refused(client.post("/v1/games/wave/matches", json={"seats": 3}, headers=key), 422, "idempotency_mismatch")
    refused(client.post("/v1/games/onda/matches", json={"seats": 2}, headers=key), 422, "idempotency_mismatch")


def test_a_refused_creation_is_not_remembered(client: FlaskClient) -> None:
    key = {"Idempotency-Key": uuid4().hex}
    refused(client.post("/v1/games/wave/matches", json={"seats": 99}, headers=key), 422, "invalid")
    assert client.post("/v1/games/wave/matches", json={"seats": 2}, headers=key).status_code == 201


# Listing


@pytest.fixture
def quiet(empty_redis: RedisServer) -> FlaskClient:
    """A service with no matches but the test's, whose clock moves on by a millisecond at each look."""
    clock = itertools.count(1_800_000_000_000)
    return checked_client(empty_redis, Edge(now_ms=lambda: next(clock)))


def pages(client: FlaskClient, path: str, **parameters: Any) -> list[list[str]]:
    """The ids of all pages, by following the cursors."""
    found, cursor = [], {}
    while True:
        page = client.get(path, query_string={**parameters, **cursor})
        assert page.status_code == 200
        assert set(page.json) == {"items", "next_cursor"}
        found.append([item["match"] for item in page.json["items"]])
        if page.json["next_cursor"] is None:
            return found
        cursor = {"cursor": page.json["next_cursor"]}


def test_matches_are_listed_newest_first_page_by_page(quiet: FlaskClient, game: Game) -> None:
    made = [waiting(quiet, game).id for _ in range(5)]
    assert pages(quiet, f"/v1/games/{game.key}/matches", limit=2) == [made[:-3:-1], made[2:0:-1], made[:1]]
    assert pages(quiet, f"/v1/games/{game.key}/matches") == [made[::-1]]


def test_a_listed_match_looks_as_it_does_alone(quiet: FlaskClient, game: Game) -> None:
    match = waiting(quiet, game).sit(1)
    (item,) = quiet.get(f"/v1/games/{game.key}/matches").json["items"]
    assert item == quiet.get(match.path).json
    assert set(item) == PUBLIC


def test_a_list_can_be_of_one_status(quiet: FlaskClient, game: Game) -> None:
    still_open = waiting(quiet, game)
    playing = waiting(quiet, game).sit()
    aborted = waiting(quiet, game)
    quiet.delete(aborted.path, headers=aborted.host)
    finished = waiting(quiet, game).sit()
    for seat in range(few(game)):
        quiet.delete(f"{finished.path}/seats/{seat}", headers=finished.auth(seat))
    path = f"/v1/games/{game.key}/matches"
    by_status = {"waiting": still_open, "playing": playing, "aborted": aborted, "finished": finished}
    for status, match in by_status.items():
        assert pages(quiet, path, status=status) == [[match.id]], status
    refused(quiet.get(path, query_string={"status": "over"}), 422, "invalid")


def test_following_pages_survives_changes_between_them(quiet: FlaskClient, game: Game) -> None:
    path = f"/v1/games/{game.key}/matches"
    made = [waiting(quiet, game) for _ in range(6)]
    first = quiet.get(path, query_string={"limit": 2, "status": "waiting"}).json
    waiting(quiet, game)  # newer than what was shown: not part of this walk
    quiet.delete(made[5].path, headers=made[5].host)  # shown already
    quiet.delete(made[3].path, headers=made[3].host)  # not shown yet
    rest = pages(quiet, path, limit=2, status="waiting", cursor=first["next_cursor"])
    assert [item["match"] for item in first["items"]] == [made[5].id, made[4].id]
    assert list(itertools.chain(*rest)) == [made[2].id, made[1].id, made[0].id]


def test_unlisted_matches_are_in_no_list(quiet: FlaskClient, game: Game) -> None:
    waiting(quiet, game, visibility="unlisted").sit()
    assert pages(quiet, f"/v1/games/{game.key}/matches") == [[]]


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=101", "limit=x", "limit=1.0", "limit=-1", "limit=", "limit=1&limit=2", "cursor=x",
              "cursor=", "status=", "colour=blue", "cursor=%00", "cursor=%F0%9F%8C%8A"]
)  # fmt: skip
def test_a_query_that_does_not_fit_is_invalid(client: FlaskClient, query: str) -> None:
    body = refused(client.get(f"/v1/games/wave/matches?{query}"), 422, "invalid")
    assert body["errors"][0]["path"] == f"$.{query.partition('=')[0]}"


# Looking


def test_a_match_asked_for_under_another_game_is_unknown(client: FlaskClient) -> None:
    wave = Match(client, "wave", 2).sit()
    other = wave.path.replace("/wave/", "/onda/")
    for path in (other, f"{other}/state", f"{other}/events", f"{other}/replay", f"{other}/seats/0/state"):
        refused(client.get(path, headers=wave.auth(0)), 404, "unknown_match")


@pytest.mark.parametrize("match", ["0" * 24, "x", "0" * 25, "ÿ", "A" * 24, "%00"])
def test_ids_of_no_match_are_unknown(client: FlaskClient, game: Game, match: str) -> None:
    refused(client.get(f"/v1/games/{game.key}/matches/{match}"), 404, "unknown_match")


def test_a_match_shows_who_sits_whose_move_it_is_and_when_it_began(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(1)
    looked = client.get(match.path).json
    assert looked["seats"][0] == {"seat": 0, "name": "player 0", "kind": "player"}
    assert all(seat["kind"] == "open" and seat["name"] is None for seat in looked["seats"][1:])
    looked = client.get(match.sit().path).json
    assert (looked["status"], looked["version"]) == ("playing", 0)
    assert looked["to_move"]
    assert RFC3339_UTC.fullmatch(looked["started_at"])


def test_a_match_that_was_played_to_its_end_shows_its_outcome(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    moves = match.play_on(random.Random(SEED))
    looked = client.get(match.path).json
    assert (looked["status"], looked["version"], looked["to_move"]) == ("finished", moves, [])
    assert len(looked["outcome"]["returns"]) == few(game)
    assert RFC3339_UTC.fullmatch(looked["finished_at"])


# Aborting


def test_the_host_aborts_while_the_match_waits(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, few(game)).sit(1)
    answer = client.delete(match.path, headers=match.host)
    assert answer.status_code == 200
    assert answer.json["status"] == "aborted"
    assert answer.json == client.get(match.path).json
    refused(client.delete(match.path, headers=match.host), 409, "match_over")


def test_while_playing_the_host_aborts_only_what_was_created_so(client: FlaskClient, game: Game) -> None:
    fixed = begun(client, game)
    refused(client.delete(fixed.path, headers=fixed.host), 409, "match_started")
    loose = begun(client, game, host_can_abort=True)
    aborted = client.delete(loose.path, headers=loose.host)
    assert aborted.status_code == 200
    assert (aborted.json["status"], aborted.json["outcome"], aborted.json["to_move"]) == ("aborted", None, [])


def test_only_the_host_aborts(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, few(game)).sit(1)
    refused(client.delete(match.path, headers=match.auth(0)), 403, "host_only")
    refused(client.delete(match.path), 401, "unauthenticated")
    refused(client.delete(match.path, headers=bearer("0" * 48)), 401, "unauthenticated")
