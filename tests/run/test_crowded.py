"""Many connections of one address: no more than are allowed, a refusal that says so, and room again when some go."""

import contextlib
import socket
from pathlib import Path

import pytest

from tests.run.test_serving import TINY_SITE, raw
from tests.run.test_slow_clients import answer_of
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.waiting import eventually

MOST = 4
ASK = b"GET /pid HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def answered(site: WebServer) -> int:
    """The status that a further connection gets."""
    with socket.create_connection((site.settings.host, site.settings.port), timeout=10) as line:
        line.sendall(ASK)
        return int(answer_of(line).split()[1])


def kept(site: WebServer) -> socket.socket | None:
    """A connection that has been answered once and stays open; None if it was refused."""
    line = socket.create_connection((site.settings.host, site.settings.port), timeout=10)
    line.sendall(b"GET /pid HTTP/1.1\r\nHost: a\r\n\r\n")
    if answer_of(line).startswith(b"HTTP/1.1 200"):
        return line
    line.close()
    return None


def open_many(site: WebServer, count: int) -> list[socket.socket]:
    """So many connections that stay open. Those before them may still be on their way out."""
    lines: list[socket.socket] = []

    def one_more() -> bool:
        line = kept(site)
        lines.extend([] if line is None else [line])
        return line is not None

    for number in range(count):
        eventually(one_more, f"connection {number} is let in")
    return lines


def test_one_address_has_only_so_many_connections(shared_redis: RedisServer, tmp_path: Path) -> None:
    with (
        web_server(tmp_path, shared_redis.url, command=TINY_SITE, web_workers=1, connections_per_address=MOST) as site,
        contextlib.ExitStack() as stack,
    ):
        lines = [stack.enter_context(line) for line in open_many(site, MOST)]
        status, headers, problem = raw(site, ASK)
        assert (status, problem["code"], problem["limit"]) == (429, "rate_limited", "connections")
        assert int(headers["retry-after"]) >= 1
        lines[0].close()
        eventually(lambda: answered(site) == 200, "there is room again")
        assert "Traceback" not in site.logged()


@pytest.mark.parametrize("settings", [{"trusted_proxies": "127.0.0.0/8"}, {"connections_per_address": 0}], ids=str)
def test_a_trusted_proxy_has_as_many_as_it_wants(
    shared_redis: RedisServer, tmp_path: Path, settings: dict[str, str]
) -> None:
    some = {"connections_per_address": MOST, **settings}
    with (
        web_server(tmp_path, shared_redis.url, command=TINY_SITE, web_workers=1, **some) as site,
        contextlib.ExitStack() as stack,
    ):
        for line in open_many(site, MOST + 3):
            stack.enter_context(line)
        assert answered(site) == 200
