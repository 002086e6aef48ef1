"""Two web processes, two workers and Redis, killed, stopped, frozen and started again at random under forty matches.

FAULTS_S says for how long (45); FAULTS_SEED is printed, and repeats the choices of one run (not its timing).
"""

import contextlib
import http.client
import json
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engines import GAMES
from service.run import worker
from service.run.child import Child
from service.verify import verify
from tests.support.play import Api
from tests.support.receiver import Receiver, receiver
from tests.support.seats import SeatPlayer
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.streaming import Stream, by_pages, numbers
from tests.support.waiting import eventually
from tests.support.whole import assert_whole

MATCHES = 40
FAULTS_S = float(os.environ.get("FAULTS_S", "45"))
SEED = os.environ.get("FAULTS_SEED") or str(time.time_ns())
CLOCKS = [None, None, {"turn_s": 2, "bank_s": 2, "on_timeout": "move"}, {"turn_s": 3, "on_timeout": "bot"}]


@dataclass
class Contest:
    """One match, who plays it over HTTP, and what somebody who follows its stream has read."""

    path: str
    host: str
    hooked: bool
    players: list[SeatPlayer] = field(default_factory=list)
    streamed: list[bytes] | None = None

    @property
    def match(self) -> str:
        return self.path.rsplit("/", 1)[1]

    @property
    def over(self) -> bool:
        return any(player.over for player in self.players)


class House:
    """All processes, and the hand that kills them."""

    def __init__(self, redis: RedisServer, web: WebServer, home: Path) -> None:
        self.redis, self.web, self.home = redis, web, home
        self.workers = [self._worker(number) for number in range(2)]
        self.faults: Counter[str] = Counter()

    def _worker(self, number: int) -> Child:
        return worker.start(self.web.settings, log=self.home / f"worker-{number}.log")

    def fault(self, rng: random.Random) -> None:
        """Kill one process with kill -9, and start it again after a moment; or stop it in a gentler way."""
        what = rng.choice(
            [
                "web killed",
                "web killed",
                "web stopped",
                "worker killed",
                "worker killed",
                "redis killed",
                "redis frozen",
            ]
        )
        pause_s = rng.choice([0.0, 0.1, 0.5, 1.0])
        self.faults[what] += 1
        if what.startswith("web"):  # its master starts another
            with contextlib.suppress(ProcessLookupError, IndexError):
                os.kill(rng.choice(self.web.workers()), signal.SIGKILL if what == "web killed" else signal.SIGTERM)
        elif what == "redis frozen":
            self.redis.freeze()
            time.sleep(2 * pause_s)
            self.redis.thaw()
        elif what == "worker killed":
            number = rng.randrange(2)
            self.workers[number].kill()
            time.sleep(pause_s)
            self.workers[number] = self._worker(number)
        else:
            self.redis.kill()
            time.sleep(pause_s)
            self.redis.start()

    def stop(self) -> None:
        for one in self.workers:
            one.stop()

    def logged(self) -> str:
        return self.web.logged() + "".join(log.read_text() for log in self.home.glob("worker-*.log"))


@pytest.fixture
def house(own_redis: RedisServer, tmp_path: Path) -> Iterator[House]:
    options = {"store_timeout_s": 1.0, "stream_heartbeat_s": 1.0, "webhook_private_addresses": True}
    with web_server(tmp_path, own_redis.url, web_workers=2, **options) as web:
        house = House(own_redis, web, tmp_path)
        try:
            yield house
        finally:
            house.stop()


def set_up(api: Api, endpoint: Receiver, rng: random.Random, number: int) -> Contest:
    """A match of any game: bots that the host claims in some seats, clients of the API in the others."""
    game = GAMES[sorted(GAMES)[number % len(GAMES)]]
    seats = rng.randint(max(2, game.min_seats), game.max_seats)
    asked: dict[str, Any] = {"seats": seats, "host_can_abort": True}
    if clock := rng.choice(CLOCKS):
        asked["clock"] = clock
    if hooked := rng.random() < 0.25:
        asked["webhook"] = {"url": f"{endpoint.url}/{number}"}
    made = api.ask("POST", f"/v1/games/{game.key}/matches", asked)
    assert made.status == 201, made
    contest = Contest(f"/v1/games/{game.key}/matches/{made.json['match']['match']}", made.json["host_token"], hooked)
    bots = [seat > 0 and rng.random() < 0.5 for seat in range(seats)]
    for seat, bot in enumerate(bots):
        body = {"seat": seat, **({"bot": rng.choice(list(game.bots))} if bot else {"name": f"Seat {seat}"})}
        claimed = api.ask("POST", f"{contest.path}/seats", body, token=contest.host)
        assert claimed.status == 201, claimed
        if not bot:
            own = random.Random(rng.random())
            contest.players.append(SeatPlayer(api, contest.path, seat, claimed.json["token"], own))
    return contest


def follow(web: WebServer, contest: Contest, stop: threading.Event) -> None:
    """Read the stream of a match, connecting anew with the last number whenever it is torn off."""
    read: list[bytes] = []
    contest.streamed = read
    while not stop.is_set():
        with contextlib.suppress(OSError, http.client.HTTPException):
            stream = Stream(web.url, f"{contest.path}/events", last_id=len(read))
            for message in stream.messages():
                read += [message.data] if message.event is None else []
            if read and json.loads(read[-1])["type"] in ("match_finished", "match_aborted"):
                return
        stop.wait(0.05)


def plays_on(api: Api, contest: Contest, rng: random.Random) -> None:
    """Until a move more is made, or the match is over. Fails if nothing can happen."""
    before = api.get(contest.path).json["version"]

    def moved() -> bool:
        public = api.get(contest.path).json
        return public["version"] > before or public["status"] != "playing"

    until = time.monotonic() + 20
    with ThreadPoolExecutor(len(contest.players)) as pool:
        for player in contest.players:
            pool.submit(player.play, until, moved)
        eventually(moved, f"{contest.path} can be played on", within_s=20)


def check(api: Api, house: House, contest: Contest) -> None:
    """The match is over. What is stored, told, replayed and was acknowledged agrees."""
    with house.redis.client() as client:
        assert_whole(client, contest.match)
    feed = by_pages(api, f"{contest.path}/events", None, 500)
    assert numbers(feed) == list(range(1, len(feed) + 1))
    if contest.streamed is not None:
        assert contest.streamed == feed, "a stream lost, doubled or shuffled something"
    replay = api.get(f"{contest.path}/replay").json
    verify(replay)
    log = {entry["version"]: entry for entry in replay["moves"]}
    acknowledged = [move for player in contest.players for move in player.acknowledged]
    assert len({move.version for move in acknowledged}) == len(acknowledged), "two moves were given one version"
    for move in acknowledged:
        made = log[move.version]
        assert (made["seat"], made["move"], made["cause"]) == (move.seat, move.move, "player")
    for player in contest.players:
        made = [entry for entry in replay["moves"] if entry["seat"] == player.seat and entry["cause"] == "player"]
        unknown = len(made) - len(player.acknowledged)
        assert 0 <= unknown <= player.unanswered, "a move was made twice"


@pytest.mark.slow
def test_whatever_is_killed_no_match_is_damaged_and_no_answered_move_lost(house: House) -> None:
    print(f"FAULTS_SEED={SEED}")
    rng = random.Random(SEED)
    api = Api(house.web.url)
    with receiver() as endpoint:
        contests = [set_up(api, endpoint, rng, number) for number in range(MATCHES)]
        stop, until = threading.Event(), time.monotonic() + FAULTS_S
        players = [player for contest in contests for player in contest.players]
        with ThreadPoolExecutor(len(players) + 12) as pool:
            playing = [pool.submit(player.play, until) for player in players]
            following = [pool.submit(follow, house.web, contest, stop) for contest in contests[:12]]
            try:
                while time.monotonic() < until and not all(contest.over for contest in contests):
                    house.fault(rng)
                    time.sleep(rng.uniform(0.2, 1.5))
                for future in playing:
                    future.result(60)
                house.web.wait_until_ready()
                ended = sum(api.get(contest.path).json["status"] == "finished" for contest in contests)
                for contest in contests:
                    public = eventually(lambda c=contest: api.get(c.path), "it answers").json
                    if public["status"] == "playing":
                        plays_on(api, contest, rng)
                        aborted = api.ask("DELETE", contest.path, token=contest.host)
                        assert aborted.status in (200, 204) or aborted.code == "match_over", aborted
                for future in following:
                    future.result(30)
            finally:
                stop.set()
        moves = sum(len(player.acknowledged) for player in players)
        print(f"{dict(house.faults)}; {ended} of {MATCHES} matches ended, {moves} moves were acknowledged")
        for contest in contests:
            try:
                check(api, house, contest)
            except AssertionError as fault:
                raise AssertionError(f"FAULTS_SEED={SEED}, {contest.path}: {fault}") from fault
        for number, contest in enumerate(contests):
            if contest.hooked:
                feed = [json.loads(event) for event in by_pages(api, f"{contest.path}/events", None, 500)]
                eventually(lambda n=number, f=feed: told(endpoint, n) == f, f"all is told of {contest.path}", 90)
    assert "Traceback" not in house.logged()


def told(endpoint: Receiver, number: int) -> list[Any]:
    """What the webhook of a match was told, each event once, in the order of its first delivery."""
    seen: dict[int, Any] = {}
    for delivery in list(endpoint.got):
        if delivery.path == f"/hook/{number}":
            seen.setdefault(delivery.event["seq"], delivery.event)
    return list(seen.values())
