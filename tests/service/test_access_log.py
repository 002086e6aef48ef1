"""One line for each request: what it tells, what it never tells, and the id by which a request is found in the log."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.access_log import AccessLog
from service.api import access
from service.app import create_app
from service.settings import Settings
from tests.support.contract import bearer, begun, legal, to_move
from tests.support.play import Api, Playing, send
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.streaming import Stream
from tests.support.waiting import eventually

SAFE_ID = "Root=1-67891233-abcdef012345678912345678"
HOSTILE = ["a b", "a\tb", 'x","level":"error', "a" * 65, "ä", "<script>", "a,b", "%0a", "[2J\x9b"]
SECRET_SEED = "long 58"


class Lines:
    """An application whose lines are kept, and its client."""

    def __init__(self, redis: RedisServer, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> None:
        self.kept: list[bytes] = []
        chosen = Settings(redis_url=redis.url, **settings)
        monkeypatch.setattr(access, "AccessLog", lambda settings: AccessLog(settings, self.kept.append))
        self.app: Flask = create_app(chosen)
        self.client: FlaskClient = self.app.test_client(use_cookies=False)

    def last(self) -> dict[str, Any]:
        line: dict[str, Any] = json.loads(self.kept[-1])
        return line


@pytest.fixture
def lines(shared_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Lines:
    return Lines(shared_redis, monkeypatch, log_format="json")


def test_a_move_has_a_line_that_says_what_came_of_it(lines: Lines) -> None:
    match = begun(lines.client, "wave")
    seat = to_move(match)
    moved = match.move(seat, legal(match, seat)[0], {"X-Request-Id": SAFE_ID})
    told = lines.last()
    assert moved.headers["X-Request-Id"] == SAFE_ID
    assert 0 < told.pop("duration_ms") < 5_000
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told.pop("timestamp"))
    assert told == {
        "event": "request",
        "level": "info",
        "logger": "shorebreak.access",
        "method": "POST",
        "route": "/v1/games/wave/matches/<match>/seats/<seat>/moves",
        "status": 201,
        "bytes": len(moved.data),
        "request_id": SAFE_ID,
        "match": match.id,
        "seat": seat,
        "version": 1,
    }


def test_a_refusal_has_its_code_and_its_id(lines: Lines) -> None:
    match = begun(lines.client, "wave")
    refused = match.move(1 - to_move(match), {"type": "play", "card": 5})
    told = lines.last()
    assert (told["status"], told["code"], told["match"]) == (409, "not_your_turn", match.id)
    assert told["request_id"] == refused.headers["X-Request-Id"]
    assert "version" not in told


def test_requests_without_an_id_get_one_each(lines: Lines) -> None:
    ids = {lines.client.get("/livez").headers["X-Request-Id"] for _ in range(50)}
    assert len(ids) == 50
    assert all(re.fullmatch(r"[0-9a-f]{16}", one) for one in ids)


@pytest.mark.parametrize("given", HOSTILE)
def test_an_id_with_odd_signs_is_not_taken(lines: Lines, given: str) -> None:
    answer = lines.client.get("/livez", headers={"X-Request-Id": given})
    assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["X-Request-Id"])
    assert lines.last()["request_id"] == answer.headers["X-Request-Id"]


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_nothing_that_is_asked_for_can_look_like_a_line(
    shared_redis: RedisServer, monkeypatch: pytest.MonkeyPatch, log_format: str
) -> None:
    lines = Lines(shared_redis, monkeypatch, log_format=log_format)
    odd = quote('x\n2026-01-01 [error] forged "\r\x1b[2J')
    token = "0123456789abcdef" * 3
    before = len(lines.kept)
    for path in (f"/{odd}", f"/v1/games/wave/matches/{odd}", f"/v1/games/wave/matches/{token}/seats/{odd}/state"):
        lines.client.get(f"{path}?token={token}", headers={"User-Agent": token, "Referer": token, **bearer(token)})
    written = lines.kept[before:]
    assert len(written) == 3
    for line in written:
        assert line.count(b"\n") == 1
        assert line.endswith(b"\n")
        assert not re.search(rb"forged|\x1b|\r|" + token.encode(), line), line


def test_only_errors_and_slow_answers_are_told_of_where_only_they_are_wanted(
    shared_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = Lines(shared_redis, monkeypatch)  # text
    lines.client.get("/livez")
    assert lines.kept == []
    lines.client.get("/nowhere")
    (line,) = lines.kept
    assert re.search(rb"\[info     \] 404 GET none code=not_found [\d.]+ ms \d+ bytes id=[0-9a-f]{16}\n$", line)
    log = AccessLog(Settings(), lines.kept.append)
    assert log.wants(200, 1.5)
    assert not log.wants(200, 0.5)
    quiet = AccessLog(Settings(log_level="warning", access_log="all"), lines.kept.append)
    assert [status for status in (200, 404, 500, 503) if quiet.wants(status, 5.0)] == [500, 503]
    assert [status for status in (200, 500) if AccessLog(Settings(access_log="off")).wants(status, 5.0)] == []


def test_addresses_are_told_only_where_that_is_wanted(
    shared_redis: RedisServer, monkeypatch: pytest.MonkeyPatch, lines: Lines
) -> None:
    lines.client.get("/livez", environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert "address" not in lines.last()
    telling = Lines(shared_redis, monkeypatch, log_format="json", log_addresses=True)
    telling.client.get("/livez", environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert telling.last()["address"] == "192.0.2.7"


def test_a_log_that_cannot_be_written_fails_no_request(
    shared_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_line: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(access, "AccessLog", lambda settings: AccessLog(settings, full))
    client = create_app(Settings(redis_url=shared_redis.url, access_log="all")).test_client()
    assert client.get("/livez").status_code == 200


def test_no_two_processes_make_the_same_ids(shared_redis: RedisServer, tmp_path: Path) -> None:
    """Two web processes, and one that comes in the place of another."""
    with web_server(tmp_path, shared_redis.url, web_workers=2) as web:
        ids = [Api(web.url).get("/livez").headers["X-Request-Id"] for _ in range(60)]
        first = web.workers()
        os.kill(first[0], signal.SIGKILL)
        eventually(lambda: len(set(web.workers()) - set(first)) == 1, "another has come")
        ids += [Api(web.url).get("/livez").headers["X-Request-Id"] for _ in range(60)]
    assert len(set(ids)) == len(ids)


# A whole match on a real web server


@pytest.fixture(scope="module", params=["json", "text"])
def web(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    from tests.support.server import redis_server

    with redis_server(tmp_path_factory.mktemp("redis"), appendfsync="no") as redis:
        home = tmp_path_factory.mktemp("web")
        chosen = {"log_format": request.param, "log_level": "debug", "access_log": "all"}
        with web_server(home, redis.url, web_workers=1, webhook_private_addresses=True, **chosen) as server:
            yield server
            assert server.child.process.poll() is None


def test_of_a_whole_match_no_line_holds_a_secret(web: WebServer) -> None:
    api = Api(web.url)
    hook = {"url": "http://127.0.0.1:9/told?key=hook-key-in-the-url", "events": ["match_finished"]}
    made = api.ask("POST", "/v1/games/wave/matches", {"seats": 2, "visibility": "unlisted", "webhook": hook}).json
    playing = Playing(api, "wave", seed=SECRET_SEED, visibility="unlisted")
    stream = Stream(web.url, f"{playing.path}/seats/0/events", playing.tokens[0])
    key = "key-of-a-move-that-nobody-else-knows"
    assert playing.move(0, {"type": "play", "card": 1, "note": "hidden-in-the-body"}).status == 422
    number = 0
    while playing.public()["to_move"]:
        seat, version, move = playing.turn()
        assert playing.move(seat, move, version, f"{key}-{number}").status == 201
        number += 1
    renewed = api.ask("POST", f"{playing.path}/seats/0/token", token=playing.tokens[0]).json["token"]
    bad = {
        "Authorization": "Bearer stolen-token-of-somebody",
        "X-Request-Id": "no safe id",
        "Cookie": "session=biscuit",
    }
    seen = f"{playing.path}/seats/0/state?token=in-the-query"
    assert send(web.url, "GET", seen, **bad).status == 401
    assert send(web.url, "GET", seen, **(bad | {"X-Request-Id": "x\x0b"})).status == 400
    assert api.get(f"{playing.path}/replay").status == 200
    list(stream.messages())
    eventually(lambda: web.logged().count("seats/<seat>/events"), "the stream's line is written when it is over")
    logged = web.logged()
    secrets = [
        *playing.tokens, playing.host, renewed, made["host_token"], made["join_code"], made["webhook_secret"],
        SECRET_SEED, key, "no safe id", "hidden-in-the-body", "stolen-token", "in-the-query", "biscuit",
        "hook-key", "\x0b",
    ]  # fmt: skip
    assert [secret for secret in secrets if secret in logged] == []
    assert logged.count("/moves") > number > 10
    assert playing.match in logged


def test_every_line_of_the_log_is_of_its_form(web: WebServer) -> None:
    Api(web.url).get("/nowhere%0Aforged")
    lines = web.logged().splitlines()
    assert len(lines) > 2
    if web.settings.log_format == "json":
        told = [json.loads(line) for line in lines]
        assert all({"event", "level", "logger", "timestamp"} <= line.keys() for line in told)
    else:
        assert [line for line in lines if not re.match(r"20\d\d-\d\d-\d\dT[\d:.]+Z \[\w+ *\] ", line)] == []


def test_lines_that_are_written_meanwhile_bear_the_id(own_redis: RedisServer, tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"log_format": "json", "store_timeout_s": 0.5}
    with web_server(tmp_path, own_redis.url, web_workers=1, **chosen) as server:
        own_redis.kill()
        answer = Api(server.url).get("/v1/games/wave/matches/000000000000000000000000")
        assert answer.status == 503
        told = [json.loads(line) for line in server.logged().splitlines()]
    about = [line["event"] for line in told if line.get("request_id") == answer.headers["X-Request-Id"]]
    assert [event.partition(":")[0] for event in about] == ["store", "request"]
