"""A Redis and web servers for the tests of one file, which may break them."""

from collections.abc import Iterator

import pytest

from engines import GAMES
from tests.support.play import Api
from tests.support.proxy import Proxy, proxy_to
from tests.support.server import RedisServer, WebServer, redis_server, web_server

TIMEOUT_S = 0.5
"""STORE_TIMEOUT_S in these tests."""
SLACK_S = 2.0
"""What a busy machine may add to any answer."""
UNCOUNTED = {"creates_per_minute": 0, "claims_per_minute": 0, "seat_changes_per_minute": 0}
"""Settings with which no tries are counted: the first script of a request is the write that it is about."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """The Redis of this file's tests."""
    with redis_server(tmp_path_factory.mktemp("redis")) as started:
        yield started


@pytest.fixture(scope="module")
def proxy(server: RedisServer) -> Iterator[Proxy]:
    """The way to it, which can lose things."""
    with proxy_to(server) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def web(server: RedisServer, proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Web servers, two workers, that reach their Redis through the proxy."""
    with web_server(tmp_path_factory.mktemp("web"), proxy.url, store_timeout_s=TIMEOUT_S, **UNCOUNTED) as started:
        yield started


@pytest.fixture
def api(web: WebServer) -> Api:
    return Api(web.url)


@pytest.fixture(params=sorted(GAMES))
def game(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name
