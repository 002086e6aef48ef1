"""A server that is told to stop says so to load balancers first, and goes on answering meanwhile."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.play import Api, Playing
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.streaming import Stream
from tests.support.waiting import eventually

DELAY_S = 3.0


@pytest.fixture
def web(shared_redis: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    with web_server(tmp_path, shared_redis.url, web_workers=2, drain_delay_s=DELAY_S) as server:
        yield server


def test_before_it_stops_it_is_not_ready_and_answers_everything_else(web: WebServer) -> None:
    api = Api(web.url)
    playing = Playing(api, "wave")
    stream = Stream(web.url, f"{playing.path}/seats/0/events", playing.tokens[0])
    begun = time.monotonic()
    web.child.ask_to_stop()
    eventually(lambda: api.get("/readyz").status == 503, "it is not ready any more")
    refusal = api.get("/readyz")
    assert refusal.code == "draining"
    assert refusal.headers["Retry-After"] == "1"
    assert api.get("/livez").status == 200
    moved = playing.step()
    assert moved.headers["Connection"] == "close", "clients shall come back by another way"
    assert stream.until(moved.json["events"][-1]["seq"]), "streams go on until it stops"
    list(stream.messages())
    assert stream.ended
    assert web.child.process.wait(15) == 0
    took_s = time.monotonic() - begun
    assert took_s >= DELAY_S, took_s
    assert "[error" not in web.logged()


def test_who_waited_before_it_was_told_to_stop_is_told_to_come_back_by_another_way(web: WebServer) -> None:
    playing = Playing(Api(web.url), "wave")
    feed = f"{playing.path}/events"
    last = playing.api.get(feed).json["last"]
    with ThreadPoolExecutor(1) as beside:
        polled = beside.submit(Api(web.url).get, f"{feed}?after={last}&wait_s=60")
        eventually(lambda: b'shorebreak_waiters{kind="poll"} 1.0' in playing.api.get("/metrics").body, "it waits")
        web.child.ask_to_stop()
        answer = polled.result(30)
    assert (answer.status, answer.json["events"]) == (200, [])
    assert answer.headers["Connection"] == "close"


def test_told_a_second_time_it_waits_no_longer(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1, drain_delay_s=300) as web:
        api = Api(web.url)
        web.child.ask_to_stop()
        eventually(lambda: api.get("/readyz").status == 503, "it is not ready any more")
        web.child.ask_to_stop()
        assert web.child.process.wait(20) == 0


def test_a_worker_that_is_replaced_goes_without_that_delay(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1, drain_delay_s=300) as web:
        (old,) = web.workers()
        os.kill(web.child.process.pid, signal.SIGHUP)
        eventually(lambda: old not in web.workers(), "the old worker is gone")
        eventually(lambda: Api(web.url).get("/readyz").status == 200, "its successor is ready")
        web.child.process.kill()  # told to stop it would take its delay
