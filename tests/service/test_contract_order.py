"""The order in which a request is judged: requests that are wrong in many ways, repaired one fault after another."""

from typing import Any
from uuid import uuid4

import pytest
from flask.testing import FlaskClient

from tests.support.contract import bearer, begun, legal, play_first, to_move, waiting
from tests.support.playing import Match
from tests.support.refusals import refused

LARGE = b"x" * 70_000
JSON = "application/json"
NOBODY = bearer("0" * 48)


def test_a_move_is_judged_in_the_contracts_order(client: FlaskClient) -> None:
    """Each request below repairs the first fault of the one before, and keeps all the others that it can have."""
    over = begun(client, "wave", host_can_abort=True)
    key = {"Idempotency-Key": uuid4().hex}
    seat = to_move(over)
    assert over.move(seat, legal(over, seat)[0], key).status_code == 201
    client.delete(over.path, headers=over.host)
    path = f"{over.path}/seats/{seat}/moves"
    no_game, no_match = path.replace("/wave/", "/chess/"), path.replace("/wave/", "/onda/")
    other_seat = over.auth(1 - seat)

    def post(path: str, data: bytes, **more: Any) -> Any:
        return client.post(path, data=data, **{"content_type": JSON, "headers": {**key, **NOBODY}, **more})

    refused(client.put(f"{no_game}x", data=LARGE), 404, "not_found")
    refused(client.put(no_game, data=LARGE), 405, "method_not_allowed")
    refused(post(no_game, LARGE, content_type="text/plain"), 413, "too_large")
    refused(post(no_game, b"{", content_type="text/plain"), 415, "unsupported_media_type")
    refused(post(no_game, b"{"), 400, "malformed")
    refused(post(no_game, b"{}"), 404, "unknown_game")
    refused(post(no_match.replace(f"/seats/{seat}", "/seats/9"), b"{}"), 404, "unknown_match")
    refused(post(path.replace(f"/seats/{seat}", "/seats/9"), b"{}"), 404, "unknown_seat")
    refused(post(path, b"{}"), 401, "unauthenticated")
    refused(post(path, b"{}", headers={**key, **other_seat}), 403, "wrong_seat")
    refused(post(path, b"{}", headers={**key, **over.host}), 403, "wrong_seat")
    mine = {**key, **over.auth(seat)}
    refused(post(path, b"{}", headers=mine), 422, "invalid")
    stale = b'{"move": {"type": "play", "card": 1}, "expected_version": 77}'
    refused(post(path, stale, headers=mine), 422, "idempotency_mismatch")
    refused(post(path, stale, headers=over.auth(seat)), 409, "match_over")

    still_open = Match(client, "wave", 2).sit(1)
    refused(post(f"{still_open.path}/seats/0/moves", stale, headers=still_open.auth(0)), 409, "match_waiting")
    playing = begun(client, "wave", 3)
    play_first(playing, 2)
    turn = to_move(playing)
    other = (turn + 1) % 3
    path = f"{playing.path}/seats/{other}/moves"
    illegal = b'{"move": {"type": "play", "card": 1}}'
    refused(post(path, stale, headers=playing.auth(other)), 409, "stale_version")
    refused(post(path, illegal, headers=playing.auth(other)), 409, "not_your_turn")
    path = f"{playing.path}/seats/{turn}/moves"
    refused(post(path, stale, headers=playing.auth(turn)), 409, "stale_version")
    refused(post(path, illegal, headers=playing.auth(turn)), 422, "illegal_move")
    assert playing.move(turn, legal(playing, turn)[0]).status_code == 201


def test_a_claim_is_judged_in_the_contracts_order(client: FlaskClient) -> None:
    match = waiting(client, "wave", visibility="unlisted")
    key = {"Idempotency-Key": uuid4().hex}
    code = match.made["join_code"]
    claim = {"name": "Ana", "join_code": code}
    assert client.post(f"{match.path}/seats", json=claim, headers=key).status_code == 201
    assert client.post(f"{match.path}/seats", json={"name": "Bo", "join_code": code}).status_code == 201
    path = f"{match.path}/seats"
    no_game, no_match = path.replace("/wave/", "/chess/"), path.replace("/wave/", "/onda/")

    def post(path: str, body: Any = None, data: bytes | None = None, **headers: str) -> Any:
        given = {"json": body} if data is None else {"data": data, "content_type": JSON}
        return client.post(path, headers={**key, **headers}, **given)

    refused(client.put(no_game, data=LARGE), 405, "method_not_allowed")
    refused(client.post(no_game, data=LARGE), 413, "too_large")
    refused(client.post(no_game, data=b"{"), 415, "unsupported_media_type")
    refused(post(no_game, data=b"{", **NOBODY), 400, "malformed")
    refused(post(no_game, {}, **NOBODY), 404, "unknown_game")
    refused(post(no_match, {}, **NOBODY), 404, "unknown_match")
    refused(post(path, {}, **NOBODY), 401, "unauthenticated")
    refused(post(path, {"join_code": "wrong"}), 422, "invalid")
    refused(post(path, {"name": "Ana", "seat": 9, "join_code": "wrong"}), 422, "invalid")
    refused(post(path, {"name": "Bo", "seat": 0, "join_code": "wrong"}), 403, "wrong_join_code")
    refused(post(path, {"name": "Bo", "seat": 0, "join_code": code}), 422, "idempotency_mismatch")
    refused(client.post(path, json={"name": "Bo", "seat": 0, "join_code": code}), 409, "match_started")
    again = post(path, claim)
    assert (again.status_code, again.json["seat"]) == (201, 0)


def test_a_creation_is_judged_in_the_contracts_order(client: FlaskClient) -> None:
    path, no_game = "/v1/games/wave/matches", "/v1/games/chess/matches"
    key = {"Idempotency-Key": uuid4().hex}
    assert client.post(path, json={"seats": 2}, headers=key).status_code == 201
    refused(client.put(no_game, data=LARGE), 405, "method_not_allowed")
    refused(client.post(no_game, data=LARGE), 413, "too_large")
    refused(client.post(no_game, data=b"{"), 415, "unsupported_media_type")
    refused(client.post(no_game, data=b"{", content_type=JSON), 400, "malformed")
    refused(client.post(no_game, json={}), 404, "unknown_game")
    refused(client.post(path, json={"seats": 3, "options": {"first_seat": 3}}, headers=key), 422, "invalid")
    refused(client.post(path, json={"seats": 3}, headers=key), 422, "idempotency_mismatch")


def test_an_abort_is_judged_in_the_contracts_order(client: FlaskClient) -> None:
    over, playing = begun(client, "wave", host_can_abort=True), begun(client, "wave")
    client.delete(over.path, headers=over.host)
    refused(client.delete(over.path.replace("/wave/", "/chess/")), 404, "unknown_game")
    refused(client.delete(over.path.replace("/wave/", "/onda/")), 404, "unknown_match")
    refused(client.delete(over.path, headers=NOBODY), 401, "unauthenticated")
    refused(client.delete(over.path, headers=over.auth(0)), 403, "host_only")
    refused(client.delete(over.path, headers=over.host), 409, "match_over")
    refused(client.delete(playing.path, headers=playing.auth(0)), 403, "host_only")
    refused(client.delete(playing.path, headers=playing.host), 409, "match_started")


@pytest.mark.parametrize(("method", "what"), [("DELETE", ""), ("POST", "/token")], ids=["leave", "renew"])
def test_leaving_and_renewing_are_judged_in_the_contracts_order(client: FlaskClient, method: str, what: str) -> None:
    over = begun(client, "wave", host_can_abort=True)
    client.delete(over.path, headers=over.host)

    def ask(path: str, **headers: str) -> Any:
        return client.open(f"{path}{what}", method=method, headers=headers)

    refused(ask(f"{over.path}/seats/9".replace("/wave/", "/chess/")), 404, "unknown_game")
    refused(ask(f"{over.path}/seats/9".replace("/wave/", "/onda/")), 404, "unknown_match")
    refused(ask(f"{over.path}/seats/9"), 404, "unknown_seat")
    refused(ask(f"{over.path}/seats/0"), 401, "unauthenticated")
    refused(ask(f"{over.path}/seats/0", **over.auth(1)), 403, "wrong_seat")
    refused(ask(f"{over.path}/seats/0", **over.host), 403, "wrong_seat")
    if method == "DELETE":
        refused(ask(f"{over.path}/seats/0", **over.auth(0)), 409, "match_over")


def test_reading_is_judged_in_the_contracts_order(client: FlaskClient) -> None:
    match = begun(client, "wave", visibility="unlisted")
    seat = f"{match.path}/seats/9/events?limit=x"
    refused(client.get(seat.replace("/wave/", "/chess/")), 404, "unknown_game")
    refused(client.get(seat.replace("/wave/", "/onda/")), 404, "unknown_match")
    refused(client.get(seat), 404, "unknown_seat")
    seat = seat.replace("/seats/9", "/seats/0")
    refused(client.get(seat), 401, "unauthenticated")
    refused(client.get(seat, headers=match.auth(1)), 403, "wrong_seat")
    refused(client.get(seat, headers=match.auth(0)), 422, "invalid")
    refused(client.get(f"{match.path}/events?limit=x"), 401, "unauthenticated")
    refused(client.get(f"{match.path}/events?limit=x", headers=match.host), 422, "invalid")
    refused(client.get(f"{match.path}/replay?seat=x"), 422, "invalid")
    refused(client.get(f"{match.path}/replay"), 409, "match_not_finished")


def test_addresses_that_only_look_right_are_not_found(client: FlaskClient) -> None:
    match = begun(client, "wave")
    paths = ["/", "/v1", "/v1/", "/v1/games/", "/v2/games", "//v1/games", "/v1//games", "/v1/games/wave/match"]
    paths += [f"{match.path}{rest}" for rest in ("/", "/seats/0", "/seats/0/", "/seats/0/hand")]
    for path in paths:
        answer = client.get(path)
        assert answer.status_code in (404, 405), path
        refused(answer, answer.status_code, "not_found" if answer.status_code == 404 else "method_not_allowed")


def test_405_names_the_methods_that_the_address_takes(client: FlaskClient) -> None:
    match = begun(client, "wave")
    allowed = {
        "/v1/games": {"GET"},
        "/v1/games/wave": {"GET"},
        "/v1/games/wave/matches": {"GET", "POST"},
        match.path: {"GET", "DELETE"},
        f"{match.path}/seats": {"POST"},
        f"{match.path}/seats/0": {"DELETE"},
        f"{match.path}/seats/0/token": {"POST"},
        f"{match.path}/seats/0/moves": {"POST"},
        f"{match.path}/seats/0/state": {"GET"},
        f"{match.path}/replay": {"GET"},
        "/livez": {"GET"},
        "/openapi.json": {"GET"},
    }
    for path, methods in allowed.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} - methods:
            answer = client.open(path, method=method)
            refused(answer, 405, "method_not_allowed")
            assert set(answer.headers["Allow"].split(", ")) - {"HEAD", "OPTIONS"} == methods, (method, path)
