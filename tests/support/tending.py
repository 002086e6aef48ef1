"""A service whose clock the test turns, and whose worker works when the test says so."""

import secrets
from collections.abc import Callable
from typing import Any

from flask import Flask

from service.app import create_app
from service.settings import Settings
from service.table.clock import AWAY_AFTER_MS
from service.table.due import Queue
from service.table.edge import Edge
from service.table.tend import tend
from service.wiring import open_table
from tests.support.server import RedisServer


class Wall:
    """A clock on the wall, in milliseconds, that only the test moves."""

    def __init__(self) -> None:
        self.ms = 1_800_000_000_000

    def __call__(self) -> int:
        return self.ms


class Tended:
    """The application and a worker's hands, on one clock."""

    def __init__(
        self, redis: RedisServer, *, random_bytes: Callable[[int], bytes] = secrets.token_bytes, **settings: Any
    ) -> None:
        self.redis = redis
        chosen = Settings(redis_url=redis.url, **settings)
        self.wall = Wall()
        edge = Edge(now_ms=self.wall, random_bytes=random_bytes, sleep_s=lambda _seconds: None)
        self.table = open_table(chosen, edge)
        self.app: Flask = create_app(chosen, edge)
        self.client = self.app.test_client(use_cookies=False)
        self.beat()

    def forget_all(self) -> None:
        """Empty the store, whoever uses it."""
        with self.redis.client() as client:
            client.flushall()
        self.beat()

    def beat(self) -> None:
        """A worker shows that it lives."""
        self.table.store.beat(self.wall.ms, AWAY_AFTER_MS)

    def work(self) -> int:
        """Do whatever is due now, as workers do; how many matches were looked at."""
        looked_at = 0
        while taken := self.table.store.take_due(Queue.MATCHES, self.wall.ms, 5_000, 10):
            for entry in taken:
                self.table.store.settle_due(Queue.MATCHES, entry.match, entry.lease, tend(self.table, entry.match))
                looked_at += 1
        return looked_at

    def pass_time(self, seconds: float) -> None:
        """So much time passes, with a worker that beats and works all the while."""
        until_ms = self.wall.ms + round(1000 * seconds)
        while self.wall.ms < until_ms:
            self.wall.ms = min(until_ms, self.wall.ms + 500)
            self.beat()
            self.work()

    def be_away(self, seconds: float) -> None:
        """So much time passes in which nothing lives."""
        self.wall.ms += round(1000 * seconds)


def times(body: dict[str, Any]) -> list[tuple[int, str | None, float]]:
    """(seat, deadline, bank) of a state's clock."""
    return [(seat["seat"], seat["deadline_at"], seat["bank_s"]) for seat in body["clock"]["seats"]]
