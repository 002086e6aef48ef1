"""The whole service on a real cluster: matches are played, a master is killed, and who has nothing to do with it does
not notice; the others wait for a few seconds, and nobody is restarted."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines import GAMES
from tests.cluster.conftest import RECOVERS_WITHIN_S, SLACK_S, TIMEOUT_S, on_every_master, played, site_on
from tests.support.cluster import Cluster
from tests.support.faults import assert_unavailable
from tests.support.paced import Paced
from tests.support.play import Api
from tests.support.seats import SeatPlayer
from tests.support.server import WebServer
from tests.support.streaming import by_pages, numbers
from tests.support.waiting import eventually
from tests.support.whole import assert_whole

pytestmark = pytest.mark.slow
SEED = 20_261_130


@pytest.fixture(scope="module")
def web(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with site_on(tmp_path_factory.mktemp("web"), cluster.url) as started:
        yield started


@pytest.fixture
def api(web: WebServer) -> Api:
    return Api(web.url)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_whole_matches_of_every_game_are_played_with_clocks_and_bots(api: Api, cluster: Cluster, game: str) -> None:
    asked = {"seats": 2, "clock": {"turn_s": 3600, "on_timeout": "move"}}
    made = api.ask("POST", f"/v1/games/{game}/matches", asked)
    assert made.status == 201, made
    match, host = made.json["match"]["match"], made.json["host_token"]
    path = f"/v1/games/{game}/matches/{match}"
    token = api.ask("POST", f"{path}/seats", {"name": "Ann", "seat": 0}, token=host).json["token"]
    assert api.ask("POST", f"{path}/seats", {"bot": "random"}, token=host).status == 201
    player = SeatPlayer(api, path, 0, token, random.Random(SEED))
    player.play(time.monotonic() + 60)
    assert player.over, f"seed {SEED}: {game} did not end"
    feed = by_pages(api, f"{path}/events", host)
    assert numbers(feed) == list(range(1, len(feed) + 1))
    assert match in [each["match"] for each in api.get(f"/v1/games/{game}/matches?status=finished").json["items"]]
    with cluster.master_of(f"sb:{{{match}}}").client() as client:
        assert assert_whole(client, match).status == "finished"


def assert_each_seat_is_answered_by_itself(api: Api, hurt: Paced, other: Paced) -> None:
    """One request that waits on a match of the dead master and on another: that one is answered."""
    seats = [
        {"game": table.match.path.split("/")[3], "match": table.match.match, "seat": 0, "token": table.match.tokens[0]}
        for table in (hurt, other)
    ]
    answer = api.ask("POST", "/v1/wait", {"seats": seats, "wait_s": 20})
    assert answer.status == 200, answer
    away, news = answer.json["items"]
    assert away["problem"]["code"] == "store_unavailable"
    assert (news["problem"], news["events"][0]["seq"]) == (None, 1)
    assert answer.took_s < TIMEOUT_S


@pytest.mark.parametrize("replicas", [0, 1])
def test_when_a_master_dies_its_matches_wait_and_go_on_and_the_others_do_not_notice(
    cluster: Cluster, tmp_path: Path, replicas: int
) -> None:
    """With STORE_REPLICAS=1 they go on when the dead one is back as a replica, and nothing acknowledged is lost."""
    with site_on(tmp_path, cluster.url, store_replicas=replicas) as web:
        api = Api(web.url)
        tables = on_every_master(api, cluster, 5)
        victim = cluster.masters_now()[0]
        hurt = tables.pop(victim.port)
        others = [table for there in tables.values() for table in there]
        workers = sorted(web.workers())
        with played(web.url, [*hurt, *others]):
            eventually(lambda: all(len(table.acknowledged) > 2 for table in [*hurt, *others]), "they are played")
            heir = cluster.replica_of(victim)
            victim.kill()
            killed = time.monotonic()
            assert api.get("/readyz").status == 200, "two of three masters are worth asking"
            assert_each_seat_is_answered_by_itself(api, hurt[0], others[0])
            if replicas:
                eventually(lambda: heir.say("ROLE")[0] == b"master", "its replica has taken over")
                victim.start()  # as whoever supervises it does
            eventually(lambda: all(table.over or table.moves(killed) for table in hurt), "they go on", within_s=20)
            took_s = time.monotonic() - killed
            enough = {id(table): len(table.acknowledged) + 2 for table in [*hurt, *others]}
            eventually(
                lambda: all(t.over or len(t.acknowledged) >= enough[id(t)] for t in [*hurt, *others]), "all go on"
            )
            meanwhile = {table.match.path: len(table.moves(killed, killed + took_s)) for table in others}
        print(f"they went on after {took_s:.2f} s")
        assert took_s < RECOVERS_WITHIN_S
        assert all(meanwhile[table.match.path] > 2 or table.over for table in others), f"others: {meanwhile}"
        refused = [asked for table in others for asked in table.answers if asked.answer.status == 503]
        assert not refused, "on other masters nothing happened"
        slowest = max(asked.answer.took_s for table in others for asked in table.since(killed))
        assert slowest < TIMEOUT_S, f"an answer about a match on another master took {slowest:.2f} s"
        outages = [[asked.answer for asked in table.answers if asked.answer.status == 503] for table in hurt]
        assert all(outage or table.over for outage, table in zip(outages, hurt, strict=True)), "it was noticed"
        for answer in [answer for outage in outages for answer in outage]:
            assert answer.code in ("store_unavailable", "outcome_unknown")
            assert_unavailable(answer, answer.code, 2 * TIMEOUT_S + SLACK_S)
        for table in [*hurt, *others]:
            feed = by_pages(api, f"{table.match.path}/events", table.match.host)
            assert numbers(feed) == list(range(1, len(feed) + 1))
            assert table.streamed == feed, "the stream has had every event once"
            assert not replicas or table.acknowledged_events() <= set(feed), "what was acknowledged is there"
        assert sorted(web.workers()) == workers, "the same workers went on"
    if not replicas:
        victim.start()
    cluster.wait_until_whole()
