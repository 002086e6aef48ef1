"""The hub: nobody misses news, whatever happens to the subscription. A line of the test's own stands for the server."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from service.live.hub import QUEUE, Hub, Known, Waiter
from service.store.errors import StoreUnavailable
from service.store.news import Alive, Listening, News, Written
from tests.support.waiting import eventually


class PretendLine:
    """A subscription that says what the test lets it say."""

    def __init__(self) -> None:
        self.said: queue.Queue[Any] = queue.Queue()
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.closed = False

    def open(self) -> None:
        self.asked.append(("open", ()))

    def listen(self, *names: str) -> None:
        if names:
            self.asked.append(("listen", names))

    def leave(self, *names: str) -> None:
        self.asked.append(("leave", names))

    def ping(self) -> None:
        self.said.put(Alive())

    def read(self) -> Any:
        try:
            said = self.said.get(timeout=0.02)
        except queue.Empty:
            return None
        if isinstance(said, Exception):
            raise said
        return said

    def close(self) -> None:
        self.closed = True


class Lines:
    """Every line that the hub has opened."""

    def __init__(self) -> None:
        self.all: list[PretendLine] = []

    def __call__(self) -> PretendLine:
        self.all.append(PretendLine())
        return self.all[-1]

    def latest(self, count: int = 1) -> PretendLine:
        eventually(
            lambda: len(self.all) >= count and ("open", ()) in self.all[count - 1].asked, f"line {count} is open"
        )
        return self.all[count - 1]


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def hub(lines: Lines) -> Iterator[Hub]:
    hub = Hub(lines)
    yield hub
    hub.close()


def news(match: str, first: int, *events: bytes) -> News:
    return News(match, b"\n".join([b"%d 2" % first, b"id", *events]))


def confirmed(lines: Lines, match: str, line: int = 1) -> PretendLine:
    it = lines.latest(line)
    eventually(lambda: any(match in names for what, names in it.asked if what == "listen"), "it is asked for")
    it.said.put(Listening(match))
    return it


def test_a_waiter_is_told_to_read_once_the_server_listens(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m") as waiter:
        assert waiter.wait(0) is False
        confirmed(lines, "m")
        assert waiter.wait(5)
        assert waiter.take() == []


def test_news_that_come_after_that_are_handed_over_in_order(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m") as waiter:
        line = confirmed(lines, "m")
        assert waiter.wait(5)
        waiter.take()
        line.said.put(news("m", 7, b"a", b"b"))
        line.said.put(news("m", 9, b"c"))
        found: list[News] = []
        eventually(lambda: waiter.wait(0.1) and found.extend(waiter.take()) is None and len(found) == 2, "both came")
        assert [(each.first, each.events) for each in map(News.written, found)] == [(7, [b"a", b"b"]), (9, [b"c"])]


def test_news_of_other_matches_wake_nobody(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m") as waiter, hub.waiting("other") as other:
        line = confirmed(lines, "m")
        confirmed(lines, "other")
        assert waiter.wait(5)
        assert other.wait(5)
        line.said.put(news("other", 1, b"x"))
        assert other.wait(5)
        assert waiter.wait(0.05) is False


def test_a_second_waiter_of_a_confirmed_match_reads_at_once(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m") as first:
        confirmed(lines, "m")
        assert first.wait(5)
        with hub.waiting("m") as second:
            assert second.wait(0)


def test_a_slow_reader_is_told_to_read_the_feed_again_instead_of_being_queued_for_without_end(
    hub: Hub, lines: Lines
) -> None:
    with hub.waiting("m") as waiter, hub.waiting("end") as end:
        line = confirmed(lines, "m")
        confirmed(lines, "end")
        assert waiter.wait(5)
        waiter.take()
        for number in range(QUEUE + 5):
            line.said.put(news("m", number + 1, b"e"))
        eventually(lambda: end.wait(5) and end.take() == [], "the rest has been read")
        line.said.put(news("end", 1, b"e"))
        assert end.wait(5)
        assert waiter.wait(0)
        assert waiter.take() == []


def test_when_the_line_breaks_everything_is_asked_for_again_and_everybody_reads_again(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m", "n") as waiter:
        line = confirmed(lines, "m")
        confirmed(lines, "n")
        eventually(lambda: waiter.wait(0.1), "confirmed")
        waiter.take()
        line.said.put(StoreUnavailable("gone"))
        again = lines.latest(2)
        eventually(lambda: ("listen", ("m", "n")) in again.asked, "both are asked for again")
        assert line.closed
        again.said.put(Listening("m"))
        eventually(lambda: waiter.wait(0.1) and waiter.take() == [], "told to read again")


def test_who_leaves_is_left_no_trace_of(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m"):
        line = confirmed(lines, "m")
        assert hub.waiters == 1
    assert hub.waiters == 0
    eventually(lambda: ("leave", ("m",)) in line.asked, "nobody came back")
    assert not hub._rooms


def test_who_is_back_in_a_moment_is_listened_for_all_the_time(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m") as waiter:
        line = confirmed(lines, "m")
        assert waiter.wait(5)
    for _ in range(3):
        with hub.waiting("m") as waiter:
            assert waiter.wait(0)
    assert line.asked == [("open", ()), ("listen", ("m",))]


def test_of_matches_that_nobody_waits_for_only_so_many_are_listened_to(
    hub: Hub, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.live.hub.EMPTY_MOST", 2)
    monkeypatch.setattr("service.live.hub.EMPTY_S", 1e6)
    for match in "abcd":
        with hub.waiting(match):
            line = confirmed(lines, match)
    assert [names for what, names in line.asked if what == "leave"] == [("a",), ("b",)]


def test_who_has_read_all_that_was_told_need_not_read_it_again(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m") as first:
        before = time.monotonic()
        line = confirmed(lines, "m")
        assert first.wait(5)
        first.take()
        now = time.monotonic()
        with hub.waiting("m", known=Known(7, now)) as waiter:
            assert not waiter.wait(0), "nothing was told since"
            line.said.put(news("m", 7, b"a", b"b"))
            assert waiter.wait(5)
            assert len(waiter.take()) == 1
            assert first.wait(5)
        with hub.waiting("m", known=Known(8, now)) as waiter:
            assert not waiter.wait(0)
        with hub.waiting("m", known=Known(7, now)) as waiter:
            assert waiter.wait(0), "event 8 came between reading and waiting"
            assert waiter.take() == []
        with hub.waiting("m", known=Known(8, before)) as waiter:
            assert waiter.wait(0), "what came before the server listened was told to nobody"
        line.said.put(StoreUnavailable("gone"))
        lines.latest(2)
        with hub.waiting("m", known=Known(8, time.monotonic())) as waiter:
            assert not waiter.wait(0), "it is not listened to yet"
            confirmed(lines, "m", 2)
            assert waiter.wait(5)
            assert waiter.take() == []


def test_closing_wakes_everybody(hub: Hub, lines: Lines) -> None:
    with hub.waiting("m") as waiter:
        confirmed(lines, "m")
        assert waiter.wait(5)
        hub.close()
        assert waiter.wait(5)
        assert hub.closing


class LateToWake:
    """A lock that is given free at the very moment when the time is up, the first time."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.meanwhile: Callable[[], None] | None = meanwhile
        self.lock = threading.Lock()
        self.lock.acquire()
        self.locked, self.release = self.lock.locked, self.lock.release

    def acquire(self, timeout: float = -1) -> bool:
        if self.meanwhile is None:
            return self.lock.acquire(timeout=timeout)
        meanwhile, self.meanwhile = self.meanwhile, None
        meanwhile()
        return False


def test_news_that_come_when_the_time_is_up_are_there_the_next_time() -> None:
    waiter = Waiter()
    waiter.take()
    waiter._nothing_new = LateToWake(lambda: waiter.tell(news("m", 1, b"a")))  # no lock, but all that is called of one
    assert not waiter.wait(0.001)
    assert waiter.wait(0.001)
    assert [piece.written() for piece in waiter.take()] == [Written(b"id", 1, [b"a"])]


def test_what_is_taken_wakes_nobody_again() -> None:
    waiter = Waiter()
    waiter.take()
    waiter.tell(news("m", 1, b"a"))
    assert waiter.wait(0.001)
    waiter.tell(news("m", 2, b"b"))
    assert len(waiter.take()) == 2
    assert not waiter.wait(0.001), "it would find nothing, and read the feed for nothing"


def test_news_told_at_any_moment_are_all_taken() -> None:
    waiter = Waiter()
    waiter.take()
    told = [news("m", number, b"e") for number in range(1, 3001)]

    def tell() -> None:
        for piece in told:
            waiter.tell(piece)
            while len(waiter._news) > QUEUE // 2:
                pass

    thread = threading.Thread(target=tell)
    thread.start()
    taken: list[News] = []
    while len(taken) < len(told):
        if waiter.wait(0.0001):
            taken += waiter.take()
        assert thread.is_alive() or waiter._news or len(taken) == len(told), "the rest is lost"
    assert taken == told
    thread.join()
