"""Requests that no client sends by mistake, byte by byte to a real server: none is read in two ways, none fails."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.document import COMMITTED
from tests.support.play import Api
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.waiting import eventually

MATCHES = "/v1/games/onda/matches"
BODY = b'{"seats":2}'
HIDDEN = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
"""A second request, where a body is meant to be: what is smuggled is answered a second time."""
CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture(scope="module")
def server(shared_redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    home = tmp_path_factory.mktemp("web")
    with web_server(home, shared_redis.url, web_workers=1, log_level="debug") as running:
        yield running
        assert "Traceback" not in running.logged()


@pytest.fixture(scope="module")
def seated(server: WebServer) -> tuple[str, list[str], dict[str, Any]]:
    """The path of a match in play, the tokens of its two seats, and what its host was given."""
    api = Api(server.url)
    made = api.ask("POST", MATCHES, {"seats": 2}).json
    path = f"{MATCHES}/{made['match']['match']}"
    return path, [api.ask("POST", f"{path}/seats", {"name": f"Seat {seat}"}).json["token"] for seat in range(2)], made


def say(server: WebServer, head: str, body: bytes = b"") -> tuple[list[int], bytes]:
    """The statuses of all answers to these bytes, and all that was said. Line ends are put in."""
    with socket.create_connection((server.settings.host, server.settings.port), timeout=10) as line:
        line.sendall(head.replace("\n", "\r\n").encode("latin1") + b"\r\n\r\n" + body)
        line.shutdown(socket.SHUT_WR)
        said = b""
        while chunk := line.recv(65_536):
            said += chunk
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", said)], said


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        (f"Content-Length: 11\n{CHUNKED}", b"0\r\n\r\n" + HIDDEN),
        (f"{CHUNKED}\nContent-Length: 5", b"b\r\n" + BODY + b"\r\n0\r\n\r\n" + HIDDEN),
        ("Content-Length: 11\nContent-Length: 11", BODY + HIDDEN),
        ("Content-Length: 11\nContent-Length: 0", BODY + HIDDEN),
        ("Content-Length: 11, 11", BODY + HIDDEN),
        ("Content-Length: +11", BODY + HIDDEN),
        ("Content-Length: 1 1", BODY + HIDDEN),
        ("Content-Length: 0xb", BODY + HIDDEN),
        ("Content-Length: \xb2", BODY + HIDDEN),
        ("Content-Length : 11", BODY + HIDDEN),
        ("Content-Length: 100", BODY),
        ("Transfer-Encoding: xchunked", b"0\r\n\r\n" + HIDDEN),
        ("Transfer-Encoding: identity", b"0\r\n\r\n" + HIDDEN),
        ("Transfer-Encoding: chunked, identity", b"0\r\n\r\n" + HIDDEN),
        (f"{CHUNKED}\n{CHUNKED}", b"0\r\n\r\n" + HIDDEN),
        ("Transfer-Encoding: \x0bchunked", b"0\r\n\r\n" + HIDDEN),
        ("Transfer-Encoding:\n chunked", b"0\r\n\r\n" + HIDDEN),
        (CHUNKED, b"b\n" + BODY + b"\n0\n\n" + HIDDEN),
        (CHUNKED, b"-b\r\n" + BODY + b"\r\n0\r\n\r\n" + HIDDEN),
        (CHUNKED, b"0xb\r\n" + BODY + b"\r\n0\r\n\r\n" + HIDDEN),
        (CHUNKED, b"ffffffffffffffffffff\r\n" + BODY + b"\r\n0\r\n\r\n" + HIDDEN),
        (CHUNKED, b"b\r\n" + BODY + b"\r\n0\r\nAuthorization: Bearer x\r\n\r\n" + HIDDEN),
    ],
    ids=repr,
)
def test_a_body_whose_length_could_be_read_in_two_ways_is_refused_and_ends_the_connection(
    server: WebServer, framing: str, body: bytes
) -> None:
    statuses, said = say(server, f"POST {MATCHES} HTTP/1.1\nHost: a\nContent-Type: application/json\n{framing}", body)
    assert statuses == [400], said
    assert json.loads(said.partition(b"\r\n\r\n")[2])["code"] == "malformed"


def test_what_follows_a_whole_request_is_the_next_one(server: WebServer) -> None:
    head = f"POST {MATCHES} HTTP/1.1\nHost: a\nContent-Type: application/json\n"
    assert say(server, head + "Content-Length: 11", BODY + HIDDEN)[0] == [201, 200]
    chunks = b"b;a=1\r\n" + BODY + b"\r\n0\r\n\r\n"
    assert say(server, head + CHUNKED, chunks + HIDDEN)[0] == [201, 200]
    assert say(server, f"GET /livez HTTP/1.1\nHost: a\nContent-Length: {len(HIDDEN)}", HIDDEN)[0] == [200]


def test_a_token_counts_in_its_header_once_and_nowhere_else(server: WebServer, seated: Any) -> None:
    path, (ana, bo), _ = seated
    state = f"{path}/seats/0/state"

    def status(target: str, headers: str) -> int:
        (only,), _ = say(server, f"GET {target} HTTP/1.1\nHost: a\n{headers}Accept: */*")
        return only

    right = f"Authorization: Bearer {ana}\n"
    assert status(state, right) == 200
    for target, headers in (
        (state, right + right),
        (state, right + f"Authorization: Bearer {bo}\n"),
        (state, f"Authorization: Bearer {bo}\n" + right),
        (state, f"Authorization: Bearer {ana.upper()}\n"),
        (state, f"Authorization: Bearer {ana[:-1]}\n"),
        (state, f"Authorization: Bearer {ana}, x\n"),
        (state, f"Authorization: Basic {ana}\n"),
        (state, f"Authorization: {ana}\n"),
        (state, f"Authorization:\n Bearer {ana}\n"),
        (state, f"HTTP_AUTHORIZATION: Bearer {ana}\n"),
        (state, f"X-Authorization: Bearer {ana}\n"),
        (state, f"Cookie: token={ana}; Authorization=Bearer {ana}\n"),
        (f"{state}?token={ana}&access_token={ana}&authorization=Bearer%20{ana}", ""),
        (f"{state}?Authorization:%20Bearer%20{ana}", ""),
    ):
        assert status(target, headers) in (400, 401), (target, headers)


def test_a_method_is_what_the_first_line_says(server: WebServer, seated: Any) -> None:
    path, _, made = seated
    override = (
        f"X-HTTP-Method-Override: DELETE\nX-Method-Override: DELETE\nAuthorization: Bearer {made['host_token']}\n"
    )
    assert say(server, f"POST {path}?_method=DELETE HTTP/1.1\nHost: a\n{override}Content-Length: 0")[0] == [405]
    assert say(server, f"BREW {path} HTTP/1.1\nHost: a")[0] == [405]
    assert say(server, f"get {path} HTTP/1.1\nHost: a")[0] == [400]
    assert Api(server.url).get(path).json["status"] == "playing"


@pytest.mark.parametrize(
    "header",
    [
        "SCRIPT_NAME: /v1",
        "PATH_INFO: /metrics",
        "X-Original-URL: /metrics",
        "X-Rewrite-Url: /metrics",
        "Host: b.example",
    ],
)
def test_an_address_is_what_the_first_line_says(server: WebServer, header: str) -> None:
    host = "" if header.startswith("Host") else "Host: a\n"
    statuses, said = say(server, f"GET /livez HTTP/1.1\n{host}{header}")
    assert statuses == [200]
    assert said.endswith(b'{"status":"alive"}')


@pytest.mark.parametrize(
    "target",
    [
        "/docs/../../../../etc/passwd",
        "/docs/%2e%2e/%2e%2e/__init__.py",
        "/docs/..%2f..%2f__init__.py",
        "/docs/..%5c..%5c__init__.py",
        "/docs//etc/passwd",
        "/docs/%00",
        "/docs/.",
        "/docs/" + "a" * 3_000,
        "/v1/games/onda%00",
        "/v1/games/onda%0d%0aX-Evil:%201",
        "/v1/games/onda/matches/{match}%0a",
        "/v1/games/onda/matches/%7B{match}%7D",
        "/v1/games/onda/matches/{match}/seats/00/state",
        "/v1/games/onda/matches/{match}/seats/%D9%A0/state",
        "/v1/games/onda/matches/{match}/seats/-1/state",
        "/v1/games/onda/matches/{match}/seats/0/state;a=1",
        "/v1/games/onda/matches/{match}/seats/0/../1/state",
        "//v1/games",
        "//metrics",
        "///livez",
        "/v1/./games",
    ],
)
def test_paths_that_lead_astray_lead_nowhere(server: WebServer, seated: Any, target: str) -> None:
    path, (ana, _), _ = seated
    target = target.replace("{match}", path.rpartition("/")[2])
    statuses, said = say(server, f"GET {target} HTTP/1.1\nHost: a\nAuthorization: Bearer {ana}")
    assert statuses == [404], said
    assert b"X-Evil" not in said.partition(b"\r\n\r\n")[0]


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PUT", "PATCH", "GET", "CONNECT", "PROPFIND"])
def test_no_method_fails_on_any_address(server: WebServer, seated: Any, method: str) -> None:
    path = seated[0]
    templates = [*json.loads(COMMITTED.read_text())["paths"], "/docs", "/docs/", "/docs/problems", "/openapi.json"]
    for template in [*templates, "/metrics", "//metrics", "/nowhere"]:
        target = template.replace("{match}", path.rpartition("/")[2]).replace("{seat}", "0").replace("{game}", "onda")
        statuses, said = say(server, f"{method} {target} HTTP/1.1\nHost: a\nContent-Length: 0\nConnection: close")
        assert len(statuses) == 1, (target, said)
        assert statuses[0] < 500, (target, said)
        assert method != "HEAD" or said.endswith(b"\r\n\r\n"), f"{target}: a body where there is none"


def test_asking_for_the_head_of_a_stream_does_not_open_one(server: WebServer, seated: Any) -> None:
    stream = f"HEAD {seated[0]}/events HTTP/1.1\nHost: a\nAccept: text/event-stream"
    assert say(server, stream, HIDDEN)[0] == [200, 200]


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_line_of_the_log_can_be_forged(shared_redis: RedisServer, tmp_path: Path, form: str) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1, log_level="debug", log_format=form) as server:
        for target in (
            "/%0a2026-11-30T00:00:00Z%20[error]%20FORGED",
            f"{MATCHES}/%0d%0aFORGED",
            f"{MATCHES}/{'0' * 24}/seats/%0aFORGED/state",
            "/v1/games?FORGED=%0aFORGED",
            "/v1/games/%1b[31mFORGED",
            f"{MATCHES}?cursor=FORGED%0aFORGED",
        ):
            headers = "X-Request-Id: FORGED\tFORGED\nUser-Agent: FORGED\nReferer: FORGED\nX-Forwarded-For: FORGED"
            assert say(server, f"GET {target} HTTP/1.1\nHost: FORGED\n{headers}")[0]
        say(server, "FORGED")
        say(server, "GET / HTTP/1.1\nFORGED")
        say(server, "GET / HTTP/1.1\nHost: a\nFORGED: \x0bFORGED")
        eventually(lambda: server.logged().count("404") >= 4, "what was asked is in the log")
        logged = server.logged()
    assert "FORGED" not in logged
    assert "\x1b" not in logged
