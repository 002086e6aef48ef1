"""Servers come and go under load: no request is lost, and no stream breaks off or has a gap."""

import contextlib
import json
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from service.run import web
from service.settings import Settings
from tests.support.play import Api, Playing
from tests.support.seats import SeatPlayer
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.streaming import Stream, by_pages, numbers
from tests.support.strict import Kept, Ledger
from tests.support.waiting import eventually

SEED = 20_261_130
TABLES = 4
LONGEST_S = 240.0

pytestmark = pytest.mark.slow


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


def test_a_reload_under_load_loses_no_request_and_breaks_no_stream(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=2) as server:
        load = Load(server.url)
        with load.running():
            for _ in range(3):
                reload(server)
                load.play_on(10)
        assert load.told_to_come_back >= 2 * TABLES, "every stream was ended by a reload"
        assert server.logged() == "", "nothing went wrong inside either"


@pytest.mark.parametrize("order", ["the next one starts first", "the next one starts when the last is gone"])
def test_servers_that_follow_each_other_on_one_port_lose_no_request(
    shared_redis: RedisServer, tmp_path: Path, order: str
) -> None:
    """As with systemd's socket, which holds the port, and as with pods behind a service."""
    with socket.create_server(("127.0.0.1", 0), backlog=2_048) as port:
        chosen = [
            Settings(port=port.getsockname()[1], redis_url=shared_redis.url, data_dir=tmp_path / str(number))
            for number in range(3)
        ]
        for settings in chosen:
            settings.data_dir.mkdir()
        running = [web.start(chosen[0], port, log=tmp_path / "0.log")]
        servers = [WebServer(chosen[0], running[0])]
        servers[0].wait_until_ready()
        load = Load(servers[0].url)
        try:
            with load.running():
                for number, settings in enumerate(chosen[1:], start=1):
                    if order.endswith("first"):
                        running.append(web.start(settings, port, log=tmp_path / f"{number}.log"))
                        eventually(lambda child=running[-1]: at_work(child), "it is at work", within_s=60)
                        running[-2].ask_to_stop()
                        assert running[-2].process.wait(40) == 0
                    else:
                        running[-1].ask_to_stop()
                        assert running[-1].process.wait(40) == 0
                        running.append(web.start(settings, port, log=tmp_path / f"{number}.log"))
                    load.play_on(10)
        finally:
            for child in running:
                child.stop()
        assert load.told_to_come_back >= 2 * TABLES
        assert [(tmp_path / f"{number}.log").read_text() for number in range(3)] == [""] * 3


def at_work(child: Any) -> bool:
    """Whether its metrics show that it has answered somebody."""
    files = list((child_home(child) / "metrics").glob("*.db"))
    return len(files) > 0


def child_home(child: Any) -> Path:
    environ = Path(f"/proc/{child.process.pid}/environ").read_bytes().split(b"\0")
    (home,) = [entry[9:] for entry in environ if entry.startswith(b"DATA_DIR=")]
    return Path(home.decode())


def test_a_client_that_has_asked_just_now_is_answered_once_more_and_told_that_it_was_the_last(
    shared_redis: RedisServer, tmp_path: Path
) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1) as server:
        ledger = Ledger()
        clients = [Kept(server.url, ledger) for _ in range(20)]
        for client in clients:
            client.get("/livez")
        (old,) = server.workers()
        os.kill(old, signal.SIGTERM)
        last = [client.get("/livez") for client in clients]
        assert ledger.lost == []
        assert {answer.status for answer in last} == {200}
        assert {answer.headers["Connection"] for answer in last} == {"close"}
        assert [client.line for client in clients] == [None] * 20
        assert ledger.connections == 20, "each on the connection that it had"
        eventually(lambda: old not in server.workers(), "it is gone", within_s=20)


def test_the_half_of_a_request_that_has_come_is_waited_for(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1) as server:
        place = (server.settings.host, server.settings.port)
        with socket.create_connection(place, timeout=30) as slow:
            slow.sendall(b"GET /livez HTT")
            silent = Kept(server.url, Ledger())
            silent.get("/livez")
            os.kill(server.workers()[0], signal.SIGTERM)
            eventually(lambda: silent.was_closed, "who has nothing to ask was hung up on")
            slow.sendall(b"P/1.1\r\nHost: here\r\n\r\n")
            said = b""
            while chunk := slow.recv(65_536):
                said += chunk
        assert said.startswith(b"HTTP/1.1 200"), said
        assert b"Connection: close" in said
