"""Readers who share a round trip: each gets his own answers, and nobody fails for what another asked."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from service.store.errors import StoreUnavailable
from service.store.link import Link
from service.store.together import Together
from tests.support.play import at_once
from tests.support.server import RedisServer

READERS = 16


@pytest.fixture
def link(own_redis: RedisServer) -> Iterator[Link]:
    link = Link(own_redis.url, 1.0, READERS)
    yield link
    link.close()


def test_everybody_gets_his_own_answers(link: Link) -> None:
    together = Together(link.read)

    def ask(number: int) -> None:
        for turn in range(50):
            words = [f"{number} {turn} {place}".encode() for place in range(1 + number % 3)]
            assert together.read(*[("ECHO", word) for word in words]) == words

    at_once([lambda number=number: ask(number) for number in range(READERS)])


def test_those_who_come_while_one_gets_ready_travel_with_him(link: Link) -> None:
    trips: list[int] = []

    def counted(*commands: Any) -> list[Any]:
        trips.append(len(commands))
        return link.read(*commands)

    together = Together(counted)
    trip, _, leads = together._board([("ECHO", "first")])
    assert leads
    others = [threading.Thread(target=together.read, args=[("ECHO", "other")]) for _ in range(3)]
    for other in others:
        other.start()
    while len(trip.commands) < 4:
        time.sleep(0.001)
    together._go(trip)
    for other in others:
        other.join()
    assert trips == [4]
    assert trip.answers == [b"first", b"other", b"other", b"other"]


def test_a_command_that_is_refused_fails_for_its_own_reader_alone(link: Link, own_redis: RedisServer) -> None:
    with own_redis.client() as client:
        client.set("text", "no list")
    together = Together(link.read)

    def ask(number: int) -> None:
        for turn in range(50):
            if number % 4 == 0:
                with pytest.raises(StoreUnavailable):
                    together.read(("LRANGE", "text", 0, -1))
            else:
                assert together.read(("ECHO", f"{number} {turn}")) == [f"{number} {turn}".encode()]

    at_once([lambda number=number: ask(number) for number in range(READERS)])


def test_when_the_server_is_silent_nobody_waits_for_it_twice(link: Link, own_redis: RedisServer) -> None:
    together = Together(link.read)
    assert together.read(("ECHO", "warm")) == [b"warm"]
    own_redis.freeze()
    begun = time.monotonic()

    def ask() -> None:
        with pytest.raises(StoreUnavailable):
            together.read(("ECHO", "anybody"))

    at_once([ask] * READERS)
    took = time.monotonic() - begun
    own_redis.thaw()
    assert took < 1.9, f"it took {took:.2f} s with a time-out of 1 s"


def test_when_the_one_who_asks_for_all_is_stopped_the_others_ask_alone(link: Link) -> None:
    class Stopped(BaseException):
        """What kills a greenlet."""

    stopping = [Stopped()]

    def stopped_once(*commands: Any) -> list[Any]:
        if stopping:
            raise stopping.pop()
        return link.read(*commands)

    together = Together(stopped_once)
    trip, _, _ = together._board([("ECHO", "first")])
    other: list[Any] = []
    follower = threading.Thread(target=lambda: other.append(together.read(("ECHO", "other"))))
    follower.start()
    while len(trip.commands) < 2:
        time.sleep(0.001)
    with pytest.raises(Stopped):
        together._go(trip)
    follower.join()
    assert other == [[b"other"]]
    assert together.read(("ECHO", "next")) == [b"next"], "the next trip is a new one"
