"""One running service for all clients of this test process."""

from collections.abc import Iterator

import pytest

from tests.support.server import RedisServer, WebServer, web_server


@pytest.fixture(scope="session")
def service(shared_redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with web_server(tmp_path_factory.mktemp("web"), shared_redis.url, web_workers=1) as running:
        yield running
