"""Writers who share an exchange: each gets the answer to his own, and what is certain of one stays certain."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hiredis import pack_command

from service.store.convoy import Convoys, Errand
from service.store.errors import OutcomeUnknown, StoreUnavailable
from service.store.link import Link, Script
from service.store.port import Meanwhile, nothing
from tests.support.play import at_once
from tests.support.proxy import Fault, proxy_to
from tests.support.server import RedisServer

WRITERS = 16
ECHO = Script("return ARGV[1]")
COUNT = Script("redis.call('INCR', KEYS[1]) return 1", lasting=True)
BROKEN = Script("return redis.call('INCR', KEYS[1])")


class Stopped(BaseException):
    """What kills a greenlet."""


@pytest.fixture
def link(own_redis: RedisServer) -> Iterator[Link]:
    link = Link(own_redis.url, 1.0, WRITERS)
    yield link
    link.close()


def errand(*command: Any, lasting: bool = False) -> Errand:
    return Errand(pack_command(command), lasting, False)


def of(script: Script, keys: list[str], args: list[str]) -> Errand:
    return errand("EVAL", script.text, len(keys), *keys, *args, lasting=script.lasting)


class Together:
    """Writers who board one convoy before it leaves: the first leads it."""

    def __init__(self, convoys: Convoys, *errands: Errand) -> None:
        self.convoys = convoys
        self.convoy, _, leads = convoys._board(errands[0])
        assert leads
        self.came_to: list[Any] = [None] * len(errands)
        self._others = [
            threading.Thread(target=self._write, args=[number, one]) for number, one in enumerate(errands) if number
        ]
        for number, other in enumerate(self._others, 2):
            other.start()
            while len(self.convoy.errands) < number:
                time.sleep(0.001)

    def _write(self, number: int, one: Errand) -> None:
        try:
            self.came_to[number] = self.convoys.write(one, nothing)
        except StoreUnavailable as failure:
            self.came_to[number] = failure
        except OutcomeUnknown as failure:
            self.came_to[number] = failure

    def go(self) -> list[Any]:
        """What each of them came to."""
        try:
            self.convoys._lead(self.convoy, nothing)
            if self.convoy.answers is not None:
                self.came_to[0] = self.convoy.answers[0]
        finally:
            for other in self._others:
                other.join()
        return self.came_to


def test_everybody_gets_his_own_answer(link: Link) -> None:
    def write(number: int) -> None:
        for turn in range(50):
            assert link.write(ECHO, [], [f"{number} {turn}"]) == f"{number} {turn}".encode()

    at_once([lambda number=number: write(number) for number in range(WRITERS)])


def test_those_who_are_ready_travel_in_one_piece(link: Link) -> None:
    sizes: list[int] = []

    def counted(errands: list[Errand], meanwhile: Meanwhile) -> list[Any]:
        sizes.append(len(errands))
        return link._exchange(errands, meanwhile)

    came_to = Together(Convoys(counted), *(of(ECHO, [], [word]) for word in "abcd")).go()
    assert came_to == [b"a", b"b", b"c", b"d"]
    assert sizes == [4]


def test_who_is_alone_waits_for_nobody_and_who_is_not_lets_others_board() -> None:
    seen: list[bool] = []
    convoys = Convoys(lambda errands, _: [None] * len(errands))
    first, _, _ = convoys._board(errand("PING"))
    seen.append(first.company)
    convoys._depart(first)
    second, _, _ = convoys._board(errand("PING"))
    seen.append(second.company)
    convoys._lead(second, nothing)
    convoys._arrive(first)
    third, _, _ = convoys._board(errand("PING"))
    seen.append(third.company)
    assert seen == [False, True, False]


def test_a_write_that_is_refused_fails_for_its_own_writer_alone(link: Link, own_redis: RedisServer) -> None:
    with own_redis.client() as client:
        client.set("text", "no number")

        def write(number: int) -> None:
            for turn in range(50):
                if number % 4 == 0:
                    with pytest.raises(StoreUnavailable):
                        link.write(BROKEN, ["text"], [])
                else:
                    assert link.write(ECHO, [], [f"{number} {turn}"]) == f"{number} {turn}".encode()

        at_once([lambda number=number: write(number) for number in range(WRITERS)])
        assert client.get("text") == b"no number"


def test_a_script_that_the_server_has_forgotten_is_sent_again_by_each_who_needs_it(
    link: Link, own_redis: RedisServer
) -> None:
    with own_redis.client() as client:
        for _ in range(3):
            client.script_flush()
            at_once([lambda: link.write(COUNT, ["count"], [])] * WRITERS)
        assert client.get("count") == b"%d" % (3 * WRITERS)


@pytest.mark.parametrize("fault", [Fault.LOSE_ANSWER, Fault.SWALLOW_ANSWER, Fault.LOSE_COMMAND, Fault.SWALLOW_COMMAND])
def test_what_was_answered_before_a_break_is_known_and_the_rest_is_not(own_redis: RedisServer, fault: Fault) -> None:
    with own_redis.client() as client, proxy_to(own_redis) as proxy:
        proxy.plan(("INCR", fault))
        link = Link(proxy.url, 0.5, 2)
        first, broken, last = of(COUNT, ["first"], []), errand("INCR", "second"), of(COUNT, ["third"], [])
        came_to = Together(Convoys(link._exchange), first, broken, last).go()
        assert came_to[0] == 1
        assert [type(one) for one in came_to[1:]] == [OutcomeUnknown, OutcomeUnknown]
        assert client.get("first") == b"1"
        assert link.write(ECHO, [], ["next"]) == b"next"


def test_when_the_server_is_silent_nobody_waits_for_it_twice(link: Link, own_redis: RedisServer) -> None:
    assert link.write(ECHO, [], ["warm"]) == b"warm"
    own_redis.freeze()
    begun = time.monotonic()

    def write() -> None:
        with pytest.raises((OutcomeUnknown, StoreUnavailable)):  # of those who first try a new connection nothing left
            link.write(ECHO, [], ["anybody"])

    at_once([write] * WRITERS)
    took = time.monotonic() - begun
    own_redis.thaw()
    assert took < 1.9, f"it took {took:.2f} s with a time-out of 1 s"


def test_when_the_one_who_leads_is_stopped_on_the_way_the_others_know_nothing(link: Link) -> None:
    def stopped(errands: list[Errand], meanwhile: Meanwhile) -> list[Any]:
        link._exchange(errands, meanwhile)
        raise Stopped

    convoys = Convoys(stopped)
    party = Together(convoys, of(COUNT, ["count"], []), of(COUNT, ["count"], []))
    with pytest.raises(Stopped):
        party.go()
    assert isinstance(party.came_to[1], OutcomeUnknown)
    assert convoys._boarding is None, "the next one gathers anew"
    assert convoys._under_way == 0
    assert link.read(("GET", "count")) == [b"2"]


def test_when_the_one_who_leads_is_stopped_before_nothing_was_done_for_certain(
    link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    convoys = Convoys(link._exchange)
    convoys._under_way = 1  # so that he lets others board
    party = Together(convoys, of(COUNT, ["count"], []), of(COUNT, ["count"], []))

    def stop(_seconds: float) -> None:
        raise Stopped

    with monkeypatch.context() as stopping:
        stopping.setattr("service.store.convoy.time.sleep", stop)
        with pytest.raises(Stopped):
            party.convoys._lead(party.convoy, nothing)
    party._others[0].join()
    assert isinstance(party.came_to[1], StoreUnavailable)
    assert link.read(("GET", "count")) == [None]
    assert Together(convoys, of(COUNT, ["count"], [])).go() == [1], "the next one gathers anew"


def test_what_fails_meanwhile_fails_for_its_own_writer_alone(link: Link) -> None:
    party = Together(Convoys(link._exchange), of(ECHO, [], ["mine"]), of(ECHO, [], ["other"]))

    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        party.convoys._lead(party.convoy, fail)
    party._others[0].join()
    assert party.came_to[1] == b"other"


def test_the_replicas_that_are_missing_are_missed_by_lasting_writes_alone(own_redis: RedisServer) -> None:
    link = Link(own_redis.url, 1.0, 2, replicas=1)
    came_to = Together(Convoys(link._exchange), of(COUNT, ["count"], []), of(ECHO, [], ["other"])).go()
    assert isinstance(came_to[0], OutcomeUnknown)
    assert "not on 1 replicas" in str(came_to[0])
    assert came_to[1] == b"other"
