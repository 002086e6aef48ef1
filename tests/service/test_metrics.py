"""`/metrics`, in Prometheus' text form: what is counted, on one process and on several."""

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from engines.kit.game import Game
from service import metrics
from service.api.metrics import LOOKED_UP
from service.app import create_app
from service.settings import Settings
from tests.support.contract import begun, legal, to_move, waiting
from tests.support.failing import WAYS, Scene
from tests.support.play import Api, Playing
from tests.support.server import RedisServer, web_server
from tests.support.streaming import Stream
from tests.support.waiting import eventually

PAGE = Path(__file__).resolve().parents[2] / "docs/observability.md"

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(text: str) -> Samples:
    """Every sample by its name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float:
    return samples(text).get((name, frozenset(labels.items())), 0.0)


def grown(client: FlaskClient, before: str, name: str, **labels: str) -> float:
    """By how much a sample has grown since."""
    return value(client.get("/metrics").text, name, **labels) - value(before, name, **labels)


def test_answers_are_counted_by_method_route_status_and_code(client: FlaskClient) -> None:
    route = "/v1/games/onda/matches/<match>"
    before = client.get("/metrics")
    assert before.content_type.startswith("text/plain")
    client.get("/v1/games/onda/matches/nothing-here")
    client.get("/no/such/address")
    client.open("/livez", method="BREW")
    seen = before.text
    name = "shorebreak_requests_total"
    assert grown(client, seen, name, method="GET", route=route, status="404", code="unknown_match") == 1
    assert grown(client, seen, name, method="GET", route="none", status="404", code="not_found") == 1
    assert grown(client, seen, name, method="other", route="none", status="405", code="method_not_allowed") == 1
    after = client.get("/metrics").text
    assert "nothing-here" not in after
    assert "BREW" not in after


def test_how_long_a_move_takes_is_counted_and_waits_are_left_out(client: FlaskClient, game: Game) -> None:
    match = begun(client, game)
    before = client.get("/metrics").text
    seat = to_move(match)
    assert match.move(seat, legal(match, seat)[0]).status_code == 201
    match.seat(0, "events")
    match.seat(0, "events", after=0, wait_s=10)
    route = f"/v1/games/{game.key}/matches/<match>/seats/<seat>"
    count, total = "shorebreak_request_seconds_count", "shorebreak_request_seconds_sum"
    assert grown(client, before, count, method="POST", route=f"{route}/moves") == 1
    assert 0 < grown(client, before, total, method="POST", route=f"{route}/moves") < 5
    assert grown(client, before, count, method="GET", route=f"{route}/events") == 1
    named = {"method": "POST", "route": f"{route}/moves", "le": "+Inf"}
    assert grown(client, before, "shorebreak_request_seconds_bucket", **named) == 1


def test_matches_are_counted_as_they_come_and_go_listed_or_not(client: FlaskClient, game: Game) -> None:
    before = client.get("/metrics").text
    begun(client, game, visibility="unlisted")
    listed = waiting(client, game, host_can_abort=True)
    assert client.delete(listed.path, headers=listed.host).status_code == 200
    counts = {
        status: grown(client, before, "shorebreak_matches_total", game=game.key, status=status)
        for status in ("waiting", "playing", "finished", "aborted")
    }
    assert counts == {"waiting": 2, "playing": 1, "finished": 0, "aborted": 1}


def test_the_lists_and_the_queues_are_looked_up(empty_redis: RedisServer) -> None:
    client = create_app(Settings(redis_url=empty_redis.url)).test_client(use_cookies=False)
    begun(client, "wave")
    waiting(client, "wave")
    waiting(client, "wave", visibility="unlisted")
    seen = client.get("/metrics").text
    assert value(seen, "shorebreak_matches_listed", game="wave", status="playing") == 1
    assert value(seen, "shorebreak_matches_listed", game="wave", status="waiting") == 1
    assert value(seen, "shorebreak_store_up") == 1
    assert value(seen, "shorebreak_due_late_seconds", queue="matches") == 0
    assert "shorebreak_worker_silent_seconds " not in seen, "no worker ever was"
    begun(client, "wave", clock={"turn_s": 1, "bank_s": 0, "on_timeout": "move"})
    eventually(
        lambda: value(client.get("/metrics").text, "shorebreak_due_late_seconds", queue="matches") > 0,
        "the clock of a match without a worker is late",
    )
    assert value(client.get("/metrics").text, "shorebreak_worker_silent_seconds") > 0


def test_without_the_store_the_rest_is_told(tmp_path: Path) -> None:
    client = create_app(Settings(redis_url=f"unix://{tmp_path}/nobody")).test_client(use_cookies=False)
    before = client.get("/metrics").text
    client.get("/v1/games/wave/matches/000000000000000000000000")
    assert value(client.get("/metrics").text, "shorebreak_store_up") == 0
    assert grown(client, before, "shorebreak_store_errors_total", kind="unavailable", at="request") == 1


@pytest.mark.parametrize(
    ("code", "name", "labels"),
    [
        ("busy", "shorebreak_swaps_lost_total", {}),
        ("rate_limited", "shorebreak_rate_limited_total", {"limit": "join_code"}),
        ("outcome_unknown", "shorebreak_store_errors_total", {"kind": "unknown", "at": "request"}),
    ],
)
def test_what_goes_wrong_is_counted(own_redis: RedisServer, code: str, name: str, labels: dict[str, str]) -> None:
    scene = Scene.on(own_redis, f"counted {code}")
    before = scene.client.get("/metrics").text
    WAYS[code](scene)
    assert grown(scene.client, before, name, **labels) >= 1


def test_it_can_be_switched_off(shared_redis: RedisServer) -> None:
    client = create_app(Settings(redis_url=shared_redis.url, metrics=False)).test_client(use_cookies=False)
    assert client.get("/metrics").status_code == 404


def test_one_web_process_answers_for_all_of_them(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=2) as server:
        api = Api(server.url)

        def asked(path: str) -> float:
            text = api.get("/metrics").body.decode()
            return value(text, "shorebreak_requests_total", method="GET", route=path, status="200", code="")

        def waiters(kind: str) -> float:
            return value(api.get("/metrics").body.decode(), "shorebreak_waiters", kind=kind)

        for _ in range(40):
            assert api.get("/livez").status == 200
        eventually(lambda: asked("/livez") == 40, "each process has handed over what it counted")
        playing = Playing(api, "wave")
        streams = [Stream(server.url, f"{playing.path}/seats/0/events", playing.tokens[0]) for _ in range(5)]
        eventually(lambda: waiters("stream") == 5, "five streams are open, whichever process has them")
        for stream in streams:
            stream.cut()
        playing.step()
        eventually(lambda: waiters("stream") == 0, "all are gone", within_s=40)


def test_the_page_tells_of_every_metric_as_it_is() -> None:
    counted = [metric for collector in metrics.REGISTRY._collector_to_names for metric in collector.describe()]
    told = {metric.name + ("_total" if metric.type == "counter" else ""): metric.documentation for metric in counted}
    told |= {name: meaning for name, (meaning, _) in LOOKED_UP.items()}
    rows = dict(re.findall(r"^\| `(shorebreak_\w+)(?:\{[^`]*\})?` \| [^|]* \| ([^|]*) \|", PAGE.read_text(), re.M))
    assert rows == told
