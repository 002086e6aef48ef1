"""Tables at which matches are played while servers come and go, and what no client of theirs may notice."""

import contextlib
import json
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tests.support.play import Api, Playing
from tests.support.seats import SeatPlayer
from tests.support.server import WebServer
from tests.support.streaming import Stream, by_pages, numbers
from tests.support.strict import Kept, Ledger
from tests.support.waiting import eventually

SEED = 20_261_130
TABLES = 4
LONGEST_S = 240.0


class Load:
    """Tables at which matches are played without a pause, by kept connections, long polls and streams."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.ledger = Ledger()
        self.done = threading.Event()
        self.until = time.monotonic() + LONGEST_S
        self.moves = [0] * TABLES
        self.reconnected = 0
        self.told_to_come_back = 0

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """While the block runs. Then every match is looked at, and what any client found wrong fails here."""
        with ThreadPoolExecutor(TABLES) as pool:
            tables = [pool.submit(self._table, number) for number in range(TABLES)]
            try:
                self.play_on(20, tables)
                yield
                self.play_on(20, tables)
            finally:
                self.done.set()
            for table in tables:
                table.result(LONGEST_S)
        assert self.ledger.lost == [], f"seed {SEED}"

    def play_on(self, moves: int, tables: "list[Future[None]] | None" = None) -> None:
        """Until so many more moves are made at every table."""
        wanted = [made + moves for made in self.moves]

        def enough() -> bool:
            failed = [table for table in tables or [] if table.done()]
            for table in failed:
                table.result()
            return all(made >= least for made, least in zip(self.moves, wanted, strict=True))

        eventually(enough, f"{moves} moves at each table; lost: {self.ledger.lost}", within_s=90)

    def _table(self, number: int) -> None:
        """One match after another, until it is enough."""
        rng = random.Random(f"{SEED} {number}")
        while not self.done.is_set() and time.monotonic() < self.until:
            self._match(number, ("onda", "wave", "ufo-wave")[number % 3], rng)

    def _match(self, number: int, game: str, rng: random.Random) -> None:
        host = Kept(self.url, self.ledger)
        match = Playing(host, game, host_can_abort=True, seed=str(rng.random()))
        players = [
            SeatPlayer(Kept(self.url, self.ledger), match.path, seat, token, random.Random(rng.random()))
            for seat, token in enumerate(match.tokens)
        ]
        with ThreadPoolExecutor(4) as pool:
            reading = [
                pool.submit(self._read, f"{match.path}/events", None),
                pool.submit(self._read, f"{match.path}/seats/1/events?include=state", match.tokens[1]),
            ]
            playing = [pool.submit(player.play, self.until, self._counted(number, player)) for player in players]
            for player in playing:
                player.result()
            if match.public()["status"] == "playing":
                assert host.ask("DELETE", match.path, token=match.host).status == 200
            read = [events.result() for events in reading]
        self._check(match, players, read)

    def _counted(self, number: int, player: SeatPlayer) -> Any:
        seen = [0]

        def enough() -> bool:
            self.moves[number] += len(player.acknowledged) - seen[0]
            seen[0] = len(player.acknowledged)
            return self.done.is_set()

        return enough

    def _read(self, path: str, token: str | None) -> list[bytes]:
        """The whole feed by streams, each gone on with where the last one ended; every end must be a clean one."""
        found: list[bytes] = []
        while True:
            stream = Stream(self.url, path, token, last_id=len(found))
            found += stream.events()
            assert stream.ended
            stream.cut()
            if found and json.loads(found[-1])["type"] in ("match_finished", "match_aborted"):
                return found
            assert stream.retry_ms is not None, "a stream that ends before its match says when to come back"
            self.told_to_come_back += 1
            time.sleep(stream.retry_ms / 1000)

    def _check(self, match: Playing, players: list[SeatPlayer], read: list[list[bytes]]) -> None:
        feed = by_pages(Api(self.url), f"{match.path}/events", None, 500)
        assert numbers(feed) == list(range(1, len(feed) + 1))
        assert read == [feed, feed]
        logged = match.api.get(f"{match.path}/replay").json["moves"]
        for player in players:
            assert player.unanswered == 0
            for made in player.acknowledged:
                entry = logged[made.version - 1]
                assert (entry["seat"], entry["version"]) == (player.seat, made.version)
        assert len(logged) == sum(len(player.acknowledged) for player in players), "no move was made twice"


def reload(server: WebServer) -> None:
    """What `systemctl reload` does, until the old workers are gone."""
    before = set(server.workers())
    os.kill(server.child.process.pid, signal.SIGHUP)
    eventually(lambda: before.isdisjoint(server.workers()), "the old workers are gone", within_s=60)
