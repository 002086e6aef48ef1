"""The subscription to a real Redis: what it hears, and that it never comes back to life by itself."""

import pytest

from service.store.errors import StoreUnavailable
from service.store.news import Listening, News, Subscription, Written
from tests.support.server import RedisServer


def test_it_hears_that_it_listens_and_then_the_news(shared_redis: RedisServer) -> None:
    line = Subscription(shared_redis.url, 5.0)
    line.open()
    line.listen("a", "b")
    assert [line.read(), line.read()] == [Listening("a"), Listening("b")]
    with shared_redis.client() as client:
        client.publish("sb:{b}:feed", b'7 3\nw\n2\n{"x":1}\n{"y":2}')
    said = line.read()
    assert isinstance(said, News)
    assert (said.name, said.written()) == ("b", Written(b"w\n2", 7, [b'{"x":1}', b'{"y":2}']))
    line.close()


def test_once_it_is_closed_or_broken_nobody_can_ask_for_anything_on_it(own_redis: RedisServer) -> None:
    closed, broken = Subscription(own_redis.url, 5.0), Subscription(own_redis.url, 5.0)
    for line in (closed, broken):
        line.open()
    closed.close()
    own_redis.kill()
    with pytest.raises(StoreUnavailable):
        broken.read()
    own_redis.start()
    broken.close()
    for line in (closed, broken):
        # A fresh connection would listen to this name alone, and whoever waits for others would wait for ever.
        with pytest.raises(StoreUnavailable):
            line.listen("a")
        with pytest.raises(StoreUnavailable):
            line.ping()
    with own_redis.client() as client:
        assert client.pubsub_channels() == []
