"""Clients that drip, stop, send rubbish or take nothing in: each is cut off in its time, while others are served."""

import contextlib
import json
import re
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.run.test_serving import TINY_SITE, get, raw
from tests.support.server import RedisServer, WebServer, web_server

SLOW_S = 1.0
SOON_S = 15.0
"""Much longer than SLOW_S, for machines with much to do; much shorter than gunicorn's own limits."""


@pytest.fixture(scope="module")
def site(shared_redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    home = tmp_path_factory.mktemp("web")
    with web_server(home, shared_redis.url, command=TINY_SITE, web_workers=1, client_timeout_s=SLOW_S) as server:
        yield server


def connect(site: WebServer, receive_buffer: int | None = None) -> socket.socket:
    line = socket.socket()
    if receive_buffer is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    line.settimeout(SOON_S)
    line.connect((site.settings.host, site.settings.port))
    return line


def drip(line: socket.socket, what: bytes) -> bytes:
    """Send a byte now and then, over and over, until the server says something; all that it says."""
    line.settimeout(0.1)
    give_up_at = time.monotonic() + SOON_S
    while time.monotonic() < give_up_at:
        for byte in what:
            with contextlib.suppress(ConnectionError):
                line.send(bytes([byte]))
            with contextlib.suppress(TimeoutError):
                if said := line.recv(65_536):
                    return said + rest(line)
                return b""
    raise AssertionError("the server waits for ever")


def rest(line: socket.socket) -> bytes:
    line.settimeout(SOON_S)
    said = b""
    with contextlib.suppress(ConnectionError):
        while chunk := line.recv(65_536):
            said += chunk
    return said


def answer_of(line: socket.socket) -> bytes:
    """The next answer, head and body."""
    said = b""
    while b"\r\n\r\n" not in said:
        said += line.recv(1)
    length = re.search(rb"content-length: (\d+)", said, re.IGNORECASE)
    assert length is not None
    while len(said.partition(b"\r\n\r\n")[2]) < int(length[1]):
        said += line.recv(1)
    return said


def split(said: bytes) -> tuple[bytes, Any]:
    head, _, body = said.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0], json.loads(body)


@pytest.mark.parametrize("begun", [b"", b"GET /pid HT", b"GET /pid HTTP/1.1\r\nHost: a\r\nX-Pad: "], ids=repr)
def test_a_head_that_drips_in_is_answered_408_and_others_are_served_meanwhile(site: WebServer, begun: bytes) -> None:
    with connect(site) as slow, connect(site) as slower:
        slow.sendall(begun)
        slower.sendall(b"G")
        assert get(site, "/pid")[0] == 200
        first_line, problem = split(drip(slow, b"GET"))
        assert first_line == b"HTTP/1.1 408 Request Timeout"
        assert (problem["code"], problem["status"]) == ("too_slow", 408)
        assert get(site, "/pid")[0] == 200


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 1000000\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nf4240\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n",
    ],
    ids=["length", "chunk", "chunk size"],
)
def test_a_body_that_drips_in_is_given_up(site: WebServer, head: bytes) -> None:
    with connect(site) as slow:
        slow.sendall(b"POST /read HTTP/1.1\r\nHost: a\r\n" + head)
        said = drip(slow, b"0")
    assert said.endswith(b"too slow")
    assert b"\r\nConnection: close\r\n" in said


def test_a_body_that_drips_in_and_that_nobody_asked_for_ends_the_connection(site: WebServer) -> None:
    with connect(site) as slow:
        slow.sendall(b"POST /pid HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
        assert answer_of(slow).startswith(b"HTTP/1.1 200")
        assert drip(slow, b"0") == b""


def test_a_long_body_that_nobody_asked_for_ends_the_connection_with_the_answer_whole(site: WebServer) -> None:
    with connect(site) as line:
        line.sendall(b"POST /pid HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n" + b"0" * 500_000)
        said = rest(line)
    assert said.startswith(b"HTTP/1.1 200")
    assert b"\r\nConnection: close\r\n" in said
    assert said.count(b"HTTP/1.1") == 1


def test_a_short_body_that_nobody_asked_for_does_not(site: WebServer) -> None:
    with connect(site) as line:
        request = b"POST /pid HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /"
        line.sendall(request)
        assert answer_of(line).startswith(b"HTTP/1.1 200")
        line.sendall(request + b"GET /pid HTTP/1.1\r\nConnection: close\r\n\r\n")
        said = rest(line)
    assert said.count(b"HTTP/1.1 200") == 2


@pytest.mark.parametrize("chunks", [b"zz\r\n", b"5\r\nabcdefgh\r\n0\r\n\r\n", b"-5\r\n", b"5\nabcde\n0\n\n"], ids=repr)
def test_a_body_in_broken_chunks_breaks_nothing(site: WebServer, chunks: bytes) -> None:
    with connect(site) as line:
        line.sendall(b"POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        line.shutdown(socket.SHUT_WR)
        said = rest(line)
    assert said.endswith(b"broken")
    assert said.count(b"HTTP/1.1") == 1


def test_many_headers_that_are_small_alone_are_too_large_together(site: WebServer) -> None:
    head = b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"a" * 8_000) for n in range(12)) + b"\r\n"
    assert raw(site, head)[0] == 431


def test_a_client_that_takes_nothing_in_is_cut_off(site: WebServer, shared_redis: RedisServer) -> None:
    with connect(site, receive_buffer=4_096) as deaf, shared_redis.client() as redis:
        deaf.sendall(b"GET /flood/deaf HTTP/1.1\r\nHost: a\r\n\r\n")
        assert get(site, "/pid")[0] == 200
        assert redis.blpop(["deaf"], timeout=4) or redis.blpop(["deaf"], timeout=4), "it is still being sent to"
        assert get(site, "/pid")[0] == 200


def test_a_client_that_takes_in_drop_by_drop_is_cut_off(site: WebServer, shared_redis: RedisServer) -> None:
    with connect(site, receive_buffer=4_096) as sipping, shared_redis.client() as redis:
        sipping.sendall(b"GET /flood/sip HTTP/1.1\r\nHost: a\r\n\r\n")
        give_up_at = time.monotonic() + SOON_S
        while not redis.llen("sip"):
            assert time.monotonic() < give_up_at, "it is still being sent to"
            with contextlib.suppress(ConnectionError):
                sipping.recv(16)
            redis.blpop(["nothing"], timeout=0.05)


def test_nothing_of_this_is_a_failure_for_the_log(site: WebServer) -> None:
    for begun in (b"GET /pi", b"POST /read HTTP/1.1\r\nContent-Length: 9\r\n\r\n123"):
        with connect(site) as line:
            line.sendall(begun)
        with connect(site) as line:
            line.sendall(begun)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert get(site, "/pid")[0] == 200
    assert "Traceback" not in site.logged()
