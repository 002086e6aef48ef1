"""Real servers behind proxies: who is limited is the client, whichever way the proxy comes."""

import contextlib
import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.run import web
from service.settings import Settings
from tests.support.server import RedisServer

BODY = b'{"seats": 2}'
Connect = Callable[[], socket.socket]


@contextlib.contextmanager
def served(redis: RedisServer, home: Path, listener: socket.socket, **settings: str) -> Iterator[None]:
    """A server on this listening socket that lets each address set up one match a minute."""
    home.mkdir(parents=True, exist_ok=True)
    chosen = Settings(redis_url=redis.url, data_dir=home, web_workers=1, creates_per_minute=1, **settings)
    child = web.start(chosen, listener, log=home / "web.log")
    try:
        yield
    finally:
        child.stop()


def created(connect: Connect, forwarded_for: str) -> int:
    """The status of setting up a match through a proxy that writes this header."""
    with connect() as line:
        line.settimeout(20)
        line.sendall(
            b"POST /v1/games/onda/matches HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            + b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(BODY)
            + f"X-Forwarded-For: {forwarded_for}\r\n\r\n".encode()
            + BODY
        )
        said = b""
        while chunk := line.recv(65_536):
            said += chunk
    status = re.match(rb"HTTP/1\.1 (\d+)", said)
    assert status is not None
    if status[1] == b"429":
        assert json.loads(said.partition(b"\r\n\r\n")[2])["limit"] == "create"
    return int(status[1])


@pytest.mark.parametrize(
    ("settings", "statuses"),
    [
        ({"trusted_proxies": "127.0.0.1"}, [201, 201, 429]),
        ({"trusted_proxies": "10.0.0.0/8"}, [201, 429, 429]),
        ({}, [201, 429, 429]),
    ],
    ids=["trusted", "another is trusted", "none is trusted"],
)
def test_over_tcp(tmp_path: Path, own_redis: RedisServer, settings: dict[str, str], statuses: list[int]) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def connect() -> socket.socket:
        return socket.create_connection(listener_at)

    listener_at = listener.getsockname()
    with listener, served(own_redis, tmp_path, listener, **settings):
        assert [created(connect, f"forged, 198.51.100.{number}") for number in (1, 2, 1)] == statuses


@pytest.mark.parametrize(
    ("settings", "statuses"),
    [({"trusted_proxies": "unix"}, [201, 201, 429]), ({"trusted_proxies": "127.0.0.1"}, [201, 429, 429])],
    ids=["trusted", "not trusted"],
)
def test_over_a_unix_socket(
    tmp_path: Path, own_redis: RedisServer, settings: dict[str, str], statuses: list[int]
) -> None:
    place = str(tmp_path / "web.sock")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen()

    def connect() -> socket.socket:
        line = socket.socket(socket.AF_UNIX)
        line.connect(place)
        return line

    with listener, served(own_redis, tmp_path, listener, **settings):
        assert [created(connect, f"forged, 198.51.100.{number}") for number in (1, 2, 1)] == statuses
