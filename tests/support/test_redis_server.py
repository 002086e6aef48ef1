"""The server that fault tests break does what they count on."""

from pathlib import Path

import pytest
import redis

from tests.support.server import RedisServer, redis_server


def test_what_was_answered_survives_kill_9(own_redis: RedisServer) -> None:
    with own_redis.client() as client:
        client.set("match", "kept")
    own_redis.kill()
    own_redis.start()
    with own_redis.client() as client:
        assert client.get("match") == b"kept"


def test_a_cut_off_last_write_is_dropped_and_the_rest_kept(own_redis: RedisServer) -> None:
    with own_redis.client() as client:
        client.set("first", "kept")
        client.set("second", "cut off")
    own_redis.kill()
    (log,) = (own_redis.home / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(log.read_bytes()[:-5])
    own_redis.start()
    with own_redis.client() as client:
        assert client.get("first") == b"kept"
        assert client.get("second") is None


def test_a_frozen_server_answers_nothing_until_it_thaws(own_redis: RedisServer) -> None:
    with redis.Redis.from_url(own_redis.url, socket_timeout=0.2, retry=None) as client:
        own_redis.freeze()
        with pytest.raises(redis.TimeoutError):
            client.ping()
        own_redis.thaw()
        assert client.ping()


def test_a_full_server_refuses_writes_and_forgets_nothing(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis", maxmemory="3mb") as server, server.client() as client:
        client.set("match", "kept")
        with pytest.raises(redis.OutOfMemoryError):
            write_ten_megabytes(client)
        assert client.get("match") == b"kept"


def write_ten_megabytes(client: redis.Redis) -> None:
    for number in range(100):
        client.set(f"big/{number}", b"x" * 100_000)
