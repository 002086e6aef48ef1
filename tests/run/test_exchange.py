"""One answer after the other on a connection: in as few pieces as can be, and none of them held back."""

import contextlib
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import Any

import gevent.socket
import pytest
from gunicorn import http
from gunicorn.config import Config
from gunicorn.http.errors import InvalidResponseHeader

from service.exchange import exchange
from service.patience import Body, Line
from tests.run.test_serving import TINY_SITE
from tests.run.test_slow_clients import answer_of, connect, rest
from tests.support.server import RedisServer, WebServer, web_server


@pytest.fixture(scope="module")
def site(shared_redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    home = tmp_path_factory.mktemp("web")
    with web_server(home, shared_redis.url, command=TINY_SITE, web_workers=1) as server:
        yield server


def sends(request: bytes, status: str, headers: list[tuple[str, str]], pieces: Iterable[bytes]) -> list[bytes]:
    """What is sent for an answer, send by send: over a socket that keeps them apart."""
    ours, theirs = gevent.socket.socketpair(gevent.socket.AF_UNIX, gevent.socket.SOCK_DGRAM)
    with ours, theirs:
        line = Line(ours, 10, 10)
        line.await_request()
        theirs.send(request)
        cfg = Config()
        asked = next(http.get_parser(cfg, line, ("127.0.0.1", 1)))
        asked.body = Body(asked, line, 1_000)

        def site(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            start_response(status, headers)
            return pieces

        worker = SimpleNamespace(cfg=cfg, draining=False, wsgi=site, log=logging.getLogger(__name__))
        exchange(worker, ("127.0.0.1", 80), asked, line, ("127.0.0.1", 1))
        theirs.setblocking(False)
        sent = []
        with contextlib.suppress(BlockingIOError):  # that was all
            while True:
                sent.append(theirs.recv(65_536))
        return sent


GET, HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
LENGTH = [("Content-Length", "5")]


def test_a_head_and_a_body_are_sent_as_one() -> None:
    (sent,) = sends(GET, "200 OK", LENGTH, [b"hello"])
    assert sent.startswith(b"HTTP/1.1 200 OK\r\n")
    assert sent.endswith(b"Content-Length: 5\r\n\r\nhello")


@pytest.mark.parametrize(
    ("request_bytes", "status", "headers", "pieces"),
    [
        (HEAD, "200 OK", LENGTH, [b""]),
        (HEAD, "200 OK", LENGTH, []),
        (HEAD, "200 OK", [], [b""]),
        (GET, "204 No Content", [], []),
        (GET, "304 Not Modified", [("ETag", '"1"')], [b""]),
        (GET, "200 OK", [("Content-Length", "0")], [b""]),
        (GET, "200 OK", [("Content-Length", "0")], []),
    ],
)
def test_an_answer_without_a_body_is_its_head_alone(
    request_bytes: bytes, status: str, headers: list[tuple[str, str]], pieces: list[bytes]
) -> None:
    (sent,) = sends(request_bytes, status, headers, pieces)
    assert sent.startswith(f"HTTP/1.1 {status}\r\n".encode())
    assert sent.endswith(b"\r\n\r\n")
    assert sent.count(b"\r\n\r\n") == 1


def test_the_head_says_who_answers_when_and_whether_another_request_may_follow() -> None:
    (sent,) = sends(GET, "200 OK", [("X-Request-Id", "a"), *LENGTH], [b"hello"])
    status, server, date, connection, *others = sent.decode().partition("\r\n\r\n")[0].split("\r\n")
    assert (status, server, connection) == ("HTTP/1.1 200 OK", "Server: gunicorn", "Connection: keep-alive")
    told = parsedate_to_datetime(date.removeprefix("Date: "))
    assert timedelta(0) <= datetime.now(UTC) - told < timedelta(seconds=60)
    assert others == ["X-Request-Id: a", "Content-Length: 5"]


def test_a_version_of_http_that_is_not_known_is_answered_in_the_last_that_is() -> None:
    (sent,) = sends(b"GET / HTTP/1.2\r\nHost: a\r\n\r\n", "200 OK", LENGTH, [b"hello"])
    assert sent.startswith(b"HTTP/1.1 200 OK\r\n")


def test_headers_that_are_the_servers_to_send_are_not_the_applications() -> None:
    (sent,) = sends(GET, "200 OK", [("Connection", "close"), ("Keep-Alive", "a"), ("Server", "b"), *LENGTH], [b"hello"])
    head = sent.decode().partition("\r\n\r\n")[0].split("\r\n")
    assert head[3:] == ["Connection: keep-alive", "Content-Length: 5"]


@pytest.mark.parametrize("name", ["X-Request-Id", "X-Other"])
@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\nb", "a\0b", "\x7f"])
def test_no_header_can_hold_the_end_of_itself(name: str, value: str) -> None:
    with pytest.raises(InvalidResponseHeader):
        sends(GET, "200 OK", [(name, value), *LENGTH], [b"hello"])


def test_the_first_piece_of_a_stream_brings_its_head_along_and_each_further_one_comes_alone() -> None:
    first, *others = sends(GET, "200 OK", [], [b"one", b"", b"two"])
    assert first.endswith(b"\r\n\r\n3\r\none\r\n")
    assert others == [b"3\r\ntwo\r\n", b"0\r\n\r\n"]


def test_an_empty_first_piece_brings_the_head_at_once() -> None:
    head, *others = sends(GET, "200 OK", [], [b"", b"one"])
    assert head.endswith(b"\r\n\r\n")
    assert others == [b"3\r\none\r\n", b"0\r\n\r\n"]


def test_a_stream_that_says_nothing_is_whole() -> None:
    (sent,) = sends(GET, "200 OK", [], [])
    assert sent.endswith(b"\r\n\r\n0\r\n\r\n")


def test_to_an_old_client_a_stream_comes_as_it_is() -> None:
    first, *others = sends(b"GET / HTTP/1.0\r\n\r\n", "200 OK", [], [b"one", b"two"])
    assert first.endswith(b"\r\n\r\none")
    assert others == [b"two"]


def test_the_head_of_a_stream_comes_before_there_is_anything_to_say(site: WebServer, shared_redis: RedisServer) -> None:
    with connect(site) as line, shared_redis.client() as redis:
        line.sendall(b"GET /stream/said HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += line.recv(1)
        assert head.startswith(b"HTTP/1.1 200")
        redis.rpush("said", "something")
        assert rest(line) == b"9\r\nsomething\r\n0\r\n\r\n"


def test_what_is_asked_in_one_breath_is_answered_in_order(site: WebServer) -> None:
    with connect(site) as line:
        line.sendall(
            b"GET /pid HTTP/1.1\r\nHost: a\r\n\r\n"
            b"HEAD /pid HTTP/1.1\r\nHost: a\r\n\r\n"
            b"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
            b"GET /break/2 HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        said = rest(line)
    first, second, third, fourth = re.split(rb"(?=HTTP/1\.1 )", said)[1:]
    assert first.split(b"\r\n\r\n")[1].isdigit()
    assert second.endswith(b"\r\n\r\n")
    assert third.endswith(b"\r\n\r\n3")
    assert fourth.endswith(b"5\r\npiece\r\n5\r\npiece\r\n"), "an answer that broke off must not look whole"


def test_what_fails_before_its_answer_begins_is_answered_with_500(site: WebServer) -> None:
    with connect(site) as line:
        line.sendall(b"GET /break/0 HTTP/1.1\r\nHost: a\r\n\r\n")
        said = rest(line)
    assert said.startswith(b"HTTP/1.1 500")
    assert said.count(b"HTTP/1.1") == 1
    assert b"sesame" not in said


def test_who_asks_whether_to_send_a_body_is_told_at_once(site: WebServer) -> None:
    with connect(site) as line:
        line.sendall(b"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        assert line.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(b"abc")
        assert answer_of(line).endswith(b"\r\n\r\n3")
