"""Unlisted matches: who gets in, who may watch, and how often a join code may be guessed."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.kit.game import Game
from tests.support.contract import bearer, begun, few
from tests.support.playing import Match
from tests.support.refusals import refused


@pytest.fixture
def match(client: FlaskClient, game: Game) -> Match:
    return Match(client, game.key, few(game), visibility="unlisted")


def at(address: str) -> dict[str, Any]:
    """A request that comes from this address."""
    return {"environ_overrides": {"REMOTE_ADDR": address}}


def test_a_claim_needs_the_join_code(match: Match) -> None:
    seats = f"{match.path}/seats"
    refused(match.client.post(seats, json={"name": "Ana"}), 403, "wrong_join_code")
    refused(match.client.post(seats, json={"name": "Ana", "join_code": "00000000"}), 403, "wrong_join_code")
    refused(match.client.post(seats, json={"name": "Ana", "join_code": ""}), 403, "wrong_join_code")
    assert match.client.post(seats, json={"name": "Ana", "join_code": match.made["join_code"]}).status_code == 201


def test_the_host_token_stands_for_the_join_code(match: Match) -> None:
    assert match.client.post(f"{match.path}/seats", json={"name": "Ana"}, headers=match.host).status_code == 201


def test_a_seats_token_does_not_stand_for_the_join_code(match: Match) -> None:
    match.sit(1)
    claim = match.client.post(f"{match.path}/seats", json={"name": "Bo"}, headers=match.auth(0))
    refused(claim, 403, "wrong_join_code")


def test_who_knows_the_id_sees_the_public_match(match: Match) -> None:
    assert match.client.get(match.path).json["visibility"] == "unlisted"


@pytest.mark.parametrize("what", ["state", "events"])
def test_watching_takes_the_join_code_the_host_token_or_any_seats_token(match: Match, what: str) -> None:
    match.sit()
    path = f"{match.path}/{what}"
    refused(match.client.get(path), 401, "unauthenticated")
    refused(match.client.get(path, headers=bearer("0" * 48)), 401, "unauthenticated")
    refused(match.client.get(path, headers=bearer("00000000")), 401, "unauthenticated")
    for token in (match.made["join_code"], match.made["host_token"], *match.tokens):
        assert match.client.get(path, headers=bearer(token)).status_code == 200


@pytest.mark.parametrize("what", ["state", "events"])
def test_a_listed_match_is_watched_by_all(client: FlaskClient, game: Game, what: str) -> None:
    listed = begun(client, game)
    assert client.get(f"{listed.path}/{what}").status_code == 200
    assert client.get(f"{listed.path}/{what}", headers=listed.auth(0)).status_code == 200


def test_ten_wrong_join_codes_a_minute_then_429_with_retry_after_and_the_limits_name(match: Match) -> None:
    wrong = {"name": "Ana", "join_code": "00000000"}
    right = {"name": "Ana", "join_code": match.made["join_code"]}
    seats = f"{match.path}/seats"
    for _ in range(10):
        refused(match.client.post(seats, json=wrong, **at("192.0.2.1")), 403, "wrong_join_code")
    for claim in (wrong, right):
        answer = match.client.post(seats, json=claim, **at("192.0.2.1"))
        body = refused(answer, 429, "rate_limited")
        assert body["limit"] == "join_code"
        assert 1 <= int(answer.headers["Retry-After"]) <= 60
    refused(match.client.get(f"{match.path}/state", headers=bearer("00000000"), **at("192.0.2.1")), 429, "rate_limited")


def test_the_limit_is_for_each_match_and_each_address(match: Match) -> None:
    for _ in range(10):
        match.client.get(f"{match.path}/events", headers=bearer("00000000"), **at("192.0.2.2"))
    refused(
        match.client.get(f"{match.path}/events", headers=bearer("00000000"), **at("192.0.2.2")), 429, "rate_limited"
    )
    claim = {"name": "Ana", "join_code": match.made["join_code"]}
    assert match.client.post(f"{match.path}/seats", json=claim, **at("192.0.2.3")).status_code == 201
    other = Match(match.client, match.made["match"]["game"], match.seats, visibility="unlisted")
    claim = {"name": "Ana", "join_code": other.made["join_code"]}
    assert match.client.post(f"{other.path}/seats", json=claim, **at("192.0.2.2")).status_code == 201


def test_right_join_codes_are_not_counted(match: Match) -> None:
    watch = {"headers": bearer(match.made["join_code"]), **at("192.0.2.4")}
    assert [match.client.get(f"{match.path}/state", **watch).status_code for _ in range(15)] == [200] * 15


def test_tokens_are_not_hindered_by_an_addresss_wrong_join_codes(match: Match) -> None:
    match.sit(1)
    for _ in range(11):
        match.client.get(f"{match.path}/state", headers=bearer("00000000"), **at("192.0.2.5"))
    assert match.client.get(f"{match.path}/state", headers=match.auth(0), **at("192.0.2.5")).status_code == 200
