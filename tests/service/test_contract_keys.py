"""Idempotency keys of moves, as the contract words them."""

import json
from typing import Any
from uuid import uuid4

from flask.testing import FlaskClient

from engines.kit.game import Game
from tests.support.contract import begun, legal, play_first, to_move
from tests.support.playing import Match
from tests.support.refusals import refused


def fresh() -> dict[str, str]:
    return {"Idempotency-Key": uuid4().hex}


def first_move(match: Match) -> tuple[int, dict[str, Any]]:
    seat = to_move(match)
    return seat, legal(match, seat)[0]


def test_a_repeat_gets_the_first_answer_again_equal_to_the_byte(client: FlaskClient, game: Game) -> None:
    match, key = begun(client, game), fresh()
    seat, move = first_move(match)
    first = match.move(seat, move, key)
    again = match.move(seat, move, key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.data == again.data
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert client.get(match.path).json["version"] == 1


def test_a_repeat_gets_it_whatever_has_happened_since(client: FlaskClient, game: Game) -> None:
    match, key = begun(client, game, host_can_abort=True), fresh()
    seat, move = first_move(match)
    first = match.move(seat, move, key, expected_version=0)
    play_first(match, 7)
    assert match.move(seat, move, key, expected_version=0).data == first.data
    client.delete(match.path, headers=match.host)
    again = match.move(seat, move, key, expected_version=0)
    assert (again.status_code, again.data) == (201, first.data)


def test_the_winning_move_is_repeated_after_the_end(client: FlaskClient) -> None:
    match, key = begun(client, "wave"), fresh()
    while True:
        seat, move = first_move(match)
        first = match.move(seat, move, key)
        if not first.json["to_move"]:
            break
        key = fresh()
    assert first.json["outcome"] is not None
    assert match.move(seat, move, key).data == first.data


def test_the_same_json_in_another_spelling_is_the_same_body(client: FlaskClient) -> None:
    match, key = begun(client, "wave"), fresh()
    seat, move = first_move(match)
    path = f"{match.path}/seats/{seat}/moves"
    headers = {**match.auth(seat), **key, "Content-Type": "application/json"}
    spellings = [
        json.dumps({"move": move, "expected_version": 0}),
        json.dumps({"expected_version": 0.0, "move": dict(reversed(move.items()))}, indent=3),
        json.dumps({"move": {**move, "card": float(move["card"])}, "expected_version": 0}).replace(
            "card", r"\u0063ard"
        ),
    ]
    answers = [client.post(path, data=spelling, headers=headers) for spelling in spellings]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert len({answer.data for answer in answers}) == 1


def test_the_same_key_with_another_body_is_a_mismatch(client: FlaskClient, game: Game) -> None:
    match, key = begun(client, game), fresh()
    seat, move = first_move(match)
    assert match.move(seat, move, key).status_code == 201
    refused(match.move(seat, move, key, expected_version=0), 422, "idempotency_mismatch")
    refused(match.move(seat, move, key, expected_version=None), 422, "idempotency_mismatch")
    assert client.get(match.path).json["version"] == 1


def test_a_key_is_scoped_to_its_seat(client: FlaskClient) -> None:
    match, key = begun(client, "onda"), fresh()
    for seat in range(2):
        answer = match.move(seat, legal(match, seat)[0], key)
        assert answer.status_code == 201
        assert "Idempotent-Replayed" not in answer.headers


def test_a_key_of_one_match_is_nothing_to_another(client: FlaskClient, game: Game) -> None:
    key = fresh()
    for match in (begun(client, game), begun(client, game)):
        seat, move = first_move(match)
        assert "Idempotent-Replayed" not in match.move(seat, move, key).headers


def test_a_refusal_is_not_remembered(client: FlaskClient) -> None:
    match, key = begun(client, "wave"), fresh()
    refused(match.move(0, {"type": "play", "card": 1}, key), 422, "illegal_move")
    _, move = first_move(match)
    refused(match.move(0, move, key, expected_version=9), 409, "stale_version")
    answer = match.move(0, move, key)
    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer.headers


def test_the_token_comes_before_the_key(client: FlaskClient, game: Game) -> None:
    match, key = begun(client, game), fresh()
    seat, move = first_move(match)
    assert match.move(seat, move, key).status_code == 201
    path, body = f"{match.path}/seats/{seat}/moves", {"move": move}
    refused(client.post(path, json=body, headers=key), 401, "unauthenticated")
    refused(client.post(path, json=body, headers={**key, **match.auth(1 - seat)}), 403, "wrong_seat")
    refused(client.post(path, json=body, headers={**key, **match.host}), 403, "wrong_seat")


def test_a_renewed_token_repeats_what_the_old_one_did(client: FlaskClient, game: Game) -> None:
    match, key = begun(client, game), fresh()
    seat, move = first_move(match)
    first = match.move(seat, move, key)
    renewed = client.post(f"{match.path}/seats/{seat}/token", headers=match.auth(seat)).json["token"]
    refused(match.move(seat, move, key), 401, "unauthenticated")
    match.tokens[seat] = renewed
    assert match.move(seat, move, key).data == first.data


def test_tips_are_remembered_like_any_move(client: FlaskClient) -> None:
    match, key = begun(client, "wave"), fresh()
    card = match.seat(1, "state")["view"]["hands"][1]["cards"][0]["card"]
    tip = {"type": "tip", "about": card, "says": "can_play"}
    first = match.move(1, tip, key)
    play_first(match, 2)
    again = match.move(1, tip, key)
    assert (again.data, again.headers["Idempotent-Replayed"]) == (first.data, "true")


def test_the_answer_of_a_move_after_which_the_absent_played_is_repeated_whole(client: FlaskClient) -> None:
    match, key = begun(client, "wave", 3), fresh()
    client.delete(f"{match.path}/seats/1", headers=match.auth(1))
    first = match.move(0, legal(match, 0)[0], key)
    assert {event["seat"] for event in first.json["events"]} >= {0, 1}
    play_first(match, 1)
    assert match.move(0, first_body(match), key).data == first.data


def first_body(match: Match) -> dict[str, Any]:
    """The first move of the match, as it was posted."""
    twin = begun(match.client, "wave", 3)
    return legal(twin, 0)[0]
