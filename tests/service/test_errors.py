"""Every way to fail has the one error shape with its headers, and no secret occurs where it may not."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from engines import GAMES
from service.api.problems import PROBLEMS
from service.api.remedies import REMEDIES
from tests.support.failing import WAYS, Scene
from tests.support.play import LONG, Answer, Api, send
from tests.support.refusals import refused
from tests.support.server import RedisServer, WebServer, redis_server, web_server

SEED = 20_261_130


@pytest.fixture(scope="module")
def fragile_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis"), appendfsync="no") as server:
        yield server


@pytest.mark.parametrize("code", WAYS)
def test_every_way_to_fail_has_the_one_shape_and_its_headers(fragile_redis: RedisServer, code: str) -> None:
    answer = WAYS[code](Scene.on(fragile_redis, code))
    refused(answer, PROBLEMS[code][0], code)
    if code == "unauthenticated":
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    if "Retry-After" in answer.headers:
        assert int(answer.headers["Retry-After"]) >= 1
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_every_code_has_its_way() -> None:
    assert list(WAYS) == list(PROBLEMS)


def test_an_inner_failure_shows_no_trace(fragile_redis: RedisServer) -> None:
    text = WAYS["internal"](Scene.on(fragile_redis, "no trace")).text
    assert "ZeroDivision" not in text
    assert "Traceback" not in text
    assert "a sentence for the log alone" not in text


def test_a_failed_write_that_is_known_not_to_have_happened_changed_nothing(fragile_redis: RedisServer) -> None:
    for code in ("internal", "busy"):
        scene = Scene.on(fragile_redis, f"{code} changes nothing")
        path = WAYS[code](scene).request.path.partition("/seats/")[0]
        moves = [event["type"] for event in scene.undisturbed.get(f"{path}/events").json["events"]]
        assert "played" not in moves, code


def test_the_browsers_own_way_to_ask_names_the_methods(client: FlaskClient) -> None:
    answer = client.options("/v1/games")
    assert answer.status_code == 200
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


# On real web servers


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared_redis: RedisServer) -> Iterator[WebServer]:
    home = tmp_path_factory.mktemp("web")
    with web_server(home, shared_redis.url, web_workers=1, log_level="debug", log_format="json") as running:
        yield running


def is_problem(answer: Answer, status: int, code: str) -> None:
    assert (answer.status, answer.json["code"], answer.json["status"]) == (status, code, status), answer
    assert answer.headers["Content-Type"] == "application/problem+json", answer
    assert {"type", "title", "status", "detail", "code"} <= set(answer.json), answer


def test_413_whether_the_body_tells_its_length_or_comes_in_chunks(server: WebServer) -> None:
    path, as_json = "/v1/games/wave/matches", {"Content-Type": "application/json"}
    is_problem(send(server.url, "POST", path, b" " * 70_000, **as_json), 413, "too_large")
    chunks = (b" " * 1_000 for _ in range(70))
    is_problem(send(server.url, "POST", path, chunks, **as_json, **{"Transfer-Encoding": "chunked"}), 413, "too_large")
    for size, status in ((65_536, 201), (65_537, 413)):
        body = b'{"seats": 2}'.ljust(size)
        assert send(server.url, "POST", path, body, **as_json).status == status, size
        parts = iter([body[:5], body[5:40_000], body[40_000:]])
        assert send(server.url, "POST", path, parts, **as_json, **{"Transfer-Encoding": "chunked"}).status == status, (
            size
        )


def test_refusals_of_the_real_server_have_their_headers(server: WebServer) -> None:
    wrong_method = send(server.url, "PUT", "/v1/games")
    is_problem(wrong_method, 405, "method_not_allowed")
    assert "GET" in wrong_method.headers["Allow"]
    is_problem(send(server.url, "POST", "/v1/games/wave/matches", b"{}"), 415, "unsupported_media_type")
    is_problem(
        send(server.url, "POST", "/v1/games/wave/matches", b"", **{"Content-Type": "application/json"}),
        400,
        "malformed",
    )
    is_problem(send(server.url, "GET", "/v1/games/%ff%fe"), 404, "unknown_game")
    is_problem(send(server.url, "GET", "/%00"), 404, "not_found")


class Recorder(Api):
    """Keeps every answer, and which of the secrets it was meant to hold."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.kept: list[tuple[str, bytes, str, frozenset[str]]] = []

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        answer = super().ask(method, path, body, **more)
        meant = frozenset(answer.json[name] for name in ("host_token", "join_code", "token") if name in answer.json)
        self.kept.append((f"{method} {path}", answer.body, str(answer.headers), meant))
        return answer


@pytest.mark.slow
@pytest.mark.parametrize("fixed", [False, True], ids=["committed deal", "fixed deal"])
@pytest.mark.parametrize("game", sorted(GAMES))
def test_no_token_seed_secret_or_join_code_occurs_in_any_log_line_view_event_or_error(
    own_redis: RedisServer, tmp_path: Path, game: str, fixed: bool
) -> None:
    """A whole match on a real server with all its logs, failures among them; then every secret is looked for."""
    rng = random.Random(SEED)
    with web_server(tmp_path, own_redis.url, web_workers=1, log_level="debug", store_timeout_s=0.5) as server:
        api = Recorder(server.url)
        made, path, tokens = begin(api, game, {"seed": LONG[2]} if fixed else {})
        secrets = {"host token": made["host_token"], "join code": made["join_code"]}
        for seat, token in enumerate(tokens):
            secrets[f"first token of {seat}"], secrets[f"nonce of {seat}"] = token, f"nonce of {seat}"
        tokens[1] = api.ask("POST", f"{path}/seats/1/token", token=tokens[1]).json["token"]
        secrets["renewed token"] = tokens[1]
        fail_on_purpose(api, server, path, made, tokens)
        play_to_the_end(api, path, tokens, rng)
        replay = api.ask("GET", f"{path}/replay").json
        secrets["seed" if fixed else "secret"] = replay["seed"] or replay["secret"]
        api.kept.pop()  # what the replay is for
        own_redis.kill()
        assert api.ask("GET", f"{path}/seats/0/state", token=tokens[0]).code == "store_unavailable"
        logged = server.logged()
    assert "store_unavailable" in str(api.kept)
    assert len(logged.splitlines()) > 3, "the log was not caught"
    for name, secret in secrets.items():
        assert secret not in logged, f"the {name} is in the log (seed {SEED})"
        for what, body, headers, meant in api.kept:
            assert secret in meant or secret.encode() not in body, f"the {name} is in {what}: {body!r}"
            assert secret not in headers, f"the {name} is in the headers of {what}"


def begin(api: Api, game: str, wish: dict[str, Any]) -> tuple[dict[str, Any], str, list[str]]:
    """A match of two that goes on after the deal (in Wave one of twenty ends with it): what its creation gave, its
    path, its tokens."""
    while True:
        made = api.ask("POST", f"/v1/games/{game}/matches", {"seats": 2, "visibility": "unlisted", **wish}).json
        path, tokens = f"/v1/games/{game}/matches/{made['match']['match']}", []
        for seat in range(2):
            claim = {"name": f"Seat {seat}", "nonce": f"nonce of {seat}", "join_code": made["join_code"]}
            tokens.append(api.ask("POST", f"{path}/seats", claim).json["token"])
        if api.ask("GET", f"{path}/seats/0/state", token=tokens[0]).json["to_move"]:
            return made, path, tokens


def fail_on_purpose(api: Api, server: WebServer, path: str, made: dict[str, Any], tokens: list[str]) -> None:
    """Requests that hold secrets and are refused, in many ways."""
    state = f"{path}/seats/0/state"
    for header in (tokens[0], f"Basic {tokens[0]}", f"Bearer x{tokens[0]}", f"Bearer {tokens[0]} {tokens[1]}"):
        is_problem(send(server.url, "GET", state, Authorization=header), 401, "unauthenticated")
    is_problem(send(server.url, "GET", state, Authorization=f"Bearer {tokens[1]}"), 403, "wrong_seat")
    is_problem(send(server.url, "GET", state, Authorization=f"Bearer {made['host_token']}"), 403, "wrong_seat")
    assert api.ask("DELETE", path, token=tokens[0]).code == "host_only"
    assert api.ask("DELETE", path, token=made["host_token"]).code == "match_started"
    late = {"name": "late", "join_code": made["join_code"], "nonce": "nonce of nobody"}
    assert api.ask("POST", f"{path}/seats", late).code == "match_started"
    assert api.ask("POST", f"{path}/seats", {**late, "join_code": "WRONG123"}).code == "wrong_join_code"
    assert api.ask("POST", f"{path}/seats/0/moves", {"move": 3}, token=tokens[0]).code == "invalid"
    assert api.ask("GET", f"{path}/replay", token=made["host_token"]).code == "match_not_finished"
    assert api.ask("GET", f"{path}/seats/0/events?limit=x", token=tokens[0]).code == "invalid"


def play_to_the_end(api: Api, path: str, tokens: list[str], rng: random.Random) -> None:
    """Random legal moves; between them everything there is to read."""
    while to_play := api.ask("GET", path).json["to_move"]:
        seat = rng.choice(to_play)
        moves = api.ask("GET", f"{path}/seats/{seat}/legal-moves", token=tokens[seat]).json["moves"]
        played = api.ask("POST", f"{path}/seats/{seat}/moves", {"move": rng.choice(moves)}, token=tokens[seat])
        assert played.status == 201, (SEED, played)
        if rng.random() < 0.1:
            api.ask("GET", f"{path}/state", token=tokens[seat])
            api.ask("GET", f"{path}/seats/{seat}/events?include=state", token=tokens[seat])
            stale = {"move": moves[0], "expected_version": 0}
            api.ask("POST", f"{path}/seats/{seat}/moves", stale, token=tokens[seat])
    after = 0
    while (page := api.ask("GET", f"{path}/events?after={after}&limit=500", token=tokens[0]).json)["events"]:
        after = page["last"]


def test_the_page_of_problems_says_what_to_do_about_every_code(client: FlaskClient) -> None:
    page = client.get("/docs/problems").text
    assert list(REMEDIES) == list(PROBLEMS)
    for code in PROBLEMS:
        assert f'<h2 id="{code}">' in page
    assert page.count("<p>") == len(PROBLEMS) + 1
