"""Seats: claim, free, resign, renew the token, as the contract words them."""

import random
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from engines.kit.game import Game
from tests.support.contract import bearer, begun, facts, few, waiting
from tests.support.playing import Match
from tests.support.refusals import refused

SEED = 20_261_130


# Claiming


def test_claiming_answers_201_with_location_match_seat_and_token(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game)
    answer = client.post(f"{match.path}/seats", json={"name": "Ana"})
    assert answer.status_code == 201
    assert set(answer.json) == {"match", "seat", "token"}
    assert (answer.json["match"], answer.json["seat"]) == (match.id, 0)
    assert answer.headers["Location"] == f"{match.path}/seats/0"


def test_a_claim_takes_the_seat_that_it_names_or_the_lowest_open_one(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, game.max_seats)
    assert client.post(f"{match.path}/seats", json={"name": "Ana", "seat": 1}).json["seat"] == 1
    assert client.post(f"{match.path}/seats", json={"name": "Bo", "seat": None}).json["seat"] == 0
    if game.max_seats > 2:
        assert client.post(f"{match.path}/seats", json={"name": "Cy"}).json["seat"] == 2


def test_a_seat_that_somebody_holds_is_taken(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(1)
    refused(client.post(f"{match.path}/seats", json={"name": "Bo", "seat": 0}), 409, "seat_taken")


def test_a_seat_number_that_does_not_exist_is_invalid(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game)
    for seat in (few(game), 99, -1, 2**31, 2**70):
        body = refused(client.post(f"{match.path}/seats", json={"name": "Bo", "seat": seat}), 422, "invalid")
        assert body["errors"][0]["path"] == "$.seat"


def test_the_claim_that_fills_the_last_seat_starts_the_match(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(few(game) - 1)
    assert client.get(match.path).json["status"] == "waiting"
    match.sit()
    assert client.get(match.path).json["status"] == "playing"


def test_the_first_events_are_match_created_seat_claimed_match_started(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    claimed = [("seat_claimed", n, {"name": f"player {n}", "kind": "player"}) for n in range(few(game))]
    first = [("match_created", None, {}), *claimed, ("match_started", None, {})]
    assert facts(match)[: len(first)] == first


def test_a_claim_after_the_start_is_match_started_even_for_a_taken_seat(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    refused(client.post(f"{match.path}/seats", json={"name": "late"}), 409, "match_started")
    refused(client.post(f"{match.path}/seats", json={"name": "late", "seat": 0}), 409, "match_started")


def test_a_claim_after_the_end_is_match_over(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(1)
    client.delete(match.path, headers=match.host)
    refused(client.post(f"{match.path}/seats", json={"name": "late"}), 409, "match_over")


def test_a_claim_with_a_token_of_another_match_is_unauthenticated(client: FlaskClient, game: Game) -> None:
    match, other = waiting(client, game), waiting(client, game).sit(1)
    claim = {"name": "Ana"}
    refused(client.post(f"{match.path}/seats", json=claim, headers=other.auth(0)), 401, "unauthenticated")
    refused(client.post(f"{match.path}/seats", json=claim, headers=other.host), 401, "unauthenticated")


def test_a_claim_needs_a_name_and_takes_no_unknown_field(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game)
    for claim in ({}, {"seat": 0}, {"name": None}, {"name": 7}, {"name": "Ana", "colour": "blue"}, [], "Ana"):
        refused(client.post(f"{match.path}/seats", json=claim), 422, "invalid")


def test_repeating_a_claim_gives_the_same_seat_with_a_fresh_token(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game)
    key = {"Idempotency-Key": uuid4().hex}
    first = client.post(f"{match.path}/seats", json={"name": "Ana", "nonce": "x"}, headers=key)
    again = client.post(f"{match.path}/seats", json={"nonce": "x", "name": "Ana"}, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    assert again.json["seat"] == first.json["seat"]
    state = f"{match.path}/seats/0/state"
    refused(client.get(state, headers=bearer(first.json["token"])), 401, "unauthenticated")
    assert client.get(state, headers=bearer(again.json["token"])).status_code == 200


def test_a_claim_is_repeated_even_when_it_started_the_match(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(few(game) - 1)
    key = {"Idempotency-Key": uuid4().hex}
    first = client.post(f"{match.path}/seats", json={"name": "Zoe"}, headers=key)
    again = client.post(f"{match.path}/seats", json={"name": "Zoe"}, headers=key)
    assert (again.status_code, again.json["seat"]) == (201, first.json["seat"])


def test_the_key_of_a_claim_is_scoped_to_its_match(client: FlaskClient, game: Game) -> None:
    key = {"Idempotency-Key": uuid4().hex}
    one, other = waiting(client, game), waiting(client, game)
    for match in (one, other):
        answer = client.post(f"{match.path}/seats", json={"name": "Ana"}, headers=key)
        assert answer.status_code == 201
        assert "Idempotent-Replayed" not in answer.headers


def test_the_key_of_a_claim_with_another_body_is_a_mismatch(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game)
    key = {"Idempotency-Key": uuid4().hex}
    assert client.post(f"{match.path}/seats", json={"name": "Ana"}, headers=key).status_code == 201
    refused(client.post(f"{match.path}/seats", json={"name": "Bo"}, headers=key), 422, "idempotency_mismatch")


def test_a_refused_claim_is_not_remembered(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(1)
    key = {"Idempotency-Key": uuid4().hex}
    refused(client.post(f"{match.path}/seats", json={"name": "Bo", "seat": 0}, headers=key), 409, "seat_taken")
    assert client.post(f"{match.path}/seats", json={"name": "Bo", "seat": 1}, headers=key).status_code == 201


# Freeing, before the start


def test_before_the_start_its_holder_frees_a_seat(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(1)
    answer = client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    assert answer.status_code == 200
    assert answer.json["seats"][0] == {"seat": 0, "name": None, "kind": "open"}
    assert facts(match)[-1] == ("seat_freed", 0, {})
    refused(client.get(f"{match.path}/seats/0/state", headers=match.auth(0)), 401, "unauthenticated")


def test_before_the_start_the_host_frees_a_seat(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(1)
    assert client.delete(f"{match.path}/seats/0", headers=match.host).json["seats"][0]["kind"] == "open"
    assert client.post(f"{match.path}/seats", json={"name": "Bo"}).json["seat"] == 0


def test_nobody_else_frees_a_seat(client: FlaskClient, game: Game) -> None:
    match = Match(client, game.key, game.max_seats).sit(game.max_seats - 1)
    refused(client.delete(f"{match.path}/seats/0"), 401, "unauthenticated")
    if game.max_seats > 2:
        refused(client.delete(f"{match.path}/seats/0", headers=match.auth(1)), 403, "wrong_seat")
    refused(client.delete(f"{match.path}/seats/{game.max_seats}", headers=match.host), 404, "unknown_seat")


# Resigning, while playing


def test_while_playing_its_holder_alone_resigns_a_seat(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    refused(client.delete(f"{match.path}/seats/0", headers=match.host), 403, "wrong_seat")
    refused(client.delete(f"{match.path}/seats/0", headers=match.auth(1)), 403, "wrong_seat")
    assert client.delete(f"{match.path}/seats/0", headers=match.auth(0)).status_code == 200


def test_on_absent_move_the_table_plays_for_a_resigned_seat_at_once(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, on_absent="move")
    absent = client.get(match.path).json["to_move"][0]
    answer = client.delete(f"{match.path}/seats/{absent}", headers=match.auth(absent))
    assert answer.status_code == 200
    assert ("seat_resigned", absent, {"on_absent": "move"}) in facts(match)
    assert absent not in answer.json["to_move"]
    assert answer.json["version"] >= 1
    rest = [seat for seat in range(few(game)) if seat != absent]
    rng = random.Random(SEED)
    while (to_move := client.get(match.path).json["to_move"]) and rest:
        assert absent not in to_move
        assert match.move(to_move[0], rng.choice(match.seat(to_move[0], "legal-moves")["moves"])).status_code == 201
    replay = client.get(f"{match.path}/replay").json
    causes = {(move["seat"] == absent, move["cause"]) for move in replay["moves"]}
    assert causes <= {(True, "clock"), (False, "player")}
    assert (True, "clock") in causes


def test_when_all_have_resigned_the_match_plays_itself_to_the_end(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    for seat in range(few(game)):
        client.delete(f"{match.path}/seats/{seat}", headers=match.auth(seat))
    looked = client.get(match.path).json
    assert looked["status"] == "finished"
    assert looked["outcome"] is not None


def test_on_absent_abort_ends_the_match(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, on_absent="abort")
    answer = client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    assert (answer.status_code, answer.json["status"], answer.json["outcome"]) == (200, "aborted", None)
    assert [type for type, _, _ in facts(match)[-2:]] == ["seat_resigned", "match_aborted"]


def test_after_the_end_nothing_is_left_to_resign(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, on_absent="abort")
    client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    refused(client.delete(f"{match.path}/seats/1", headers=match.auth(1)), 409, "match_over")


def test_a_resigned_seat_still_sees_the_match(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    assert match.seat(0, "state")["view"]["viewer"] == 0


# Tokens


@pytest.mark.parametrize("started", [False, True], ids=["before the start", "while playing"])
def test_a_seat_renews_its_token_and_the_old_one_stops_working(client: FlaskClient, game: Game, started: bool) -> None:
    match = waiting(client, game).sit(None if started else 1)
    answer = client.post(f"{match.path}/seats/0/token", headers=match.auth(0))
    assert answer.status_code == 201
    assert set(answer.json) == {"match", "seat", "token"}
    refused(client.get(f"{match.path}/seats/0/state", headers=match.auth(0)), 401, "unauthenticated")
    fresh = bearer(answer.json["token"])
    assert client.get(f"{match.path}/seats/0/state", headers=fresh).status_code == 200
    assert facts(match)[-1] == ("token_renewed", 0, {"by": "seat"})


def test_the_host_renews_a_seats_token_before_the_start(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game).sit(1)
    answer = client.post(f"{match.path}/seats/0/token", headers=match.host)
    assert answer.status_code == 201
    assert facts(match)[-1] == ("token_renewed", 0, {"by": "host"})
    refused(client.get(f"{match.path}/seats/0/state", headers=match.auth(0)), 401, "unauthenticated")


def test_while_playing_the_host_renews_only_the_token_of_a_resigned_seat(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    refused(client.post(f"{match.path}/seats/0/token", headers=match.host), 403, "wrong_seat")
    client.delete(f"{match.path}/seats/0", headers=match.auth(0))
    assert client.post(f"{match.path}/seats/0/token", headers=match.host).status_code == 201
    assert ("token_renewed", 0, {"by": "host"}) in facts(match)
    refused(client.post(f"{match.path}/seats/1/token", headers=match.host), 403, "wrong_seat")


def test_the_end_stays_the_last_event_when_a_token_is_renewed_after_it(client: FlaskClient, game: Game) -> None:
    match = begun(client, game, host_can_abort=True)
    client.delete(match.path, headers=match.host)
    answer = client.post(f"{match.path}/seats/0/token", headers=match.auth(0))
    assert answer.status_code == 201
    assert facts(match)[-1][0] == "match_aborted"
    fresh = bearer(answer.json["token"])
    assert client.get(f"{match.path}/seats/0/state", headers=fresh).status_code == 200


def test_no_other_seat_renews_a_token(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    refused(client.post(f"{match.path}/seats/0/token", headers=match.auth(1)), 403, "wrong_seat")
    refused(client.post(f"{match.path}/seats/0/token"), 401, "unauthenticated")
    refused(client.post(f"{match.path}/seats/{few(game)}/token", headers=match.auth(1)), 404, "unknown_seat")


def test_a_seat_that_nobody_holds_has_no_token_to_renew(client: FlaskClient, game: Game) -> None:
    match = waiting(client, game)
    refused(client.post(f"{match.path}/seats/0/token", headers=match.host), 409, "match_waiting")
