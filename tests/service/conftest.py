"""The service under test: the product's application on a real Redis, every answer held against the document."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engines import GAMES
from engines.kit.game import Game
from tests.support.checked import checked_app
from tests.support.server import RedisServer, redis_server


@pytest.fixture(scope="session")
def app(shared_redis: RedisServer) -> Flask:
    """One application for all tests of this test process."""
    return checked_app(shared_redis)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client(use_cookies=False)


@pytest.fixture(params=sorted(GAMES))
def game(request: pytest.FixtureRequest) -> Game:
    """Every game that is served, one after another."""
    return GAMES[request.param]


@pytest.fixture(scope="session")
def second_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A server beside the shared one, for tests that mind what others write."""
    with redis_server(tmp_path_factory.mktemp("redis"), appendfsync="no") as server:
        yield server


@pytest.fixture
def empty_redis(second_redis: RedisServer) -> RedisServer:
    """A server on which nobody has written anything."""
    with second_redis.client() as client:
        client.flushall()
    return second_redis
