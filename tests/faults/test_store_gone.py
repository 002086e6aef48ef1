"""Redis killed, frozen, full, loading or read-only in the middle of a match, and web servers killed beside it.

Every answer comes in time and says what is certain; what was acknowledged is there afterwards; nobody is restarted but
what was killed.
"""

import http.client
import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import redis

from tests.faults.conftest import SLACK_S, TIMEOUT_S
from tests.run.running import Running
from tests.support.faults import assert_unavailable
from tests.support.play import Answer, Api, Playing, at_once
from tests.support.proxy import Fault, Proxy
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.waiting import eventually
from tests.support.whole import assert_whole

READ_S = TIMEOUT_S + SLACK_S
WRITE_S = 2 * TIMEOUT_S + SLACK_S


@pytest.fixture
def client(server: RedisServer) -> Iterator["redis.Redis"]:
    with server.client() as client:
        yield client


@pytest.fixture
def playing(api: Api, game: str) -> Playing:
    return Playing(api, game)


def test_redis_killed_in_the_middle_of_a_match_costs_time_and_no_move(
    playing: Playing, server: RedisServer, web: WebServer, client: "redis.Redis"
) -> None:
    workers = sorted(web.workers())
    for moves in (3, 2):
        for _ in range(moves):
            last = playing.step()
        before = assert_whole(client, playing.match)
        seat, version, move = playing.turn()
        server.kill()
        try:
            for answer in (playing.state(), playing.move(seat, move, version, "key"), playing.api.get("/readyz")):
                assert_unavailable(answer, "store_unavailable", READ_S)
            assert playing.api.get("/livez").status == 200
        finally:
            server.start()
        eventually(lambda: playing.api.get("/readyz").status == 200, "it is ready again")
        assert assert_whole(client, playing.match) == before
        assert playing.public()["version"] == last.json["version"]
        playing.step()
    assert sorted(web.workers()) == workers, "the same workers went on"


def test_whatever_was_acknowledged_is_there_after_kill_9_in_the_middle_of_many_moves(
    api: Api, server: RedisServer, client: "redis.Redis"
) -> None:
    tables = [Playing(api, "wave", seats=3) for _ in range(6)]
    enough, acknowledged, unknown = threading.Event(), [dict[int, bytes]() for _ in tables], [0] * len(tables)

    def play(number: int) -> None:
        """Tips without end, each with a key of its own."""
        for count, tip in enumerate(tables[number].tips(0, 1000)):
            tells = count // 20 % 3
            answer = tables[number].move(tells, tip, key=f"tip {count}")
            if answer.status == 201:
                acknowledged[number][answer.json["version"]] = answer.body
            if answer.status == 503 or enough.is_set():
                unknown[number] = count
                return

    players = [threading.Thread(target=play, args=(number,)) for number in range(len(tables))]
    for player in players:
        player.start()
    eventually(lambda: sum(map(len, acknowledged)) > 60, "many moves are acknowledged")
    server.kill()
    enough.set()
    for player in players:
        player.join()
    server.start()
    eventually(lambda: api.get("/readyz").status == 200, "it is ready again")
    for number, table in enumerate(tables):
        stored = assert_whole(client, table.match)
        versions = sorted(acknowledged[number])
        assert versions == list(range(1, len(versions) + 1))
        assert stored.version - len(versions) in (0, 1), "one more at the most: written, and not acknowledged any more"
        count = unknown[number]
        tip, tells = table.tips(0, 1000)[count], count // 20 % 3
        repeat = table.move(tells, tip, key=f"tip {count}")
        assert (repeat.status, repeat.json["version"]) == (201, max(len(versions), count + 1)), repeat
        assert assert_whole(client, table.match).version == count + 1, "applied once, whether before or now"


def test_a_frozen_redis_makes_reads_and_writes_unavailable_in_time(
    playing: Playing, server: RedisServer, client: "redis.Redis"
) -> None:
    playing.step()
    seat, version, move = playing.turn()
    before = assert_whole(client, playing.match)
    server.freeze()
    try:
        reads = [playing.state, partial(playing.api.get, "/readyz"), partial(playing.api.get, playing.path)]
        for answer in at_once([*reads * 4, partial(playing.move, seat, move, version, "key")]):
            assert_unavailable(answer, "store_unavailable", READ_S)
    finally:
        server.thaw()
    assert assert_whole(client, playing.match) == before
    assert playing.move(seat, move, version, "key").status == 201


def test_a_redis_that_freezes_before_the_write_makes_it_unknown_in_time(
    playing: Playing, server: RedisServer, proxy: Proxy, client: "redis.Redis"
) -> None:
    playing.step()
    seat, version, move = playing.turn()
    before = assert_whole(client, playing.match)
    proxy.before("EVALSHA", server.freeze)
    try:
        assert_unavailable(playing.move(seat, move, version, "key"), "outcome_unknown", WRITE_S)
        assert_unavailable(playing.state(), "store_unavailable", READ_S)
    finally:
        server.thaw()
    after = assert_whole(client, playing.match)
    assert after == before or after.version == version + 1
    repeats = [playing.move(seat, move, version, "key") for _ in range(2)]
    assert [repeat.status for repeat in repeats] == [201, 201]
    assert repeats[0].body == repeats[1].body
    assert assert_whole(client, playing.match).version == version + 1
    playing.step()


def test_a_redis_that_freezes_for_less_than_the_time_out_is_waited_for(
    playing: Playing, server: RedisServer, client: "redis.Redis"
) -> None:
    seat, version, move = playing.turn()
    server.freeze()
    thawing = threading.Timer(TIMEOUT_S / 4, server.thaw)
    thawing.start()
    played = playing.move(seat, move, version)
    thawing.join()
    assert played.status == 201, played
    assert assert_whole(client, playing.match).version == 1


def test_a_full_redis_refuses_writes_and_answers_reads(
    api: Api, playing: Playing, game: str, client: "redis.Redis"
) -> None:
    waits = api.ask("POST", f"/v1/games/{game}/matches", {"seats": 2, "visibility": "unlisted"})
    path, host, code = waits.headers["Location"], waits.json["host_token"], waits.json["join_code"]
    first = playing.step()
    seat, version, move = playing.turn()
    before = [assert_whole(client, match) for match in (playing.match, waits.json["match"]["match"])]
    client.config_set("maxmemory", 1)
    try:
        writes = {
            "move": partial(playing.move, seat, move, version, "full"),
            "resign": partial(api.ask, "DELETE", f"{playing.path}/seats/0", token=playing.tokens[0]),
            "renew": partial(api.ask, "POST", f"{playing.path}/seats/0/token", token=playing.tokens[0]),
            "claim": partial(api.ask, "POST", f"{path}/seats", {"name": "Ada", "join_code": code}, key="full"),
            "claim by the host": partial(api.ask, "POST", f"{path}/seats", {"name": "Ada"}, token=host),
            "abort": partial(api.ask, "DELETE", path, token=host),
            "create": partial(api.ask, "POST", f"/v1/games/{game}/matches", {"seats": 2}),
            "create with a key": partial(
                api.ask, "POST", f"/v1/games/{game}/matches", {"seats": 2}, key=f"full {game}"
            ),
        }
        for write in writes.values():
            assert_unavailable(write(), "store_unavailable", READ_S)
        token = playing.tokens[0]
        for read in (
            "",
            "/state",
            "/events",
            "/seats/0/state",
            "/seats/0/legal-moves",
            "/seats/0/events?include=state",
        ):
            assert api.get(playing.path + read, token=token).status == 200, read
        assert api.get(f"/v1/games/{game}/matches?limit=100").status == 200
        assert api.get("/readyz").status == 200
    finally:
        client.config_set("maxmemory", 0)
    after = [assert_whole(client, match) for match in (playing.match, waits.json["match"]["match"])]
    assert after == before, "nothing is half written"
    for match in (playing.match, waits.json["match"]["match"]):
        assert not client.keys(f"sb:{{{match}}}:key:*"), "nor is a key taken"
    assert playing.move(seat, move, version, "full").json["version"] == first.json["version"] + 1


def test_a_full_redis_lets_a_late_list_be_read(api: Api, client: "redis.Redis") -> None:
    client.zadd("sb:list:wave:waiting", {f"{1:013d}:{'0' * 24}": 0})  # of a match that is long gone
    playing = Playing(api, "wave", host_can_abort=True)
    place = next(one for one in client.zrange("sb:list:wave", 0, -1) if one.endswith(playing.match.encode()))
    client.zadd("sb:list:wave:waiting", {place: 0})  # as if the move to `playing` had been lost
    client.config_set("maxmemory", 1)
    try:
        page = api.get("/v1/games/wave/matches?status=waiting&limit=100")
    finally:
        client.config_set("maxmemory", 0)
    assert page.status == 200
    assert playing.match not in [item["match"] for item in page.json["items"]]
    api.get("/v1/games/wave/matches?status=waiting&limit=100")
    left = client.zrange("sb:list:wave:waiting", 0, -1)
    assert place not in left, "mended as soon as there is room"
    assert not [one for one in left if one.endswith(b"0" * 24)]


def test_a_redis_that_takes_no_writes_is_unavailable_for_them_alone(playing: Playing, client: "redis.Redis") -> None:
    seat, version, move = playing.turn()
    before = assert_whole(client, playing.match)
    client.replicaof("127.0.0.1", 1)  # where nobody answers: what a failover leaves of the old primary
    try:
        assert_unavailable(playing.move(seat, move, version, "key"), "store_unavailable", READ_S)
        assert playing.state().status == 200
    finally:
        client.replicaof("NO", "ONE")
    assert assert_whole(client, playing.match) == before
    assert playing.move(seat, move, version, "key").status == 201


def test_more_requests_than_connections_wait_their_turn_and_no_longer(
    server: RedisServer, tmp_path: Path, client: "redis.Redis"
) -> None:
    with web_server(
        tmp_path / "web", f"{server.url}?client_name=narrow", store_timeout_s=TIMEOUT_S, store_connections=2
    ) as narrow:
        playing = Playing(Api(narrow.url), "onda")
        for _ in range(3):
            assert {answer.status for answer in at_once([playing.state] * 40)} == {200}
        most = 2 * len(narrow.workers())
        assert 1 <= connections(client, "narrow") <= most
        server.freeze()
        try:
            for answer in at_once([playing.state] * 40):
                assert_unavailable(answer, "store_unavailable", 2 * TIMEOUT_S + SLACK_S)
        finally:
            server.thaw()
        assert {answer.status for answer in at_once([playing.state] * 40)} == {200}
        playing.step()
        assert 1 <= connections(client, "narrow") <= most


def connections(client: "redis.Redis", name: str) -> int:
    """How many connections of this name the server sees."""
    return sum(one["name"] == name for one in client.client_list())


@pytest.mark.parametrize("fault", [Fault.LOSE_COMMAND, Fault.DELAY], ids=lambda fault: fault.name.lower())
def test_web_workers_killed_between_the_rules_and_the_write_leave_the_match_whole(
    playing: Playing, proxy: Proxy, web: WebServer, client: "redis.Redis", fault: Fault
) -> None:
    playing.step()
    seat, version, move = playing.turn()
    before, killed = assert_whole(client, playing.match), web.workers()

    def kill_the_workers() -> None:
        for pid in killed:
            os.kill(pid, signal.SIGKILL)

    proxy.before("EVALSHA", kill_the_workers)
    proxy.plan(("EVALSHA", fault))
    with pytest.raises((OSError, http.client.HTTPException)):
        playing.move(seat, move, version, "key")
    proxy.until_met()
    assert assert_whole(client, playing.match) == before
    if fault is Fault.DELAY:  # it was on its way already
        proxy.deliver()
        eventually(lambda: client.llen(f"sb:{{{playing.match}}}:moves") == version + 1, "the write arrives")
        assert assert_whole(client, playing.match).version == version + 1
    eventually(lambda: answered(partial(playing.api.get, "/readyz")), "other workers answer", within_s=30)
    repeat = playing.move(seat, move, version, "key")
    assert (repeat.status, repeat.replayed) == (201, fault is Fault.DELAY), repeat
    assert assert_whole(client, playing.match).version == version + 1
    playing.step()
    assert not set(web.workers()) & set(killed)


def answered(ask: Callable[[], Answer]) -> bool:
    try:
        return ask().status == 200
    except (OSError, http.client.HTTPException):
        return False


@pytest.mark.parametrize(("game", "moves"), [("wave", 1), ("onda", 4)])
def test_an_acknowledged_move_survives_kill_9_of_everything(tmp_path: Path, game: str, moves: int) -> None:
    data_dir = tmp_path / "var"
    first = Running(data_dir, command=("-m", "service", "run"))
    try:
        first.until_it_answers()
        playing = Playing(Api(f"http://127.0.0.1:{first.port}"), game)
        for number in range(moves):
            seat, version, move = playing.turn()
            played = playing.move(seat, move, version, f"move {number}")
            assert played.status == 201
    finally:
        first.kill_all()
    second = Running(data_dir, command=("-m", "service", "run"), PORT=str(first.port))
    try:
        second.until_it_answers()
        with second.redis() as client:
            assert assert_whole(client, playing.match).version == moves
        repeat = playing.move(seat, move, version, f"move {moves - 1}")
        assert (repeat.status, repeat.replayed, repeat.body) == (201, True, played.body)
        playing.step()
        assert second.stop() == 0
    finally:
        if second.process.poll() is None:
            second.kill_all()
