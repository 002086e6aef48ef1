"""One feed, three ways to read it, on real web servers, a real worker and a real Redis that may die."""

import json
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engines import GAMES
from engines.kit.chance import Chance, fixed_seed
from service.live.follow import follow
from service.live.hub import Hub
from service.run import worker
from service.run.web import COMMAND
from service.store.news import News
from service.table.edge import Edge
from service.table.recent import Recent
from service.table.records import Head, Live, Record
from service.table.table import Table
from tests.support.memory_store import MemoryStore
from tests.support.play import Answer, Api, Playing
from tests.support.seats import SeatPlayer
from tests.support.server import RedisServer, WebServer, redis_server, web_server
from tests.support.streaming import Stream, by_long_polls, by_pages, numbers, page
from tests.support.waiting import eventually

HEARTBEAT_S = 0.5
SEED = 20_261_130


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis")) as started:
        yield started


@pytest.fixture(scope="module")
def web(redis: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Two web processes and a worker."""
    home = tmp_path_factory.mktemp("web")
    with web_server(home, redis.url, stream_heartbeat_s=HEARTBEAT_S, store_timeout_s=1.0) as started:
        works = worker.start(started.settings, log=home / "worker.log")
        try:
            yield started
        finally:
            works.stop()


@pytest.fixture
def api(web: WebServer) -> Api:
    return Api(web.url)


def with_a_bot(api: Api, game: str, **asked: Any) -> tuple[str, str, str]:
    """(path, host's token, token of seat 0) of a match against a built-in bot."""
    made = api.ask("POST", f"/v1/games/{game}/matches", {"seats": 2, "seed": "long 58", **asked})
    assert made.status == 201, made
    path, host = f"/v1/games/{game}/matches/{made.json['match']['match']}", made.json["host_token"]
    seat = api.ask("POST", f"{path}/seats", {"name": "Ann", "seat": 0}, token=host)
    assert api.ask("POST", f"{path}/seats", {"bot": "random"}, token=host).status == 201
    return path, host, seat.json["token"]


@pytest.mark.parametrize("game", ["onda", "ufo-wave", "wave"])
def test_pages_polls_and_streams_give_the_same_bytes_in_order_once(web: WebServer, api: Api, game: str) -> None:
    path, host, token = with_a_bot(api, game)
    seat_events, all_events = f"{path}/seats/0/events", f"{path}/events"
    with ThreadPoolExecutor(4) as pool:
        streamed = [
            pool.submit(Stream(web.url, seat_events, token).events),
            pool.submit(Stream(web.url, all_events).events),
        ]
        polled = [
            pool.submit(by_long_polls, api, seat_events, token),
            pool.submit(by_long_polls, api, all_events, None),
        ]
        player = SeatPlayer(api, path, 0, token, random.Random(SEED))
        player.play(time.monotonic() + 60)
        assert player.over, f"seed {SEED}: {game} did not end"
        read = [future.result(60) for future in [*streamed, *polled]]
    feed = by_pages(api, all_events, host)
    assert numbers(feed) == list(range(1, len(feed) + 1))
    assert b'"type":"match_finished"' in feed[-1]
    assert [len(events) for events in read] == [len(feed)] * 4
    assert all(events == feed for events in read)


def test_a_stream_goes_on_after_the_last_event_id(web: WebServer, api: Api) -> None:
    match = Playing(api, "onda")
    for _ in range(4):
        match.step()
    path = f"{match.path}/seats/0/events"
    first = Stream(web.url, path, match.tokens[0])
    seen = first.until(3)
    first.cut()
    match.step()
    again = Stream(web.url, f"{path}?after=1", match.tokens[0], last_id=3)
    newest = len(match.events())
    assert seen + again.until(newest) == by_pages(api, path, match.tokens[0])
    again.cut()


def test_a_silent_stream_shows_that_it_lives(web: WebServer, api: Api) -> None:
    match = Playing(api, "wave")
    stream = Stream(web.url, f"{match.path}/events?after={len(match.events())}")
    timer = threading.Timer(4 * HEARTBEAT_S, lambda: match.step())
    timer.start()
    assert stream.message() is not None
    assert stream.heartbeats >= 3
    stream.cut()
    timer.join()


def test_a_stream_of_a_match_that_is_over_ends_by_itself(web: WebServer, api: Api) -> None:
    match = Playing(api, "onda", host_can_abort=True)
    streams = [
        Stream(web.url, f"{match.path}/events"),
        Stream(web.url, f"{match.path}/seats/1/events", match.tokens[1]),
    ]
    assert api.ask("DELETE", match.path, token=match.host).status == 200
    feed = by_pages(api, f"{match.path}/events", None)
    assert [stream.events() for stream in streams] == [feed, feed]
    assert Stream(web.url, f"{match.path}/events", last_id=len(feed)).events() == []
    assert page(api.get(f"{match.path}/events?after={len(feed)}&wait_s=60")).events == []


def test_with_the_state_each_batch_is_followed_by_what_state_and_legal_moves_say(web: WebServer, api: Api) -> None:
    match = Playing(api, "onda", clock={"turn_s": 3600, "on_timeout": "move"})
    stream = Stream(web.url, f"{match.path}/seats/0/events?include=state", match.tokens[0])
    for _ in range(12):
        newest = len(match.events())
        for message in stream.messages():
            if message.event == "state" and message.json["state"]["version"] == match.public()["version"]:
                break
        told, state = message.json, match.state().json
        for body in (told["state"], state):
            body["clock"].pop("server_time")
            for seat in body["clock"]["seats"]:
                seat.pop("deadline_at")
        assert told["state"] == state, f"after event {newest}"
        listed = api.get(f"{match.path}/seats/0/legal-moves", token=match.tokens[0]).json
        assert told["legal_moves"] == listed
        match.step()
    stream.cut()


def test_streams_that_keep_up_show_the_state_without_reading_the_feed(redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, redis.url, web_workers=1) as server, redis.client() as client:
        match = Playing(Api(server.url), "onda", seats=4)
        streams = [
            Stream(server.url, f"{match.path}/seats/{seat}/events?include=state", token)
            for seat, token in enumerate(match.tokens)
        ]

        def all_show(version: int) -> None:
            for stream in streams:
                next(
                    message
                    for message in stream.messages()
                    if message.event == "state" and message.json["state"]["version"] == version
                )

        for version in range(6):
            all_show(version)
            if version == 1:  # all of them have heard by now that the server listens, and read what there was
                client.config_resetstat()
            seat, _, move = match.turn()
            assert match.move(seat, move).status == 201
        all_show(6)
        assert "cmdstat_lrange" not in client.info("commandstats")
        for stream in streams:
            stream.cut()


def test_long_polls_that_come_back_read_the_match_once_and_the_feed_not_at_all(
    own_redis: RedisServer, tmp_path: Path
) -> None:
    with (
        web_server(tmp_path, own_redis.url, web_workers=1) as server,
        own_redis.client() as client,
        ThreadPoolExecutor(4) as polls,
    ):
        api = Api(server.url)
        match = Playing(api, "onda", seats=4)

        def events(seat: int, query: str) -> Any:
            return Api(server.url).get(f"{match.path}/seats/{seat}/events?{query}", token=match.tokens[seat]).json

        def all_wait() -> bool:
            return b'shorebreak_waiters{kind="poll"} 4.0' in api.get("/metrics").body

        def calls() -> dict[str, int]:
            return {name: stat["calls"] for name, stat in client.info("commandstats").items()}

        last = events(0, "after=0")["last"]
        for version in range(1, 6):
            client.config_resetstat()
            told = [polls.submit(events, seat, f"after={last}&wait_s=30&include=state") for seat in range(4)]
            eventually(all_wait, "all wait")
            if version > 1:  # the first of them have to be listened for
                assert calls()["cmdstat_hmget"] == 4
            seat, _, move = match.turn()
            assert match.move(seat, move).status == 201
            answers = [each.result() for each in told]
            assert version == 1 or "cmdstat_lrange" not in calls()
            assert [answer["state"]["version"] for answer in answers] == [version] * 4
            assert [answer["events"] for answer in answers] == [events(0, f"after={last}")["events"]] * 4
            last = answers[0]["last"]


@pytest.mark.parametrize("remembered", ["made", "lost", None])
def test_a_stream_shows_what_this_process_remembers_if_it_is_of_that_very_write(remembered: str | None) -> None:
    """It may remember a write that a failover has undone; another has since been made in its place."""
    game = GAMES["onda"]
    state = game.setup(game.options(), 2, Chance(fixed_seed("any"))).state
    head = Head(
        game="onda", rules_version=game.rules_version, options={}, seats=(), host=b"", join_code="",
        visibility="listed", on_absent="move", host_can_abort=True, legal_moves="full", secret=b"", fixed=None,
        created_ms=0,
    )  # fmt: skip

    def record(write: str, seq: int) -> Record:
        return Record("m", game, write.encode(), head, Live(status="playing", version=seq, seq=seq), state)

    table = Table(store=MemoryStore(), edge=Edge(), recent=Recent(10))
    hub = Hub(lambda: pytest.fail("nobody asks the server"), 5.0)
    hub._run = lambda: None  # news come from the test
    judged: list[Record | None] = []

    def again(known: Record | None) -> Record:
        judged.append(known)
        return known or record("made", 1)

    batches = follow(hub, table, record("first", 0), 0, 0, again, lambda record, _seen: record.write)
    assert next(batches).shown == b"first"
    if remembered:
        table.recent.put(record(remembered, 1))
    (waiter,) = hub._rooms["m"].waiters
    waiter.take()
    waiter.tell(News("m", b'1 4\nmade\n{"seq":1}'))
    batch = next(batches)
    assert (batch.events, batch.last, batch.shown) == ([b'{"seq":1}'], 1, b"made")
    assert judged == [table.recent.get("m") if remembered == "made" else None], "whoever waits is judged again anyway"


def test_who_lost_the_last_state_gets_it_again(web: WebServer, api: Api) -> None:
    match = Playing(api, "wave")
    stream = Stream(web.url, f"{match.path}/seats/0/events?include=state", match.tokens[0], last_id=len(match.events()))
    message = stream.message()
    assert message is not None
    assert message.event == "state"
    assert message.json["state"] == match.state().json
    stream.cut()


def test_a_token_that_is_renewed_ends_its_streams_with_a_problem(web: WebServer, api: Api) -> None:
    match = Playing(api, "onda")
    plain = Stream(web.url, f"{match.path}/seats/0/events", match.tokens[0])
    whole = Stream(web.url, f"{match.path}/seats/0/events?include=state", match.tokens[0])
    others = Stream(web.url, f"{match.path}/seats/1/events", match.tokens[1])
    newest = len(match.events())
    plain.until(newest)
    others.until(newest)
    renewed = api.ask("POST", f"{match.path}/seats/0/token", token=match.tokens[0])
    assert renewed.status in (200, 201), renewed
    for stream in (plain, whole):
        last = list(stream.messages())[-1]
        assert (last.event, last.json["code"]) == ("problem", "unauthenticated")
        assert stream.ended
    assert b"token_renewed" in others.until(newest + 1)[-1]
    assert numbers(Stream(web.url, f"{match.path}/events", last_id=newest).until(newest + 1)) == [newest + 1]
    others.cut()


def test_a_slow_reader_loses_nothing(web: WebServer, api: Api) -> None:
    asked = {"seats": 6, "seed": "slow"}
    made = api.ask("POST", "/v1/games/ufo-wave/matches", asked).json
    path = f"/v1/games/ufo-wave/matches/{made['match']['match']}"
    for seat in range(6):
        if seat == 5:
            # Its window takes two kilobytes; then the server can't send, and hundreds of news pass it by.
            slow = Stream(web.url, f"{path}/events", window=2_048)
        assert api.ask("POST", f"{path}/seats", {"bot": "random"}, token=made["host_token"]).status == 201
    eventually(lambda: api.get(path).json["status"] == "finished", "the bots have played", within_s=60)
    feed = by_pages(api, f"{path}/events", None, 500)
    assert len(feed) > 200
    assert slow.events() == feed


def test_redis_dies_and_comes_back_and_every_reader_has_every_event_once(
    web: WebServer, api: Api, redis: RedisServer
) -> None:
    path, host, token = with_a_bot(api, "onda", host_can_abort=True)
    all_events = f"{path}/events"
    with ThreadPoolExecutor(6) as pool:
        streams = [Stream(web.url, f"{path}/seats/0/events", token), Stream(web.url, all_events)]
        streams += [Stream(web.url, f"{path}/seats/0/events?include=state", token)]
        readers = [pool.submit(stream.events) for stream in streams]
        readers += [pool.submit(by_long_polls, api, all_events, None, refusals=True)]
        player = SeatPlayer(api, path, 0, token, random.Random(SEED))
        playing = pool.submit(player.play, time.monotonic() + 90)
        for number in range(3):
            eventually(lambda n=number: len(player.acknowledged) > 3 * n + 2 or player.over, "it is played on")
            redis.kill()
            redis.start()
        playing.result(90)
        assert player.over, f"seed {SEED}"
        read = [reader.result(60) for reader in readers]
    feed = by_pages(api, all_events, host)
    assert numbers(feed) == list(range(1, len(feed) + 1))
    assert [len(events) for events in read] == [len(feed)] * len(read)
    assert all(events == feed for events in read)


def test_spectators_of_a_delayed_match_lag_behind_in_every_way_of_reading(web: WebServer, api: Api) -> None:
    delay = 3
    made = api.ask(
        "POST",
        "/v1/games/onda/matches",
        {"seats": 2, "spectators": {"open": True, "delay": delay}, "host_can_abort": True, "seed": "long 58"},
    ).json
    path = f"/v1/games/onda/matches/{made['match']['match']}"
    made_moves = [0]
    seen: dict[str, list[tuple[bytes, int, int]]] = {"plain": [], "whole": []}

    def read(name: str, stream: Stream) -> None:
        for message in stream.messages():
            told = message.json["state"]["version"] if message.event else message.json["version"]
            seen[name].append((message.data, told, max(0, made_moves[0] - delay)))

    # Opened before the start, when nothing is kept back yet.
    streams = [("plain", Stream(web.url, f"{path}/events")), ("whole", Stream(web.url, f"{path}/events?include=state"))]
    with ThreadPoolExecutor(2) as pool:
        reading = [pool.submit(read, name, stream) for name, stream in streams]
        tokens = [
            api.ask("POST", f"{path}/seats", {"name": f"Seat {seat}"}, token=made["host_token"]).json["token"]
            for seat in range(2)
        ]
        for version in range(1, 9):
            to_move = api.get(f"{path}/seats/0/state", token=tokens[0]).json["to_move"][0]
            listed = api.get(f"{path}/seats/{to_move}/legal-moves", token=tokens[to_move]).json
            made_moves[0] = version
            move = {"move": listed["moves"][0]}
            assert api.ask("POST", f"{path}/seats/{to_move}/moves", move, token=tokens[to_move]).status == 201
            newest = max(0, version - delay)
            assert api.get(f"{path}/state").json["version"] == newest
            feed = page(api.get(f"{path}/events?limit=500"))
            assert max(json.loads(bytes(event))["version"] for event in feed.events) == newest
            assert not feed.more
            public = api.get(path).json
            (listing,) = [m for m in api.get("/v1/games/onda/matches").json["items"] if m["match"] == public["match"]]
            for said in (public, listing):
                assert (said["version"], said["to_move"], said["status"]) == (None, [], "playing")
            for name in seen:
                eventually(lambda n=name, v=newest: v in [told for _, told, _ in seen[n]], f"{name} is as far")
        made_moves[0] = 1_000
        assert api.ask("DELETE", path, token=made["host_token"]).status == 200
        for future in reading:
            future.result(20)
    for name, messages in seen.items():
        assert all(told <= allowed for _, told, allowed in messages), f"{name} was told something too early"
    whole = by_pages(api, f"{path}/events", None)
    assert [data for data, _, _ in seen["plain"]] == whole
    assert [data for data, _, _ in seen["whole"] if data.startswith(b'{"seq"')] == whole
    states = [told for data, told, _ in seen["whole"] if not data.startswith(b'{"seq"')]
    assert sorted(states) == states
    assert {*range(6), 8} == set(states)


def waiting_on(playing: Playing, seat: int, after: int, **other: Any) -> dict[str, Any]:
    """One entry of a request that waits on several seats."""
    game = playing.path.split("/")[3]
    return {"game": game, "match": playing.match, "seat": seat, "token": playing.tokens[seat], "after": after} | other


def wait_on(api: Api, seats: list[dict[str, Any]], wait_s: int = 20) -> Answer:
    return api.ask("POST", "/v1/wait", {"seats": seats, "wait_s": wait_s})


def test_one_request_waits_on_seats_of_several_matches_and_the_first_news_answers(web: WebServer, api: Api) -> None:
    matches = [Playing(api, game) for game in ("onda", "wave", "ufo-wave", "onda")]
    known = [len(match.events()) for match in matches]
    asked = [waiting_on(match, seat, newest) for match, newest in zip(matches, known, strict=True) for seat in (0, 1)]
    asked.insert(3, waiting_on(matches[0], 0, known[0], token="0" * 48))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait_on, api, asked)
        moved: list[int] = []
        while not waiting.done():  # it may not wait yet when the first move is made: that is news all the same
            moved.append(matches[2].step().json["version"])
            time.sleep(0.3)
        answer = waiting.result()
    assert answer.status == 200
    bad, *news = answer.json["items"]
    assert (bad["match"], bad["problem"]["code"], bad["events"]) == (matches[0].match, "unauthenticated", [])
    # The seats are looked at one after another: a move in between is news for the second of them alone.
    assert news
    assert {(item["match"], item["seat"]) for item in news} <= {(matches[2].match, 0), (matches[2].match, 1)}
    for item in news:
        assert item["problem"] is None
        assert [event["seq"] for event in item["events"]] == list(range(known[2] + 1, item["last"] + 1))
        assert item["version"] in moved


def test_news_that_are_there_already_answer_at_once_and_too_many_seats_are_refused(web: WebServer, api: Api) -> None:
    match = Playing(api, "onda")
    newest = len(match.events())
    quiet = waiting_on(match, 0, newest)
    answer = wait_on(api, [quiet] * 63 + [waiting_on(match, 1, newest - 1)], 60)
    assert [item["seat"] for item in answer.json["items"]] == [1]
    assert answer.took_s < 10
    assert wait_on(api, [quiet] * 65).code == "invalid"
    assert wait_on(api, []).code == "invalid"


def test_when_time_is_up_or_nothing_can_come_the_answer_is_empty(web: WebServer, api: Api) -> None:
    match, over = Playing(api, "onda"), Playing(api, "wave", host_can_abort=True)
    newest = len(match.events())
    answer = wait_on(api, [waiting_on(match, 0, newest), waiting_on(match, 1, newest)], 1)
    assert answer.json == {"items": []}
    assert answer.took_s >= 1
    assert api.ask("DELETE", over.path, token=over.host).status == 200
    ended = len(over.events())
    told = wait_on(api, [waiting_on(over, 0, ended - 1), waiting_on(match, 0, newest)], 60).json["items"]
    assert [(item["match"], item["status"]) for item in told] == [(over.match, "aborted")]
    assert told[0]["events"][-1]["type"] == "match_aborted"
    nothing = wait_on(api, [waiting_on(over, 0, ended), waiting_on(over, 1, ended)], 60)
    assert (nothing.json, nothing.took_s < 10) == ({"items": []}, True)
    nobody = wait_on(api, [waiting_on(match, 0, newest, token="x"), waiting_on(match, 0, 0, match="f" * 24)], 60)
    assert [item["problem"]["code"] for item in nobody.json["items"]] == ["unauthenticated", "unknown_match"]
    assert nobody.took_s < 10


def test_more_clients_wait_than_files_may_be_open_where_nobody_asks_for_more(
    redis: RedisServer, tmp_path: Path
) -> None:
    few_files = ("sh", "-c", 'ulimit -S -n 200; exec "$@"', "sh", *COMMAND)
    with web_server(tmp_path, redis.url, command=few_files, web_workers=1) as server:
        match = Playing(Api(server.url), "onda")
        streams = [Stream(server.url, f"{match.path}/events") for _ in range(300)]
        newest = len(match.events())
        match.step()
        for stream in streams:
            stream.until(newest + 1)
            stream.cut()


def test_told_to_stop_a_server_ends_hundreds_of_streams_and_polls_at_once_and_whole(
    redis: RedisServer, tmp_path: Path
) -> None:
    with web_server(tmp_path, redis.url, web_workers=1) as server:
        api = Api(server.url)
        match = Playing(api, "onda")
        newest = len(match.events())
        with ThreadPoolExecutor(100) as pool:
            streams = [Stream(server.url, f"{match.path}/events") for _ in range(300)]
            for stream in streams:
                stream.until(newest)
            held = f"{match.path}/events?after={newest}&wait_s=60"
            polls = [pool.submit(api.get, held) for _ in range(90)]
            polls += [pool.submit(wait_on, api, [waiting_on(match, 0, newest)], 60) for _ in range(10)]
            with redis.client() as client:
                eventually(lambda: client.pubsub_numsub(f"sb:{{{match.match}}}:feed")[0][1] == 1, "they wait")
            time.sleep(1)  # the last of the polls have no other sign of having arrived
            begun = time.monotonic()
            server.child.ask_to_stop()
            answers = [poll.result(30) for poll in polls]
            assert [stream.message() for stream in streams] == [None] * 300, "every stream ends whole"
            assert server.child.process.wait(30) == 0
            took_s = time.monotonic() - begun
        assert {answer.status for answer in answers} == {200}
        assert all(answer.json in ({"items": []}, {"events": [], "last": newest, "more": False}) for answer in answers)
        assert took_s < 6, f"it took {took_s:.1f} s to stop"
        assert server.logged() == ""
