"""Endpoints and platforms for tests of webhooks."""

from collections.abc import Iterator

import pytest

from tests.support.platform import Platform
from tests.support.receiver import Receiver, receiver
from tests.support.server import RedisServer


@pytest.fixture
def endpoint() -> Iterator[Receiver]:
    """An endpoint that takes everything, until told otherwise."""
    with receiver() as opened:
        yield opened


@pytest.fixture(scope="session")
def one_platform(shared_redis: RedisServer) -> Platform:
    return Platform(shared_redis)


@pytest.fixture
def platform(one_platform: Platform) -> Platform:
    """The platform, with a clock that is right and a worker that has done nothing yet."""
    one_platform.clock.ahead_ms = 0
    one_platform.teller = one_platform.new_teller()
    return one_platform
