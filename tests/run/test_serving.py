"""The web server behind every request: concurrency, malformed requests, stopping, and what it owes its parent."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from service.api.headers import POLICY
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.waiting import eventually

TINY_SITE = (sys.executable, "-m", "tests.run.tiny_site")


@pytest.fixture(scope="module")
def site(shared_redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    home = tmp_path_factory.mktemp("web")
    with web_server(home, shared_redis.url, command=TINY_SITE, web_workers=1) as server:
        yield server


@pytest.fixture
def own_site(shared_redis: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    with web_server(tmp_path, shared_redis.url, command=TINY_SITE, web_workers=2) as server:
        yield server


def get(site: WebServer, path: str) -> tuple[int, str]:
    line = http.client.HTTPConnection(site.settings.host, site.settings.port, timeout=30)
    try:
        line.request("GET", path)
        answer = line.getresponse()
        return answer.status, answer.read().decode()
    finally:
        line.close()


def raw(site: WebServer, request: bytes) -> tuple[int, dict[str, str], dict[str, Any]]:
    """Status, headers and JSON body of whatever the server says to these bytes."""
    with socket.create_connection((site.settings.host, site.settings.port), timeout=10) as line:
        line.sendall(request)
        said = b""
        while chunk := line.recv(65_536):
            said += chunk
    head, _, body = said.decode().partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, json.loads(body)


def test_one_worker_serves_others_while_a_request_waits_for_redis(site: WebServer) -> None:
    with ThreadPoolExecutor(20) as clients:
        waiting = [clients.submit(get, site, f"/wait/list-{number}") for number in range(20)]
        for number in range(20):
            assert get(site, f"/push/list-{number}")[0] == 200
        assert [future.result() for future in waiting] == [(200, "woken")] * 20


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"this is not http\r\n\r\n", 400, "malformed"),
        (b"GET / HTTP/9.9\r\n\r\n", 400, "malformed"),
        (b"GET / HTTP/1.1\r\nno colon here\r\n\r\n", 400, "malformed"),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "malformed"),
        (b"GET / HTTP/1.1\r\nAuthorization: Bearer sesame\x00\r\n\r\n", 400, "malformed"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: sesame\r\n\r\n", 400, "malformed"),
        (b"GET /" + b"a" * 5_000 + b" HTTP/1.1\r\n\r\n", 414, "too_large"),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 9_000 + b"\r\n\r\n", 431, "too_large"),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 900_000 + b"\r\n\r\n", 431, "too_large"),
        (b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: a\r\n" % n for n in range(200)) + b"\r\n", 431, "too_large"),
    ],
    ids=lambda value: value[:30].decode(errors="replace") if isinstance(value, bytes) else str(value),
)
def test_what_is_no_request_gets_the_one_shape_of_errors(
    site: WebServer, request_bytes: bytes, status: int, code: str
) -> None:
    got, headers, problem = raw(site, request_bytes)
    assert got == status
    assert headers["content-type"] == "application/problem+json"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == POLICY
    assert problem["status"] == status
    assert problem["code"] == code
    assert problem.keys() == {"type", "title", "status", "detail", "code"}
    assert "sesame" not in json.dumps(problem)
    assert "sesame" not in site.logged()


def test_what_escapes_the_application_is_answered_without_a_trace(own_site: WebServer) -> None:
    status, body = get(own_site, "/raise")
    assert status == 500
    assert json.loads(body)["code"] == "internal"
    assert "sesame" not in body


def test_told_to_stop_it_finishes_what_it_began(own_site: WebServer, shared_redis: RedisServer) -> None:
    with ThreadPoolExecutor(1) as client, shared_redis.client() as redis:
        slow = client.submit(get, own_site, "/sleep/1.5")
        assert redis.blpop(["asleep"], timeout=4), "the request did not arrive"
        own_site.child.ask_to_stop()
        assert slow.result() == (200, "slept")
    assert own_site.child.process.wait(10) == 0


def test_told_to_stop_it_does_not_wait_for_idle_connections(own_site: WebServer) -> None:
    line = http.client.HTTPConnection(own_site.settings.host, own_site.settings.port, timeout=30)
    line.request("GET", "/pid")
    assert line.getresponse().read()
    begun = time.monotonic()
    own_site.child.ask_to_stop()
    assert own_site.child.process.wait(30) == 0
    assert time.monotonic() - begun < 5, "it waited for a client that had nothing to ask"
    assert own_site.logged() == "", "an idle client is nothing to complain of"
    line.close()


def test_a_worker_that_dies_is_replaced(own_site: WebServer) -> None:
    before = set(own_site.workers())
    assert len(before) == 2
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        get(own_site, "/die/9")
    eventually(lambda: len(set(own_site.workers()) - before) == 1, "a new worker is there")
    assert get(own_site, "/pid")[0] == 200


def test_workers_end_with_their_master(own_site: WebServer) -> None:
    workers = own_site.workers()
    own_site.child.kill()
    eventually(lambda: not any(alive(pid) for pid in workers), "the workers are gone")


def test_where_the_kernel_does_not_help_it_ends_with_its_parent(shared_redis: RedisServer, tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    command = ["env", f"SHOREBREAK_PARENT={gone.pid}", *TINY_SITE]
    with web_server(tmp_path, shared_redis.url, command=command, ready=False) as server:
        assert server.child.process.wait(20) == 0


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
