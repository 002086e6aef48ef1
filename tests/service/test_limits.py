"""How often things may be done, by address and by token: each limit is a setting, and is answered 429 in its turn."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.settings import Settings
from tests.support.checked import checked_client
from tests.support.contract import bearer, begun
from tests.support.playing import Match
from tests.support.refusals import refused
from tests.support.server import RedisServer

HERE, THERE = "192.0.2.7", "198.51.100.8"
PATH = "/v1/games/onda/matches"


def at(address: str) -> dict[str, Any]:
    """A request that comes from this address."""
    return {"environ_overrides": {"REMOTE_ADDR": address}}


def limited(redis: RedisServer, **settings: int) -> FlaskClient:
    """A service with these limits and no others, that nobody has asked anything yet."""
    names = ("creates_per_minute", "claims_per_minute", "bots_per_minute", "seat_changes_per_minute")
    none: dict[str, Any] = dict.fromkeys(names, 0)
    return checked_client(redis, **{**none, **settings})


def too_many(answer: Any, limit: str) -> None:
    body = refused(answer, 429, "rate_limited")
    assert body["limit"] == limit
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert f"{answer.headers['Retry-After']} s" in body["detail"]


def test_so_many_matches_a_minute_are_set_up_from_one_address(empty_redis: RedisServer) -> None:
    client = limited(empty_redis, creates_per_minute=3)
    for _ in range(3):
        assert client.post(PATH, json={"seats": 2}, **at(HERE)).status_code == 201
    too_many(client.post(PATH, json={"seats": 2}, **at(HERE)), "create")
    too_many(client.post("/v1/games/wave/matches", json={"seats": 2}, **at(HERE)), "create")
    assert client.post(PATH, json={"seats": 2}, **at(THERE)).status_code == 201


def test_so_many_seats_a_minute_are_asked_for_from_one_address(empty_redis: RedisServer) -> None:
    client = limited(empty_redis, claims_per_minute=2)
    match = Match(client, "onda", 4)
    for _ in range(2):
        assert client.post(f"{match.path}/seats", json={"name": "Ana"}, **at(HERE)).status_code == 201
    too_many(client.post(f"{match.path}/seats", json={"name": "Ana"}, **at(HERE)), "claim")
    assert client.post(f"{match.path}/seats", json={"name": "Ana"}, **at(THERE)).status_code == 201


@pytest.mark.parametrize("what", ["", "/0/seats"], ids=["create", "claim"])
def test_429_by_address_is_judged_after_the_media_type_and_before_the_body(empty_redis: RedisServer, what: str) -> None:
    client = limited(empty_redis, creates_per_minute=1, claims_per_minute=1)
    path = f"{PATH}{what}"
    client.post(path, json={}, **at(HERE))
    refused(client.put(path, **at(HERE)), 405, "method_not_allowed")
    refused(client.post(path, data=b"x" * 70_000, **at(HERE)), 413, "too_large")
    refused(client.post(path, data=b"{", **at(HERE)), 415, "unsupported_media_type")
    as_json = {"data": b"{", "content_type": "application/json"}
    refused(client.post(path, **as_json, **at(HERE)), 429, "rate_limited")
    refused(client.post(path.replace("/onda/", "/chess/"), **as_json, **at(HERE)), 429, "rate_limited")
    refused(client.post(path, **as_json, **at(THERE)), 400, "malformed")


def test_one_token_changes_who_sits_only_so_often(empty_redis: RedisServer) -> None:
    client = limited(empty_redis, seat_changes_per_minute=3)
    match = begun(client, "onda")
    for _ in range(3):
        renewed = client.post(f"{match.path}/seats/0/token", headers=match.auth(0))
        assert renewed.status_code == 201
        match.tokens[0] = renewed.json["token"]
    too_many(client.post(f"{match.path}/seats/0/token", headers=match.auth(0)), "seat")
    too_many(client.delete(f"{match.path}/seats/0", headers=match.auth(0)), "seat")
    too_many(client.post(f"{match.path}/seats/0/takeover", headers=match.auth(0)), "seat")
    too_many(client.post(f"{match.path}/rematch", headers=match.auth(0)), "seat")
    refused(client.post(f"{match.path}/seats/0/token", headers=bearer("0" * 48)), 401, "unauthenticated")
    refused(client.post(f"{match.path}/seats/0/token", headers=match.auth(1)), 403, "wrong_seat")
    assert client.post(f"{match.path}/seats/1/token", headers=match.auth(1)).status_code == 201
    assert client.get(f"{match.path}/seats/0/state", headers=match.auth(0)).status_code == 200


def test_a_hosts_token_puts_bots_on_seats_and_takes_them_off_only_so_often(empty_redis: RedisServer) -> None:
    client = limited(empty_redis, seat_changes_per_minute=2)
    match = Match(client, "onda", 3)
    bot = {"bot": "rider"}
    assert client.post(f"{match.path}/seats", json=bot, headers=match.host).status_code == 201
    assert client.delete(f"{match.path}/seats/0", headers=match.host).status_code == 200
    too_many(client.post(f"{match.path}/seats", json=bot, headers=match.host), "seat")
    too_many(client.post(f"{match.path}/seats", json={"name": 7}, headers=match.host), "seat")
    assert client.post(f"{match.path}/seats", json={"name": "Ana"}).status_code == 201


def test_so_many_bots_a_minute_are_seated_from_one_address(empty_redis: RedisServer) -> None:
    client = limited(empty_redis, bots_per_minute=2)
    match = Match(client, "onda", 4)
    for _ in range(2):
        seated = client.post(f"{match.path}/seats", json={"bot": "rider"}, headers=match.host, **at(HERE))
        assert seated.status_code == 201
    too_many(client.post(f"{match.path}/seats", json={"bot": "rider"}, headers=match.host, **at(HERE)), "bot")
    refused(client.post(f"{match.path}/seats", json={"bot": "rider"}, **at(HERE)), 403, "host_only")
    assert client.post(f"{match.path}/seats", json={"name": "Ana"}, **at(HERE)).status_code == 201
    assert client.post(f"{match.path}/seats", json={"bot": "rider"}, headers=match.host, **at(THERE)).status_code == 201


def test_a_network_of_ipv6_counts_as_one_address(empty_redis: RedisServer) -> None:
    client = limited(empty_redis, creates_per_minute=1)
    assert client.post(PATH, json={"seats": 2}, **at("2001:db8:1:2::1")).status_code == 201
    too_many(client.post(PATH, json={"seats": 2}, **at("2001:db8:1:2:ffff:ffff:ffff:ffff")), "create")
    assert client.post(PATH, json={"seats": 2}, **at("2001:db8:1:3::1")).status_code == 201
    assert client.post(PATH, json={"seats": 2}, **at("::ffff:192.0.2.1")).status_code == 201
    too_many(client.post(PATH, json={"seats": 2}, **at("192.0.2.1")), "create")


def test_limits_hold_for_all_processes_together(empty_redis: RedisServer) -> None:
    one, other = (limited(empty_redis, creates_per_minute=1) for _ in range(2))
    assert one.post(PATH, json={"seats": 2}, **at(HERE)).status_code == 201
    too_many(other.post(PATH, json={"seats": 2}, **at(HERE)), "create")


def test_when_the_minute_is_over_there_are_as_many_again(empty_redis: RedisServer) -> None:
    client = limited(empty_redis, creates_per_minute=1)
    client.post(PATH, json={"seats": 2}, **at(HERE))
    answer = client.post(PATH, json={"seats": 2}, **at(HERE))
    with empty_redis.client() as redis:
        (counter,) = redis.keys("sb:try:*")
        assert redis.ttl(counter) <= int(answer.headers["Retry-After"]) <= 60
        redis.pexpire(counter, 0)  # as if that time had passed
    assert client.post(PATH, json={"seats": 2}, **at(HERE)).status_code == 201


def test_0_turns_a_limit_off_and_nothing_is_counted(empty_redis: RedisServer) -> None:
    client = limited(empty_redis)
    begun(client, "onda")
    with empty_redis.client() as redis:
        assert redis.keys("sb:try:*") == []


def test_guesses_side_by_side_are_ten_all_the_same(empty_redis: RedisServer) -> None:
    """However many are tried at once, from many processes: ten are told to be wrong, the others nothing."""
    clients = [limited(empty_redis) for _ in range(8)]
    match = Match(clients[0], "onda", 2, visibility="unlisted")

    def guess(number: int) -> int:
        asked = {"headers": bearer("00000000"), **at(HERE)}
        return int(clients[number % 8].get(f"{match.path}/state", **asked).status_code)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(guess, range(80)))
    assert (answers.count(401), answers.count(429)) == (10, 70)
    right = {"headers": bearer(match.made["join_code"]), **at(HERE)}
    refused(clients[0].get(f"{match.path}/state", **right), 429, "rate_limited")
    assert clients[0].get(f"{match.path}/state", headers=right["headers"], **at(THERE)).status_code == 200


def test_fewer_wrong_join_codes_can_be_allowed_but_not_more(empty_redis: RedisServer) -> None:
    client = limited(empty_redis, join_codes_per_minute=1)
    match = Match(client, "onda", 2, visibility="unlisted")
    wrong = {"headers": bearer("00000000"), **at(HERE)}
    refused(client.get(f"{match.path}/state", **wrong), 401, "unauthenticated")
    too_many(client.get(f"{match.path}/state", **wrong), "join_code")


def test_every_limit_is_on_unless_it_is_turned_off() -> None:
    settings = Settings.from_env({})
    limits = [name for name in Settings.__slots__ if name.endswith(("_per_minute", "_per_address"))]
    assert len(limits) >= 5
    assert all(getattr(settings, name) > 0 for name in limits)


def test_no_more_wait_from_one_address_than_are_allowed_and_each_that_goes_makes_room(empty_redis: RedisServer) -> None:
    checked = limited(empty_redis, connections_per_address=2)
    match = begun(checked, "onda")
    client = FlaskClient(checked.application, use_cookies=False)  # the checked one reads each answer to its end
    events = f"{match.path}/events"
    stream = {"headers": {"Accept": "text/event-stream"}}
    first, second = (client.get(events, **stream, **at(HERE), buffered=False) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200)
    for answer in (
        client.get(events, **stream, **at(HERE)),
        client.get(f"{events}?after=400&wait_s=1", **at(HERE)),
    ):
        assert refused(answer, 429, "rate_limited")["limit"] == "connections"
    assert client.get(events, **at(HERE)).status_code == 200, "what does not wait is not counted"
    assert client.head(events, **stream, **at(HERE)).status_code == 200
    assert client.get(f"{events}?after=400&wait_s=1", **at(THERE)).status_code == 200
    first.close()
    assert client.get(f"{events}?after=400&wait_s=1", **at(HERE)).status_code == 200
    second.close()
