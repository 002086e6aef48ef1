"""Playing: a seat's state, its legal moves, its moves, as the contract words them."""

import random
from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.kit.game import Game
from tests.support.contract import bearer, begun, few, legal, play_first, to_move, told
from tests.support.playing import Match
from tests.support.refusals import refused

SEED = 20_261_130
STATE = {"match", "seat", "version", "status", "to_move", "view", "outcome", "clock"}
LEGAL_MOVES = {"version", "to_move", "count", "moves"}
PLAYED = {"version", "events", "to_move", "view", "legal_moves", "outcome"}

ILLEGAL: dict[str, tuple[dict[str, Any], str]] = {
    "wave": ({"type": "play", "card": 1}, "W-hand"),
    "onda": ({"type": "keep_bomb"}, ""),
}
"""By game: a move that fits the schema and that no seat may make at the start, and the rule that says so (or any)."""


# State


def test_a_seats_state(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    state = match.seat(1, "state")
    assert set(state) == STATE
    assert (state["match"], state["seat"], state["version"], state["status"]) == (match.id, 1, 0, "playing")
    assert (state["view"]["viewer"], state["outcome"], state["clock"]) == (1, None, None)
    assert state["to_move"] == client.get(match.path).json["to_move"]


def test_before_the_start_the_view_is_null_and_nobody_is_to_move(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, few(game)).sit(1)
    state = match.seat(0, "state")
    assert (state["status"], state["version"], state["view"], state["to_move"]) == ("waiting", 0, None, [])
    moves = match.seat(0, "legal-moves")
    assert moves == {"version": 0, "to_move": [], "count": 0, "moves": []}


@pytest.mark.parametrize("what", ["state", "legal-moves"])
def test_the_etag_is_a_weak_tag_of_the_feeds_last_seq_and_the_viewer_nothing_else(
    client: FlaskClient, game: Game, what: str
) -> None:
    one, other = begun(client, game), begun(client, game, seed="another deal")
    tags = set()
    for match in (one, other):
        for seat in range(2):
            tag = client.get(f"{match.path}/seats/{seat}/{what}", headers=match.auth(seat)).headers["ETag"]
            assert tag == f'W/"{len(told(match))}-{seat}"'
            tags.add(tag)
    if len(told(one)) == len(told(other)):
        assert len(tags) == 2


@pytest.mark.parametrize("what", ["state", "legal-moves"])
def test_304_until_something_happens(client: FlaskClient, game: Game, what: str) -> None:
    match = begun(client, game)
    path = f"{match.path}/seats/0/{what}"
    tag = client.get(path, headers=match.auth(0)).headers["ETag"]
    for given in (tag, tag.removeprefix("W/"), f'"x", {tag}', "*"):
        unchanged = client.get(path, headers={**match.auth(0), "If-None-Match": given})
        assert (unchanged.status_code, unchanged.data, unchanged.headers["ETag"]) == (304, b"", tag), given
    for given in ("", '"x"', 'W/"1-0"', tag.replace("-0", "-1"), "nonsense"):
        assert client.get(path, headers={**match.auth(0), "If-None-Match": given}).status_code == 200, given
    play_first(match, 1)
    changed = client.get(path, headers={**match.auth(0), "If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag


def test_an_etag_opens_nothing_without_the_token(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    refused(client.get(f"{match.path}/seats/0/state", headers={"If-None-Match": "*"}), 401, "unauthenticated")
    tagged = {**match.auth(1), "If-None-Match": "*"}
    refused(client.get(f"{match.path}/seats/0/state", headers=tagged), 403, "wrong_seat")


@pytest.mark.parametrize("what", ["state", "legal-moves", "events"])
def test_a_seat_is_for_its_own_token_alone(client: FlaskClient, game: Game, what: str) -> None:
    match = begun(client, game)
    path = f"{match.path}/seats/0/{what}"
    assert client.get(path, headers=match.auth(0)).status_code == 200
    refused(client.get(path), 401, "unauthenticated")
    refused(client.get(path, headers=bearer("0" * 48)), 401, "unauthenticated")
    refused(client.get(path, headers=begun(client, game).auth(0)), 401, "unauthenticated")
    refused(client.get(path, headers={"Authorization": f"Basic {match.tokens[0]}"}), 401, "unauthenticated")
    refused(client.get(path, headers={"Authorization": match.tokens[0]}), 401, "unauthenticated")
    refused(client.get(path, headers=bearer("")), 401, "unauthenticated")
    refused(client.get(path, headers=bearer(match.made["join_code"])), 401, "unauthenticated")
    refused(client.get(path, headers=match.auth(1)), 403, "wrong_seat")
    refused(client.get(path, headers=match.host), 403, "wrong_seat")
    assert client.get(path, headers={"Authorization": f"bearer {match.tokens[0]}"}).status_code == 200


@pytest.mark.parametrize("seat", ["2", "9", "99999999999", "-1", "x", "00", "0x0", "1.0", "%D9%A1", " 0"])
def test_a_seat_that_is_not_there_is_unknown(client: FlaskClient, game: Game, seat: str) -> None:
    match = begun(client, game)
    refused(client.get(f"{match.path}/seats/{seat}/state", headers=match.auth(0)), 404, "unknown_seat")


def test_tokens_in_the_url_open_nothing(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    for name in ("token", "access_token", "authorization"):
        path = f"{match.path}/seats/0/state?{name}={match.tokens[0]}"
        refused(client.get(path), 401, "unauthenticated")


# Legal moves


def test_legal_moves_are_for_who_is_to_move(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    for seat in range(2):
        moves = match.seat(seat, "legal-moves")
        assert set(moves) == LEGAL_MOVES
        assert (moves["version"], moves["to_move"]) == (0, client.get(match.path).json["to_move"])
        assert moves["count"] == len(moves["moves"])
        assert bool(moves["moves"]) == (seat in moves["to_move"])


def test_anytime_moves_are_not_listed(client: FlaskClient) -> None:
    match = begun(client, "wave")
    assert all(move["type"] != "tip" for seat in range(2) for move in legal(match, seat))
    tip = {"type": "tip", "about": hand(match, 0)[0], "says": "can_play"}
    assert match.move(0, tip).status_code == 201
    assert match.move(1, tip).status_code == 201


def test_every_listed_move_is_accepted_as_it_is_listed(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    seat = to_move(match)
    moves = legal(match, seat)
    for move in random.Random(SEED).sample(moves, min(8, len(moves))):
        assert begun(client, game).move(seat, move).status_code == 201, (SEED, move)


@pytest.mark.parametrize(("policy", "counted"), [("full", True), ("count", True), ("none", False)])
def test_the_policy_says_what_is_told_of_legal_moves(
    client: FlaskClient, game: Game, policy: str, counted: bool
) -> None:
    match, model = begun(client, game, legal_moves=policy), begun(client, game)
    assert client.get(match.path).json["legal_moves"] == policy
    first = to_move(model)
    move = legal(model, first)[0]
    played = match.move(first, move).json
    as_full = model.move(first, move).json
    answers = {first: (played["legal_moves"], as_full["legal_moves"])}
    answers |= {seat: (match.seat(seat, "legal-moves"), model.seat(seat, "legal-moves")) for seat in range(2)}
    for seat in range(2):
        page = match.seat(seat, "events", include="state")
        assert page["legal_moves"] == match.seat(seat, "legal-moves")
    for shown, full in answers.values():
        assert set(shown) == LEGAL_MOVES
        assert shown["count"] == (full["count"] if counted else None)
        assert shown["moves"] == (full["moves"] if policy == "full" else None)


# Moves


def test_a_move_answers_all_that_the_next_one_needs(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    before = len(told(match))
    seat = to_move(match)
    answer = match.move(seat, legal(match, seat)[0], expected_version=0)
    assert answer.status_code == 201
    assert answer.headers["Content-Type"] == "application/json"
    played = answer.json
    assert set(played) == PLAYED
    state = match.seat(seat, "state")
    assert played["version"] == state["version"] == 1
    assert played["events"] == told(match)[before:]
    assert played["events"]
    assert all(event["version"] == 1 for event in played["events"])
    assert (played["to_move"], played["view"], played["outcome"]) == (state["to_move"], state["view"], None)
    assert played["legal_moves"] == match.seat(seat, "legal-moves")


def test_a_bot_that_knows_only_the_answers_to_its_moves_plays_on(client: FlaskClient) -> None:
    match = begun(client, "wave", 3)
    answer: dict[str, Any] = {}
    for _ in range(20):
        seat = to_move(match)
        moves = answer.get("legal_moves", {}).get("moves") or legal(match, seat)
        answer = match.move(seat, moves[0]).json


def test_every_accepted_move_counts_the_version_up_by_one_and_has_an_event(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    for version in range(1, 12):
        seat = to_move(match)
        played = match.move(seat, legal(match, seat)[-1]).json
        assert played["version"] == version
        assert {event["version"] for event in played["events"]} == {version}


def test_the_last_move_answers_with_the_outcome(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    rng = random.Random(SEED)
    while True:
        seat = to_move(match)
        move = rng.choice(legal(match, seat))
        played = match.move(seat, move).json
        if not played["to_move"]:
            break
    assert played["outcome"] is not None
    assert played["events"][-1]["type"] == "match_finished"
    assert played["legal_moves"] == {"version": played["version"], "to_move": [], "count": 0, "moves": []}
    looked = client.get(match.path).json
    assert (looked["status"], looked["outcome"]) == ("finished", played["outcome"])
    state = match.seat(0, "state")
    assert (state["status"], state["outcome"], state["to_move"]) == ("finished", played["outcome"], [])
    refused(match.move(seat, move), 409, "match_over")


def test_before_the_start_nothing_can_be_played(client: FlaskClient, game: Game) -> None:
    model = begun(client, game)
    move = legal(model, to_move(model))[0]
    match = Match(client, game.key, few(game)).sit(1)
    refused(match.move(0, move), 409, "match_waiting")


def test_a_seat_that_is_not_to_move_is_told_so(client: FlaskClient) -> None:
    wave = begun(client, "wave")
    move = legal(wave, 0)[0]
    refused(wave.move(1, move), 409, "not_your_turn")
    onda = begun(client, "onda")
    aside = legal(onda, 0)[0]
    assert onda.move(0, aside).status_code == 201
    refused(onda.move(0, aside), 409, "not_your_turn")


@pytest.mark.parametrize("key", sorted(ILLEGAL))
def test_an_illegal_move_names_a_rule_of_the_games_page(client: FlaskClient, key: str) -> None:
    match = begun(client, key)
    move, rule = ILLEGAL[key]
    body = refused(match.move(to_move(match), move), 422, "illegal_move")
    rules = {one["id"]: one["sentence"] for one in client.get(f"/v1/games/{key}").json["rules"]}
    assert body["rule"] in rules
    assert rule in ("", body["rule"])
    assert client.get(match.path).json["version"] == 0


def test_a_refused_move_changes_nothing(client: FlaskClient) -> None:
    match = begun(client, "wave")
    before = (match.seat(0, "state"), match.seat(1, "state"), told(match))
    refused(match.move(0, {"type": "play", "card": 1}), 422, "illegal_move")
    refused(match.move(1, {"type": "play", "card": 1}), 409, "not_your_turn")
    assert (match.seat(0, "state"), match.seat(1, "state"), told(match)) == before


# The version


def test_expected_version_is_enforced_when_given(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    play_first(match, 3)
    seat = to_move(match)
    move = legal(match, seat)[0]
    for version in (0, 2, 4, 2**31 - 1):
        refused(match.move(seat, move, expected_version=version), 409, "stale_version")
    assert match.move(seat, move, expected_version=3).status_code == 201


def test_without_it_a_move_is_judged_on_the_newest_state(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    play_first(match, 3)
    seat = to_move(match)
    assert match.move(seat, legal(match, seat)[0]).json["version"] == 4
    seat = to_move(match)
    assert match.move(seat, legal(match, seat)[0], expected_version=None).json["version"] == 5


def test_a_stale_move_learns_the_version_and_the_events_since(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    play_first(match, 5)
    seat = to_move(match)
    body = refused(match.move(seat, legal(match, seat)[0], expected_version=2), 409, "stale_version")
    assert body["version"] == 5
    assert body["events"] == [event for event in told(match) if event["version"] > 2]
    assert "events_truncated" not in body


def test_a_stale_move_learns_of_at_most_a_hundred_events(client: FlaskClient) -> None:
    match = begun(client, "onda")
    play_first(match, 110)
    seat = to_move(match)
    body = refused(match.move(seat, legal(match, seat)[0], expected_version=0), 409, "stale_version")
    since = [event for event in told(match) if event["version"] > 0]
    assert (body["events"], body["events_truncated"]) == (since[:100], True)
    body = refused(match.move(seat, legal(match, seat)[0], expected_version=105), 409, "stale_version")
    assert body["events"] == [event for event in since if event["version"] > 105]
    assert "events_truncated" not in body


def test_anytime_moves_ignore_the_expected_version(client: FlaskClient) -> None:
    match = begun(client, "wave")
    play_first(match, 2)
    tip = {"type": "tip", "about": hand(match, 0)[0], "says": "should_not_play", "mine": None}
    for seat, version in ((0, 0), (1, 2), (1, 99)):
        assert match.move(seat, tip, expected_version=version).status_code == 201
    assert client.get(match.path).json["version"] == 5


def hand(match: Match, seat: int) -> list[int]:
    """The ids of a seat's cards, in Wave."""
    return [card["card"] for card in match.seat(seat, "state")["view"]["hands"][seat]["cards"]]
