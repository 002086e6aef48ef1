"""The whole service behind Sentinels, set up so that no acknowledged move is lost: two replicas, one of which must have
every write (STORE_REPLICAS=1)."""

import contextlib
import itertools
import random
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from engines import GAMES
from service.store.errors import StoreError, StoreUnavailable
from service.store.link import Link
from service.store.port import Swap
from service.store.redis import RedisStore
from service.store.server import ASKED_EVERY_S, SENTINEL_TIMEOUT_S, WATCHED_EVERY_S, Master
from service.store.site import Site
from tests.cluster.conftest import (
    RECOVERS_WITHIN_S,
    SLACK_S,
    TIMEOUT_S,
    few_rights,
    no_more_threads,
    played,
    site_on,
    table_of,
)
from tests.support.cluster import MASTER, Node, Watched, watched_by_sentinels
from tests.support.faults import assert_unavailable
from tests.support.play import Api
from tests.support.seats import SeatPlayer
from tests.support.server import WebServer
from tests.support.streaming import by_pages, numbers
from tests.support.waiting import eventually
from tests.support.whole import assert_whole

pytestmark = pytest.mark.slow
SEED = 20_261_130
HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with watched_by_sentinels(tmp_path_factory.mktemp("sentinel"), replicas=2, appendfsync="no") as started:
        yield started


@pytest.fixture(scope="module")
def web(watched: Watched, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with site_on(tmp_path_factory.mktemp("web"), watched.url, store_replicas=1) as started:
        yield started


@pytest.fixture
def api(web: WebServer) -> Api:
    return Api(web.url)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_whole_matches_of_every_game_are_played(api: Api, watched: Watched, game: str) -> None:
    table = table_of(api, 2)
    made = api.ask("POST", f"/v1/games/{game}/matches", {"seats": 2})
    path, host = f"/v1/games/{game}/matches/{made.json['match']['match']}", made.json["host_token"]
    token = api.ask("POST", f"{path}/seats", {"name": "Ann", "seat": 0}, token=host).json["token"]
    assert api.ask("POST", f"{path}/seats", {"bot": "random"}, token=host).status == 201
    player = SeatPlayer(api, path, 0, token, random.Random(SEED))
    player.play(time.monotonic() + 60)
    assert player.over, f"seed {SEED}: {game} did not end"
    with watched.master().client() as client:
        assert assert_whole(client, made.json["match"]["match"]).status == "finished"
    assert table.match.public()["status"] == "playing"


def test_when_the_master_dies_matches_wait_and_go_on_and_no_acknowledged_move_is_lost(
    web: WebServer, api: Api, watched: Watched
) -> None:
    tables = [table_of(api, number) for number in range(9)]
    victim = watched.master()
    with played(web.url, tables):
        eventually(lambda: all(len(table.acknowledged) > 2 for table in tables), "they are played")
        victim.kill()
        killed = time.monotonic()
        eventually(lambda: all(table.over or table.moves(killed) for table in tables), "they go on", within_s=20)
        took_s = time.monotonic() - killed
        victim.start()  # as whoever supervises it does; it takes itself for the master until it is told
        enough = {id(table): len(table.acknowledged) + 3 for table in tables}
        eventually(lambda: all(t.over or len(t.acknowledged) >= enough[id(t)] for t in tables), "they are played on")
        eventually(lambda: follows(victim), "it has been told", within_s=30)
    print(f"they went on after {took_s:.2f} s")
    assert took_s < RECOVERS_WITHIN_S
    outage = [asked.answer for table in tables for asked in table.answers if asked.answer.status == 503]
    assert outage, "it was noticed"
    for answer in outage:
        assert answer.code is not None
        assert_unavailable(answer, answer.code, 3 * TIMEOUT_S + SLACK_S)
    for table in tables:
        feed = by_pages(api, f"{table.match.path}/events", table.match.host)
        assert numbers(feed) == list(range(1, len(feed) + 1))
        assert table.streamed == feed, "the stream has had every event once"
        assert table.acknowledged_events() <= set(feed), "what was acknowledged is there"
        with watched.master().client() as client:
            assert_whole(client, table.match.match)


def follows(node: Node) -> bool:
    """Whether it knows that it is a replica."""
    try:
        return bool(node.say("ROLE")[0] == b"slave")
    except redis.ConnectionError:  # who is told so hangs up on everybody
        return False


def replicas_with_a_write(master: Node) -> int:
    """How many replicas have a write that was made just now."""
    with master.client() as client:
        client.set("a write", "just now")
        return int(client.wait(2, 1_000))


class Writer:
    """Writes to a match of its own, each write with an event that names it. What was acknowledged is remembered."""

    def __init__(self, url: str, replicas: int) -> None:
        self.store, self.match = RedisStore(Site(url, TIMEOUT_S).link(4, replicas)), uuid.uuid4().hex
        self.acknowledged = [b"0"]
        first = Swap(expected=b"", write=b"0", live=b"", head=b"", ttl_ms=HOUR_MS, events=self.acknowledged)
        assert self.store.swap(self.match, first)

    def write(self, stop: threading.Event) -> None:
        for number in itertools.count(1):
            if stop.is_set():
                return
            with contextlib.suppress(StoreError):
                stored, write = self.store.load(self.match), b"%d" % number
                assert stored is not None
                swap = Swap(expected=stored.write, write=write, live=b"", ttl_ms=HOUR_MS, events=[write])
                if self.store.swap(self.match, swap):
                    self.acknowledged.append(write)

    def lost(self) -> set[bytes]:
        return set(self.acknowledged) - set(self.store.events(self.match, 0, 1_000_000))


def test_a_forced_change_of_masters_loses_only_what_was_acknowledged_with_fewer_replicas_than_there_are(
    watched: Watched,
) -> None:
    was, stop = watched.master(), threading.Event()
    # A replica that has just begun to follow may need longer for the first write than it is waited for.
    eventually(lambda: replicas_with_a_write(was) == 2, "both replicas are up to date")
    writers = [Writer(watched.url, replicas) for replicas in range(3)]
    threads = [threading.Thread(target=writer.write, args=(stop,)) for writer in writers]
    for thread in threads:
        thread.start()
    eventually(lambda: all(len(writer.acknowledged) > 20 for writer in writers), "it is written")
    watched.ask(watched.ports[0], "SENTINEL", "FAILOVER", MASTER)
    eventually(lambda: watched.master() is not was, "another is the master", within_s=30)
    enough = [len(writer.acknowledged) + 20 for writer in writers]
    # The old one goes on as a master until it is told, and so long there are not replicas enough to be sure.
    eventually(
        lambda: all(len(writer.acknowledged) > most for writer, most in zip(writers, enough, strict=True)),
        "it is written on",
        within_s=30,
    )
    stop.set()
    for thread in threads:
        thread.join()
    lost = [len(writer.lost()) for writer in writers]
    print(f"lost of what was acknowledged by so many replicas: {lost}")
    assert lost[2] == 0
    assert lost[0] > 0, "the old one took writes after another had taken over"
    eventually(lambda: follows(was), "the old one has been told", within_s=30)
    watched.wait_until_whole()


def test_a_server_that_is_no_master_is_left_alone_whatever_sentinels_say(watched: Watched) -> None:
    master = watched.master()
    site = Site(watched.url, TIMEOUT_S)
    with master.client() as client:
        port = next(node.port for node in watched.nodes if node is not master)
        client.execute_command("REPLICAOF", "127.0.0.1", port)
        try:
            with pytest.raises(StoreUnavailable, match="says that it is not"):
                site.link(1).read(("PING",))
        finally:
            client.execute_command("REPLICAOF", "NO", "ONE")
    eventually(lambda: _answers(site), "it is the master again", within_s=30)
    watched.wait_until_whole()


def test_a_silent_sentinel_is_waited_for_once(watched: Watched) -> None:
    site, silent = Site(watched.url, TIMEOUT_S), watched.sentinels[0].process
    assert _answers(site)
    silent.send_signal(signal.SIGSTOP)
    try:
        took = []
        while len(took) < 5:
            begun = time.monotonic()
            assert _answers(site), "by a connection of its own"
            took.append(time.monotonic() - begun)
            asked_last = time.monotonic()
            eventually(lambda at=asked_last: time.monotonic() - at > ASKED_EVERY_S, "they may be asked again")
        assert sum(each >= SENTINEL_TIMEOUT_S for each in took) <= 1, took
    finally:
        silent.send_signal(signal.SIGCONT)
    watched.wait_until_whole()


def test_sentinels_are_watched_on_once_there_is_a_thread_again(watched: Watched) -> None:
    link = Site(watched.url, TIMEOUT_S).link(1)
    assert isinstance(link, Link)
    server = link._server
    assert isinstance(server, Master)
    link.read(("PING",))
    server._asked_at -= WATCHED_EVERY_S
    asked_at = server._asked_at
    with no_more_threads():
        link.read(("PING",))
    assert server._asked_at == asked_at
    link.read(("PING",))
    eventually(lambda: server._asked_at > asked_at, "they are asked")


def test_a_user_with_few_rights_is_enough(watched: Watched, tmp_path: Path) -> None:
    with few_rights(tmp_path, watched.nodes, watched.url) as url:
        store, match = RedisStore(Site(url, TIMEOUT_S).link(4, replicas=1)), uuid.uuid4().hex
        assert store.swap(match, Swap(expected=b"", write=b"0", live=b"", head=b"", ttl_ms=HOUR_MS, events=[b"e"]))
        assert store.events(match, 0, 1) == [b"e"]


def _answers(site: Site) -> bool:
    try:
        return site.link(1).read(("PING",)) == [b"PONG"]
    except StoreUnavailable:
        return False
