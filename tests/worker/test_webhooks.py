"""What a platform hears: everything once, in order and signed, whatever its endpoint does; or that it was given up."""

import json
import logging
import time
from collections.abc import Callable

import pytest
from standardwebhooks.webhooks import Webhook

from service.table.hooks import GIVEN_UP_AFTER_MS, WAITS_S
from tests.support.platform import Match, Platform
from tests.support.receiver import Answering, Receiver
from tests.support.server import RedisServer

DAY_S = GIVEN_UP_AFTER_MS / 1000


def drip(answering: Answering) -> None:
    """A byte now and then, for ever: each of them would renew a time-out that counts from the last byte."""
    answering.raw("HTTP/1.1 200 OK\r\nX: ")
    while not answering.receiver.closing.wait(0.05):
        answering.raw("x")


def hang(answering: Answering) -> None:
    answering.receiver.closing.wait(30)


FAILURES: dict[str, Callable[[Answering], None]] = {
    "a refusal": lambda a: a.status(400),
    "a breakdown": lambda a: a.status(503),
    "a redirect": lambda a: a.status(302, location=a.receiver.url),
    "a redirect that keeps the method": lambda a: a.status(307, location=a.receiver.url),
    "not modified": lambda a: a.status(304),
    "no answer": lambda a: a.raw(""),
    "half a head": lambda a: a.raw("HTTP/1.1 200 OK\r\nContent-"),
    "something else than HTTP": lambda a: a.raw("220 mail.example ESMTP\r\n"),
    "a status that is none": lambda a: a.raw("HTTP/1.1 2000 OK\r\n\r\n"),
    "a head without end": lambda a: a.raw("HTTP/1.1 200 OK\r\n" + "X: y\r\n" * 20_000),
    "interim answers without end": lambda a: a.raw("HTTP/1.1 102 Processing\r\n\r\n" * 20_000),
    "another protocol": lambda a: a.raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
}

SUCCESSES: dict[str, Callable[[Answering], None]] = {
    "200 with garbage": lambda a: a.raw("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n\x00\x01{]<>\xff"),
    "200 that promises more than it sends": lambda a: a.raw("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nx"),
    "200 that sends more than it promises": lambda a: a.raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxxxxx"),
    "200 with broken chunks": lambda a: a.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    "200 that says 500 in its body": lambda a: a.raw('HTTP/1.0 200 OK\r\n\r\n{"status": 500}'),
    "202": lambda a: a.status(202),
    "204 after an interim answer": lambda a: a.raw("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
    "200 and megabytes": lambda a: a.raw("HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n" + "x" * 9_000_000),
}


def assert_told_as_fed(endpoint: Receiver, match: Match) -> None:
    """All of the feed was delivered, each event once, in order, exactly as it stands there."""
    assert [delivery.event for delivery in endpoint.got] == match.feed()
    assert endpoint.ids == [f"{match.id}.{number}" for number in range(1, len(endpoint.got) + 1)]


def test_everything_is_told_in_order_and_signed(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url, host_can_abort=True).sit("Ann", "Bo")
    for _ in range(25):  # more than are delivered in one go
        match.move()
    match.abort()
    platform.tell_all(match)
    assert_told_as_fed(endpoint, match)
    assert endpoint.got[-1].event["type"] == "match_aborted"
    for delivery in endpoint.got:
        assert delivery.signed_with(match.secret)
        body = json.loads(delivery.body)
        assert (body["type"], body["timestamp"]) == (delivery.event["type"], delivery.event["at"])
        assert (body["data"]["game"], body["data"]["match"]) == ("onda", match.id)
        assert (delivery.path, delivery.headers["content-type"]) == ("/hook", "application/json")
        assert delivery.headers["host"] == f"127.0.0.1:{endpoint.port}"
    assert platform.tell(match) is None
    assert_told_as_fed(endpoint, match)


def test_only_events_that_were_asked_for_are_told(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url, events=["seat_claimed", "match_aborted"], host_can_abort=True)
    platform.tell_all(match)
    assert endpoint.got == []
    match.sit("Ann", "Bo").move()
    platform.tell_all(match)
    match.abort()
    platform.tell_all(match)
    assert [delivery.event["type"] for delivery in endpoint.got] == ["seat_claimed", "seat_claimed", "match_aborted"]


@pytest.mark.parametrize("failure", FAILURES)
def test_what_fails_is_tried_again_later_with_the_same_id(platform: Platform, endpoint: Receiver, failure: str) -> None:
    match = platform.match(endpoint.url).sit("Ann")
    endpoint.behaviours = [FAILURES[failure]]
    next_ms = platform.tell(match)
    assert next_ms is not None
    assert 3_000 <= next_ms <= 6_000
    assert len(endpoint.got) == 1, "no redirect is followed, and nothing overtakes what failed"
    assert 0 < (platform.tell(match) or 0) <= 6_000
    assert len(endpoint.got) == 1, "and nothing is tried before its time"
    platform.clock.pass_s(6)
    platform.tell_all(match)
    first, again, *others = endpoint.got
    assert (first.id, first.body) == (again.id, again.body)
    assert [delivery.event for delivery in (again, *others)] == match.feed()


@pytest.mark.parametrize("success", SUCCESSES)
def test_an_answer_in_the_two_hundreds_counts_whatever_else_is_wrong_with_it(
    platform: Platform, endpoint: Receiver, success: str
) -> None:
    match = platform.match(endpoint.url)
    endpoint.behaviours = [SUCCESSES[success]]
    platform.tell_all(match)
    assert_told_as_fed(endpoint, match)


@pytest.mark.parametrize("slow", [hang, drip])
def test_an_endpoint_that_takes_too_long_has_failed(
    shared_redis: RedisServer, endpoint: Receiver, slow: Callable[[Answering], None]
) -> None:
    platform = Platform(shared_redis, timeout_s=0.5)
    match = platform.match(endpoint.url)
    endpoint.behaviours = [slow]
    begun = time.monotonic()
    assert (platform.tell(match) or 0) > 3_000
    assert 0.45 <= time.monotonic() - begun < 2.5
    platform.clock.pass_s(6)
    platform.tell_all(match)
    assert endpoint.ids == [f"{match.id}.1"] * 2


def test_an_endpoint_that_is_away_hears_everything_when_it_is_back(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url, host_can_abort=True)
    platform.tell_all(match)
    endpoint.go()
    match.sit("Ann", "Bo").move()
    for _ in range(3):
        assert (platform.tell(match) or 0) > 0
        platform.clock.pass_s(600)
    match.abort()
    endpoint.come()
    platform.tell_all(match)
    assert_told_as_fed(endpoint, match)


def test_nothing_is_lost_doubled_or_overtaken_when_every_other_attempt_fails(
    platform: Platform, endpoint: Receiver
) -> None:
    match = platform.match(endpoint.url).sit("Ann", "Bo")
    kinds = list(FAILURES.values())
    for number in range(10):
        match.move()
        endpoint.behaviours = [lambda a: a.status(204)] * (number % 3) + [kinds[number]]
        platform.tell(match)
        platform.clock.pass_s(7)
    platform.clock.pass_s(10_000)
    platform.tell_all(match)
    once = list(dict.fromkeys(endpoint.ids))
    assert once == [f"{match.id}.{event['seq']}" for event in match.feed()]
    places = [once.index(id) for id in endpoint.ids]
    assert places == sorted(places), "an event is never told after a newer one"
    assert len({delivery.body for delivery in endpoint.got}) == len(once), "and always in the same words"


def test_the_waits_grow_and_after_a_day_the_endpoint_is_given_up(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url).sit("Ann")
    endpoint.behave = FAILURES["a breakdown"]
    waited_s, waits = 0.0, []
    while (next_ms := platform.tell(match)) is not None:
        assert match.public()["webhook"] == "on"
        waits.append(next_ms / 1000)
        waited_s += next_ms / 1000
        platform.clock.pass_s(next_ms / 1000 + 0.001)
    for wait, wanted in zip(waits, WAITS_S, strict=False):
        assert 0.75 * wanted <= wait <= 1.25 * wanted
    assert DAY_S - 5 <= waited_s <= DAY_S + 5
    assert len(endpoint.got) == len(waits) + 1 < 30
    assert set(endpoint.ids) == {f"{match.id}.1"}
    assert match.public()["webhook"] == "off"
    last = match.feed()[-1]
    assert (last["type"], last["seat"], last["data"]) == ("webhook_switched_off", None, {"reason": "failing"})
    match.sit("Bo")
    endpoint.behave = SUCCESSES["202"]
    assert platform.tell(match) is None
    assert len(endpoint.got) == len(waits) + 1, "given up is given up"


def test_a_day_on_which_no_worker_worked_is_not_held_against_an_endpoint(
    platform: Platform, endpoint: Receiver
) -> None:
    match = platform.match(endpoint.url)
    endpoint.behaviours = [FAILURES["a breakdown"]] * 2
    platform.tell(match)
    platform.clock.pass_s(2 * DAY_S)
    assert 0 < (platform.tell(match) or 0) < 60_000
    assert match.public()["webhook"] == "on"
    platform.clock.pass_s(60)
    platform.tell_all(match)
    assert [delivery.event for delivery in endpoint.got[2:]] == match.feed()


def test_one_success_forgives_all_failures(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url).sit("Ann")
    for _ in range(4):  # each of them most of a day
        endpoint.behaviours = [FAILURES["a breakdown"], FAILURES["no answer"], SUCCESSES["202"]]
        match.client.post(f"{match.path}/seats/0/token", headers={"Authorization": f"Bearer {match.tokens[-1]}"})
        headers = {"Authorization": f"Bearer {match.made['host_token']}"}
        match.tokens.append(match.client.post(f"{match.path}/seats/0/token", headers=headers).json["token"])
        for _ in range(3):
            platform.tell(match)
            platform.clock.pass_s(DAY_S / 4)
    assert match.public()["webhook"] == "on"
    platform.tell_all(match)
    assert list(dict.fromkeys(endpoint.ids)) == [f"{match.id}.{event['seq']}" for event in match.feed()]


def test_who_says_gone_is_not_asked_again(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url).sit("Ann")
    endpoint.behave = lambda answering: answering.status(410)
    assert platform.tell(match) is None
    assert match.public()["webhook"] == "off"
    assert match.feed()[-1]["data"] == {"reason": "gone"}
    assert platform.tell(match) is None
    assert len(endpoint.got) == 1


def test_after_the_end_the_feed_stays_as_it_is(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url)
    match.abort()
    endpoint.behave = lambda answering: answering.status(410)
    assert platform.tell(match) is None
    assert match.public()["webhook"] == "off"
    assert match.feed()[-1]["type"] == "match_aborted", "which is the last event of every match"


def test_the_last_events_get_through_long_after_the_end(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url).sit("Ann")
    match.abort()
    endpoint.behaviours = [FAILURES["a breakdown"]] * 8
    while (next_ms := platform.tell(match)) is not None:
        platform.clock.pass_s(next_ms / 1000 + 0.001)
    assert endpoint.got[-1].event["type"] == "match_aborted"
    assert [delivery.event for delivery in endpoint.got[8:]] == match.feed()


def test_a_platform_hears_no_more_than_spectators_see(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url, spectators={"open": True, "delay": 3}, host_can_abort=True).sit("Ann", "Bo")
    for _ in range(8):
        match.move()
        platform.tell_all(match)
        assert_told_as_fed(endpoint, match)
        assert max(delivery.event["version"] for delivery in endpoint.got) == max(0, match_version(match) - 3)
    match.abort()
    platform.tell_all(match)
    assert_told_as_fed(endpoint, match)
    assert endpoint.got[-1].event["type"] == "match_aborted"


def match_version(match: Match) -> int:
    headers = {"Authorization": f"Bearer {match.tokens[0]}"}
    version: int = match.client.get(f"{match.path}/seats/0/state", headers=headers).json["version"]
    return version


def test_a_match_that_is_gone_has_nothing_to_tell(platform: Platform, shared_redis: RedisServer) -> None:
    match = platform.match("http://127.0.0.1:9/")
    assert (platform.tell(match) or 0) > 0, "nobody listens on the port `discard`"
    with shared_redis.client() as client:
        keys = list(client.scan_iter(f"*{match.id}*", count=1000))
        times = [client.pttl(key) for key in keys if key.endswith((b"}", b":feed"))]
        assert max(times) - min(times) < 50, "what is noted lives as long as the match"
        client.delete(*keys)
        platform.clock.pass_s(60)
        assert platform.tell(match) is None
        assert list(client.scan_iter(f"*{match.id}*", count=1000)) == [], "and does not come back"


def test_a_repeated_creation_gives_the_same_secret(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url)
    platform.tell_all(match)
    again = match.client.post(**match.asked)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json["webhook_secret"] == match.secret, "what was signed already stays verifiable"
    assert again.json["match"]["match"] == match.id
    platform.tell_all(match)
    assert all(delivery.signed_with(match.secret) for delivery in endpoint.got)
    assert_told_as_fed(endpoint, match)


def test_each_attempt_is_signed_with_its_own_time(platform: Platform, endpoint: Receiver) -> None:
    match = platform.match(endpoint.url)
    endpoint.behaviours = [FAILURES["a breakdown"]]
    platform.tell(match)
    platform.clock.pass_s(3600)
    platform.tell_all(match)
    first, again = endpoint.got
    assert int(again.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) >= 3600
    assert first.headers["webhook-signature"] != again.headers["webhook-signature"]
    assert first.signed_with(match.secret)
    with pytest.raises(Exception, match="too new"):
        again.signed_with(match.secret)
    with pytest.raises(Exception, match="No matching signature"):
        Webhook("whsec_" + "A" * 32).verify(first.body, first.headers)


def test_secret_and_address_are_shown_nowhere(
    platform: Platform, endpoint: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    match = platform.match(f"{endpoint.url}?key=platforms-own-secret").sit("Ann", "Bo")
    endpoint.behaviours = [FAILURES["a breakdown"], FAILURES["no answer"], lambda a: a.status(410)]
    while (next_ms := platform.tell(match)) is not None:
        platform.clock.pass_s(next_ms / 1000 + 0.001)
    assert endpoint.got[0].path == "/hook?key=platforms-own-secret"
    shown = [json.dumps(match.public()), json.dumps(match.feed()), caplog.text]
    shown.append(match.client.get(f"{match.path}/state").get_data(as_text=True))
    assert "webhook of" in caplog.text, "what fails is logged"
    for text in shown:
        assert "platforms-own-secret" not in text
        assert match.secret.removeprefix("whsec_") not in text


def test_a_rematch_is_told_to_the_same_platform_even_if_it_had_been_given_up(
    platform: Platform, endpoint: Receiver
) -> None:
    match = platform.match(endpoint.url, game="wave").sit("Ann", "Bo")
    while match.public()["status"] == "playing":
        match.move()
    assert match.public()["status"] == "finished"
    endpoint.behaviours = [lambda answering: answering.status(410)]
    platform.tell(match)
    assert match.public()["webhook"] == "off"
    for token in match.tokens:
        headers = {"Authorization": f"Bearer {token}"}
        next_id = match.client.post(f"{match.path}/rematch", headers=headers).json["match"]
    endpoint.got.clear()
    assert platform.teller.tell(platform.table, next_id) is None
    created, *others = endpoint.got
    assert (created.id, created.event["data"]) == (f"{next_id}.1", {"rematch_of": match.id})
    assert "match_started" in [delivery.event["type"] for delivery in others]
    assert created.signed_with(match.secret)


def test_a_match_without_a_webhook_has_none(platform: Platform) -> None:
    made = platform.client.post("/v1/games/onda/matches", json={"seats": 2}).json
    assert (made.get("webhook_secret"), made["match"].get("webhook")) == (None, None)
    assert platform.teller.tell(platform.table, made["match"]["match"]) is None
