"""Text and numbers that come in: what is taken, what is refused, byte by byte."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.kit.game import Game
from tests.support.contract import begun, few
from tests.support.playing import Match
from tests.support.refusals import refused

CONTROLS = ["\u0000", "\t", "\n", "\r", "\u001f", "\u007f", "\u0080", "\u0085", "\u009f"]
TEXTS = ["name", "nonce", "seed"]


@pytest.fixture
def match(client: FlaskClient) -> Match:
    return Match(client, "wave", 4)


def post(match: Match, field: str, raw: str) -> Any:
    """Send a text, spelled as in JSON without its quotes, in the request that takes it."""
    if field == "seed":
        path, body = "/v1/games/wave/matches", f'{{"seats": 2, "seed": "{raw}"}}'
    else:
        path = f"{match.path}/seats"
        body = f'{{"name": "{raw}"}}' if field == "name" else f'{{"name": "Ana", "{field}": "{raw}"}}'
    return match.client.post(path, data=body.encode(), content_type="application/json")


def spelled(text: str) -> str:
    return json.dumps(text)[1:-1]


@pytest.mark.parametrize("field", TEXTS)
@pytest.mark.parametrize("control", CONTROLS, ids=ascii)
def test_control_characters_are_refused_wherever_they_stand(match: Match, field: str, control: str) -> None:
    for text in (control, f"{control}a", f"a{control}b", f"a{control}"):
        body = refused(post(match, field, spelled(text)), 422, "invalid")
        assert body["errors"] == [{"path": f"$.{field}", "detail": "Expected text without control characters."}]


@pytest.mark.parametrize("field", TEXTS)
@pytest.mark.parametrize("raw", [r"\ud800", r"a\udfff", r"\udc00\ud800", r"\ud83d"])
def test_unpaired_surrogates_are_refused(match: Match, field: str, raw: str) -> None:
    refused(post(match, field, raw), 422, "invalid")


@pytest.mark.parametrize("field", TEXTS)
@pytest.mark.parametrize("text", ["a", "Ünï çødé", "海", "🌊", "a b", "'\"\\/", "\u200b", "0"])
def test_any_other_text_is_taken(match: Match, field: str, text: str) -> None:
    assert post(match, field, spelled(text)).status_code == 201


def test_paired_surrogates_are_one_character(match: Match) -> None:
    assert post(match, "name", r"\ud83c\udf0a" * 40).status_code == 201
    assert match.client.get(match.path).json["seats"][0]["name"] == "🌊" * 40


def test_a_name_has_1_to_40_characters(match: Match) -> None:
    refused(post(match, "name", ""), 422, "invalid")
    assert post(match, "name", "n").status_code == 201
    assert post(match, "name", "é" * 40).status_code == 201
    refused(post(match, "name", "n" * 41), 422, "invalid")


def test_a_nonce_has_at_most_64_bytes(match: Match) -> None:
    assert post(match, "nonce", "").status_code == 201
    assert post(match, "nonce", "é" * 32).status_code == 201
    assert refused(post(match, "nonce", "é" * 32 + "x"), 422, "invalid")["errors"][0]["path"] == "$.nonce"
    refused(post(match, "nonce", "x" * 65), 422, "invalid")


def test_a_seed_has_at_most_256_bytes(match: Match) -> None:
    assert post(match, "seed", "").status_code == 201
    assert post(match, "seed", "🌊" * 64).status_code == 201
    assert refused(post(match, "seed", "🌊" * 64 + "x"), 422, "invalid")["errors"][0]["path"] == "$.seed"
    refused(post(match, "seed", "x" * 257), 422, "invalid")


def test_a_whole_number_may_be_spelled_2_0(client: FlaskClient, game: Game) -> None:
    path = f"/v1/games/{game.key}/matches"
    for spelling in ("2.0", "2e0", "20E-1"):
        raw = f'{{"seats": {spelling}}}'
        assert client.post(path, data=raw, content_type="application/json").status_code == 201, spelling


@pytest.mark.parametrize("spelling", ['"2"', "true", "2.5", "null", "[2]", "{}", "1e400", "-0.5", '"2.0"', "9e99"])
def test_integers_are_strict(client: FlaskClient, game: Game, spelling: str) -> None:
    path = f"/v1/games/{game.key}/matches"
    raw = f'{{"seats": {spelling}}}'
    refused(client.post(path, data=raw, content_type="application/json"), 422, "invalid")


@pytest.mark.parametrize("value", ["0", True, 0.5, [0], {}, -1, 2**31, 2**80])
def test_integers_are_strict_in_claims_and_moves_too(match: Match, value: Any) -> None:
    refused(match.client.post(f"{match.path}/seats", json={"name": "Ana", "seat": value}), 422, "invalid")
    match.sit()
    move = {"type": "play", "card": 1}
    refused(match.move(0, move, expected_version=value), 422, "invalid")
    refused(match.move(0, {"type": "play", "card": value}), 422, "invalid")


@pytest.mark.parametrize("value", ["true", "false", 0, 1, None])
def test_booleans_are_strict(client: FlaskClient, game: Game, value: Any) -> None:
    body = {"seats": few(game), "host_can_abort": value}
    refused(client.post(f"/v1/games/{game.key}/matches", json=body), 422, "invalid")


@pytest.mark.parametrize("tag", [["play"], {"type": "play"}, 3, 1.5, None, True, "", "PLAY", "fly", "play\n"], ids=repr)
def test_the_tag_of_a_move_is_one_of_its_types_and_nothing_else(client: FlaskClient, game: Game, tag: Any) -> None:
    match = begun(client, game)
    refused(match.move(0, {"type": tag, "card": 1}), 422, "invalid")


@pytest.mark.parametrize("move", [None, [], "play", 3, True, {}, {"card": 1}, [{"type": "pass"}]], ids=repr)
def test_a_move_is_an_object_with_a_type(client: FlaskClient, game: Game, move: Any) -> None:
    match = begun(client, game)
    refused(match.move(0, move), 422, "invalid")


def test_unknown_fields_of_a_move_are_refused(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    seat = client.get(match.path).json["to_move"][0]
    move = match.seat(seat, "legal-moves")["moves"][0]
    refused(match.move(seat, {**move, "colour": "blue"}), 422, "invalid")
    refused(match.move(seat, move, colour="blue"), 422, "invalid")
    assert match.move(seat, move).status_code == 201


NO_JSON = [
    b"", b"{", b"nonsense", b"{'seats': 2}", b'{"seats": NaN}', b'{"seats": 2}}', b"\xff", b'{"seats": "\xff"}',
    b"\xef\xbb\xbf{}", b"[" * 20_000, b'{"seats": 2} x', b'{"seats": 02}', b'{"seats": Infinity}', b'{"seats": 2,}',
]  # fmt: skip


@pytest.mark.parametrize("raw", NO_JSON, ids=range(len(NO_JSON)))
def test_what_is_not_json_is_malformed(client: FlaskClient, game: Game, raw: bytes) -> None:
    answer = client.post(f"/v1/games/{game.key}/matches", data=raw, content_type="application/json")
    refused(answer, 400, "malformed")


@pytest.mark.parametrize("raw", [b"[]", b"null", b"3", b'"text"', b"true"])
def test_json_that_is_no_object_is_invalid(client: FlaskClient, game: Game, raw: bytes) -> None:
    answer = client.post(f"/v1/games/{game.key}/matches", data=raw, content_type="application/json")
    refused(answer, 422, "invalid")


@pytest.mark.parametrize("key", ["", " ", "k" * 129, "ü", "a\tb", "\x7f"])
def test_an_idempotency_key_is_printable_and_has_at_most_128_characters(client: FlaskClient, key: str) -> None:
    answer = client.post("/v1/games/wave/matches", json={"seats": 2}, headers={"Idempotency-Key": key})
    assert refused(answer, 422, "invalid")["errors"][0]["path"] == "Idempotency-Key"


def test_the_longest_key_is_taken(client: FlaskClient) -> None:
    answer = client.post("/v1/games/wave/matches", json={"seats": 2}, headers={"Idempotency-Key": "~ !" * 42 + "k~"})
    assert answer.status_code == 201
