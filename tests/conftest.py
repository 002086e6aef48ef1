"""Fixtures that any test may ask for by name."""

from collections.abc import Iterator

import pytest

from tests.support.server import RedisServer, redis_server


@pytest.fixture(scope="session")
def shared_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One server for all tests of this test process that neither break it nor mind each other's keys."""
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A server for this test alone: it may kill it, freeze it and start it again."""
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server
