"""Commands and answers that get lost between the service and its Redis.

A write is sent once. If its answer is lost the service reads once: it finds its own write, or says that it does not
know. Whatever happens, the match is wholly before or wholly after, and a repeat with the same key applies once.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import redis

from tests.faults.conftest import SLACK_S, TIMEOUT_S, UNCOUNTED
from tests.support.faults import assert_unavailable
from tests.support.play import Answer, Api, Playing, at_once
from tests.support.proxy import Fault, Proxy
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.waiting import eventually
from tests.support.whole import assert_whole

READ_S = TIMEOUT_S + SLACK_S
WRITE_S = 2 * TIMEOUT_S + SLACK_S

LOST_BEFORE = [Fault.LOSE_COMMAND, Fault.SWALLOW_COMMAND]
LOST_AFTER = [Fault.LOSE_ANSWER, Fault.SWALLOW_ANSWER]


@pytest.fixture
def client(server: RedisServer) -> Iterator["redis.Redis"]:
    with server.client() as client:
        yield client


@pytest.fixture
def playing(api: Api, game: str) -> Playing:
    return Playing(api, game, host_can_abort=True)


@pytest.fixture(scope="module")
def web(proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A web server of one worker: what one request has seen of a match the next one finds."""
    folder = tmp_path_factory.mktemp("web")
    with web_server(folder, proxy.url, store_timeout_s=TIMEOUT_S, web_workers=1, **UNCOUNTED) as started:
        yield started


@pytest.fixture(scope="module")
def forgetful(proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A web server on the same Redis that remembers no match: it loads whatever it is asked about."""
    folder = tmp_path_factory.mktemp("forgetful")
    with web_server(folder, proxy.url, store_timeout_s=TIMEOUT_S, web_workers=1, recent_matches=0) as started:
        yield started


@pytest.fixture
def playing_elsewhere(forgetful: WebServer, game: str) -> Playing:
    return Playing(Api(forgetful.url), game)


def by_name(fault: Fault) -> str:
    return fault.name.lower()


def test_a_move_in_a_match_that_was_seen_lately_is_one_script(
    playing: Playing, proxy: Proxy, client: "redis.Redis"
) -> None:
    for key in (None, "first", "second"):
        seat, version, move = playing.turn()
        proxy.forget()
        assert playing.move(seat, move, version, key).status == 201
        assert proxy.names() == ["EVALSHA"]
    proxy.forget()
    assert playing.move(seat, move, version).code == "stale_version"
    assert "EVALSHA" not in proxy.names(), "what is refused is not written"
    assert assert_whole(client, playing.match).version == 3


def test_a_move_in_any_other_match_is_one_load_and_one_script(playing_elsewhere: Playing, proxy: Proxy) -> None:
    for key in (None, "first", "second"):
        seat, version, move = playing_elsewhere.turn()
        proxy.forget()
        assert playing_elsewhere.move(seat, move, version, key).status == 201
        assert proxy.names() == ["HMGET", "EVALSHA"] if key is None else ["HMGET", "GET", "EVALSHA"]


def test_a_server_that_forgot_its_scripts_is_sent_them_once(
    playing: Playing, proxy: Proxy, client: "redis.Redis"
) -> None:
    client.script_flush()
    proxy.forget()
    playing.step()
    assert [name for name in proxy.names() if name.startswith("EVAL")] == ["EVALSHA", "EVAL"]
    proxy.forget()
    playing.step()
    assert [name for name in proxy.names() if name.startswith("EVAL")] == ["EVALSHA"]


@pytest.mark.parametrize("fault", LOST_AFTER, ids=by_name)
@pytest.mark.parametrize("forgotten", [False, True], ids=["known", "forgotten"])
def test_a_move_whose_answer_is_lost_is_found_and_answered(
    playing: Playing, proxy: Proxy, client: "redis.Redis", fault: Fault, forgotten: bool
) -> None:
    seat, version, move = playing.turn()
    if forgotten:
        client.script_flush()
    proxy.forget()
    proxy.plan(("EVAL" if forgotten else "EVALSHA", fault))
    played = playing.move(seat, move, version)
    assert (played.status, played.replayed) == (201, False), played
    assert played.took_s <= READ_S
    assert proxy.names() == ["EVALSHA", *(["EVAL"] if forgotten else []), "HMGET"], "written once, read once"
    assert played.json["version"] == assert_whole(client, playing.match).version == 1
    playing.step()


@pytest.mark.parametrize("reading", [Fault.LOSE_COMMAND, Fault.SWALLOW_COMMAND], ids=by_name)
@pytest.mark.parametrize("fault", LOST_AFTER, ids=by_name)
def test_a_move_that_is_written_but_cannot_be_found_is_unknown_and_its_repeat_gets_its_answer(
    playing: Playing, proxy: Proxy, client: "redis.Redis", fault: Fault, reading: Fault
) -> None:
    seat, version, move = playing.turn()
    proxy.forget()
    proxy.plan(("EVALSHA", fault), ("HMGET", reading), *([("HMGET", reading)] if reading is Fault.LOSE_COMMAND else []))
    assert_unavailable(playing.move(seat, move, version, "key"), "outcome_unknown", WRITE_S)
    assert proxy.names().count("EVALSHA") == 1, "never sent twice"
    written = assert_whole(client, playing.match)
    assert written.version == 1
    repeats = [playing.move(seat, move, version, "key") for _ in range(2)]
    for repeat in repeats:
        assert (repeat.status, repeat.replayed) == (201, True), repeat
        assert repeat.body == repeats[0].body
        assert repeat.json["version"] == 1
        assert repeat.json["events"] == [event for event in playing.events() if event["version"] == 1]
    assert assert_whole(client, playing.match) == written


@pytest.mark.parametrize("fault", LOST_BEFORE, ids=by_name)
def test_a_move_that_never_arrives_is_unknown_and_its_repeat_is_played_once(
    playing: Playing, proxy: Proxy, client: "redis.Redis", fault: Fault
) -> None:
    playing.step()
    seat, version, move = playing.turn()
    before = assert_whole(client, playing.match)
    proxy.forget()
    proxy.plan(("EVALSHA", fault))
    assert_unavailable(playing.move(seat, move, version, "key"), "outcome_unknown", WRITE_S)
    assert proxy.names().count("EVALSHA") == 1, "never sent twice"
    assert assert_whole(client, playing.match) == before
    repeats = [playing.move(seat, move, version, "key") for _ in range(3)]
    assert [(repeat.status, repeat.replayed) for repeat in repeats] == [(201, False), (201, True), (201, True)]
    assert len({repeat.body for repeat in repeats}) == 1
    assert assert_whole(client, playing.match).version == version + 1


def test_a_move_that_arrives_late_is_played_once_if_nothing_else_was(
    playing: Playing, proxy: Proxy, client: "redis.Redis"
) -> None:
    seat, version, move = playing.turn()
    before = assert_whole(client, playing.match)
    proxy.plan(("EVALSHA", Fault.DELAY))
    assert_unavailable(playing.move(seat, move, version, "key"), "outcome_unknown", WRITE_S)
    assert assert_whole(client, playing.match) == before
    proxy.deliver()
    eventually(lambda: client.hget(f"sb:{{{playing.match}}}", "write") != dict(before.record)[b"write"], "it arrives")
    after = assert_whole(client, playing.match)
    assert after.version == 1
    repeat = playing.move(seat, move, version, "key")
    assert (repeat.status, repeat.replayed) == (201, True)
    assert assert_whole(client, playing.match) == after


@pytest.mark.parametrize("meanwhile", ["the same again", "the same again, without a key"])
def test_a_move_that_arrives_after_its_repeat_changes_nothing(
    playing: Playing, proxy: Proxy, client: "redis.Redis", meanwhile: str
) -> None:
    seat, version, move = playing.turn()
    proxy.plan(("EVALSHA", Fault.DELAY))
    assert_unavailable(playing.move(seat, move, version, "key"), "outcome_unknown", WRITE_S)
    repeat = playing.move(seat, move, version, "key" if meanwhile == "the same again" else None)
    assert (repeat.status, repeat.replayed) == (201, False)
    after = assert_whole(client, playing.match)
    scripts = calls_of_scripts(client)
    proxy.deliver()
    eventually(lambda: calls_of_scripts(client) > scripts, "the late write arrives")
    assert assert_whole(client, playing.match) == after
    assert after.version == 1


def calls_of_scripts(client: "redis.Redis") -> int:
    """How many scripts the server has run to their end."""
    return int(client.info("commandstats")["cmdstat_evalsha"]["calls"])


@pytest.mark.parametrize("fault", [*LOST_BEFORE, *LOST_AFTER], ids=by_name)
@pytest.mark.parametrize("write", ["claim", "free", "renew", "resign", "abort"])
def test_every_other_write_is_wholly_done_or_wholly_not(
    api: Api, proxy: Proxy, client: "redis.Redis", write: str, fault: Fault
) -> None:
    game = "onda"
    playing = Playing(api, game, host_can_abort=True) if write in ("resign", "abort") else None
    if playing is None:
        made = api.ask("POST", f"/v1/games/{game}/matches", {"seats": 2})
        match, path = made.json["match"]["match"], made.headers["Location"]
        token = api.ask("POST", f"{path}/seats", {"name": "Ada", "seat": 0}).json["token"]
    else:
        match, path, token = playing.match, playing.path, playing.tokens[0]
    send = {
        "claim": partial(api.ask, "POST", f"{path}/seats", {"name": "Bob", "seat": 1}, key="claim"),
        "free": partial(api.ask, "DELETE", f"{path}/seats/0", token=token),
        "renew": partial(api.ask, "POST", f"{path}/seats/0/token", token=token),
        "resign": partial(api.ask, "DELETE", f"{path}/seats/0", token=token),
        "abort": partial(api.ask, "DELETE", path, token=None if playing is None else playing.host),
    }[write]
    before = assert_whole(client, match)
    proxy.forget()
    proxy.plan(("EVALSHA", fault))
    answer = send()
    assert proxy.names().count("EVALSHA") == 1, "never sent twice"
    if fault in LOST_AFTER:
        assert answer.status in (200, 201), answer
        assert answer.took_s <= WRITE_S
        assert assert_whole(client, match).seq > before.seq
    else:
        assert_unavailable(answer, "outcome_unknown", WRITE_S)
        assert assert_whole(client, match) == before
        assert send().status in (200, 201)
        assert assert_whole(client, match).seq > before.seq


@pytest.mark.parametrize("fault", [*LOST_BEFORE, *LOST_AFTER], ids=by_name)
@pytest.mark.parametrize("command", ["SET", "ZADD", "EVALSHA"])
def test_a_creation_with_a_key_makes_one_match_whatever_is_lost(
    api: Api, proxy: Proxy, client: "redis.Redis", command: str, fault: Fault
) -> None:
    game, key = "wave", f"{command} {fault.name}"
    create = partial(api.ask, "POST", f"/v1/games/{game}/matches", {"seats": 2}, key=key)
    proxy.plan((command, fault))
    first = create()
    assert first.took_s <= WRITE_S
    if first.status != 201:
        code = "outcome_unknown" if command == "EVALSHA" else "store_unavailable"
        assert_unavailable(first, code, WRITE_S)
    again = create()
    assert again.status == 201, again
    if first.status == 201:
        assert again.json["match"]["match"] == first.json["match"]["match"]
    match = again.json["match"]["match"]
    assert_whole(client, match)
    reads = [api.get(f"/v1/games/{game}/matches?limit=100&status=waiting") for _ in range(2)]
    assert [[item["match"] for item in read.json["items"]].count(match) for read in reads] == [1, 1]


def test_a_read_on_a_broken_connection_is_sent_again(playing: Playing, proxy: Proxy) -> None:
    for fault in (Fault.LOSE_COMMAND, Fault.LOSE_ANSWER):
        proxy.forget()
        proxy.plan(("HMGET", fault))
        assert playing.state().status == 200
        assert proxy.names() == ["HMGET", "HMGET"]


def test_a_read_that_breaks_twice_is_unavailable(playing: Playing, proxy: Proxy) -> None:
    proxy.plan(("HMGET", Fault.LOSE_COMMAND), ("HMGET", Fault.LOSE_ANSWER))
    assert_unavailable(playing.state(), "store_unavailable", READ_S)
    assert playing.state().status == 200


def test_a_read_that_is_met_with_silence_is_not_waited_for_twice(playing: Playing, proxy: Proxy) -> None:
    for fault in (Fault.SWALLOW_COMMAND, Fault.SWALLOW_ANSWER):
        proxy.forget()
        proxy.plan(("HMGET", fault))
        answer = playing.state()
        assert_unavailable(answer, "store_unavailable", READ_S)
        assert answer.took_s >= TIMEOUT_S
        assert proxy.names() == ["HMGET"]


def test_a_move_whose_load_fails_was_not_written_for_certain(
    playing_elsewhere: Playing, proxy: Proxy, client: "redis.Redis"
) -> None:
    seat, version, move = playing_elsewhere.turn()
    before = assert_whole(client, playing_elsewhere.match)
    proxy.plan(("HMGET", Fault.SWALLOW_COMMAND))
    assert_unavailable(playing_elsewhere.move(seat, move, version, "key"), "store_unavailable", READ_S)
    assert assert_whole(client, playing_elsewhere.match) == before


def test_a_list_that_cannot_be_brought_up_to_date_does_not_fail_the_move_that_ends_a_match(
    playing: Playing, proxy: Proxy, client: "redis.Redis"
) -> None:
    proxy.plan(("ZADD", Fault.SWALLOW_COMMAND))
    ended = playing.api.ask("DELETE", playing.path, token=playing.host)
    assert (ended.status, ended.json["status"]) == (200, "aborted"), "it is stored, so it is answered"
    proxy.until_met()
    assert assert_whole(client, playing.match).status == "aborted"
    listing = playing.path.rpartition("/")[0]
    found = {
        status: [item["match"] for item in playing.api.get(f"{listing}?limit=100&status={status}").json["items"]]
        for status in ("playing", "aborted")  # in this order: the first reader mends
    }
    assert playing.match not in found["playing"]
    assert playing.match in found["aborted"]


def test_connections_that_were_all_closed_meanwhile_cost_nobody_a_request(
    server: RedisServer, client: "redis.Redis", game: str, tmp_path: Path
) -> None:
    with web_server(tmp_path, server.url, store_timeout_s=TIMEOUT_S, web_workers=1) as web:
        assert_nobody_notices(Playing(Api(web.url), game), client)


def assert_nobody_notices(playing: Playing, client: "redis.Redis") -> None:
    for _ in range(5):
        at_once([playing.state] * 12)  # so that each worker holds several
        client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        seat, version, move = playing.turn()
        answers: list[Answer] = [playing.move(seat, move, version), *at_once([playing.state] * 12)]
        assert [answer.status for answer in answers] == [201] + [200] * 12
