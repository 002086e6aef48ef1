"""Tracing, seen by a receiver of OTLP over HTTP: which spans there are, what they tell, and what they never tell."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from service import tracing
from service.settings import Settings, SettingsError
from tests.run.running import ROOT
from tests.support.play import Api, Playing, send
from tests.support.server import RedisServer, web_server
from tests.support.streaming import Stream
from tests.support.waiting import eventually

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
MOVES = "/v1/games/wave/matches/<match>/seats/<seat>/moves"


class Receiver(ThreadingHTTPServer):
    """Takes spans in, as a collector does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.bodies: list[bytes] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def spans(self) -> list[Any]:
        """All that have come so far."""
        found = []
        for body in list(self.bodies):
            for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for of_scope in of_resource.scope_spans:
                    found += of_scope.spans
        return found

    def named(self, name: str) -> list[Any]:
        return [span for span in self.spans() if span.name == name]

    def resource(self) -> dict[str, str]:
        attributes = ExportTraceServiceRequest.FromString(self.bodies[0]).resource_spans[0].resource.attributes
        return {each.key: each.value.string_value for each in attributes}


class Taking(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver that web servers started from now on send to, often."""
    with Receiver() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        yield server
        server.shutdown()


def told(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def test_a_move_is_a_span_with_its_trips_to_the_store_below(
    receiver: Receiver, shared_redis: RedisServer, tmp_path: Path
) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1, log_format="json") as web:
        playing = Playing(Api(web.url), "wave", seed="long 58")
        moved = playing.step()
        assert moved.status == 201
        eventually(lambda: receiver.named(f"POST {MOVES}"), "the move's span has come")
        (span,) = receiver.named(f"POST {MOVES}")
        line = next(line for line in map(json.loads, web.logged().splitlines()) if line.get("route") == MOVES)
        eventually(lambda: any(each.parent_span_id == span.span_id for each in receiver.spans()), "with its trips")
    attributes = told(span)
    assert attributes == {
        "http.request.method": "POST",
        "http.route": MOVES,
        "http.response.status_code": 201,
        "shorebreak.match": playing.match,
        "shorebreak.seat": attributes["shorebreak.seat"],
        "shorebreak.version": 1,
        "shorebreak.request_id": moved.headers["X-Request-Id"],
    }
    assert line["trace_id"] == span.trace_id.hex(), "the log leads to the trace"
    trips = [each for each in receiver.spans() if each.parent_span_id == span.span_id]
    assert "store swap" in {trip.name for trip in trips}
    for trip in trips:
        assert span.start_time_unix_nano <= trip.start_time_unix_nano <= trip.end_time_unix_nano
        assert trip.end_time_unix_nano <= span.end_time_unix_nano
    assert receiver.resource()["service.name"] == "shorebreak"


def test_the_callers_trace_goes_on(receiver: Receiver, shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1) as web:
        send(web.url, "GET", "/v1/games", traceparent=f"00-{TRACE}-{PARENT}-01")
        send(web.url, "GET", "/livez", traceparent="no trace \x01"[:8])
        eventually(lambda: receiver.named("GET /v1/games") and receiver.named("GET /livez"), "both have come")
    (span,) = receiver.named("GET /v1/games")
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert all(not span.parent_span_id for span in receiver.named("GET /livez"))


def test_refusals_streams_and_failures_of_the_store_are_told(
    receiver: Receiver, own_redis: RedisServer, tmp_path: Path
) -> None:
    brief = {"store_timeout_s": 0.5, "stream_heartbeat_s": 1.0}  # who has gone is noticed at the next heartbeat
    with web_server(tmp_path, own_redis.url, web_workers=1, **brief) as web:
        playing = Playing(Api(web.url), "wave")
        stream = Stream(web.url, f"{playing.path}/seats/0/events", playing.tokens[0])
        stream.until(3)
        assert playing.api.get(f"{playing.path}/replay").code == "match_not_finished"
        own_redis.kill()
        assert playing.state().status == 503
        stream.cut()
        route = "/v1/games/wave/matches/<match>"
        eventually(lambda: receiver.named(f"GET {route}/replay"), "the refusal has come")
        eventually(lambda: receiver.named(f"GET {route}/seats/<seat>/state"), "the failure has come")
        eventually(lambda: receiver.named(f"GET {route}/seats/<seat>/events"), "the stream is over")
    (refusal,) = receiver.named(f"GET {route}/replay")
    assert told(refusal)["shorebreak.code"] == "match_not_finished"
    assert refusal.status.code == 0, "a refusal is no fault"
    (failed,) = receiver.named(f"GET {route}/seats/<seat>/state")
    assert failed.status.code == 2
    assert told(failed)["error.type"] == "store_unavailable"
    below = [each for each in receiver.spans() if each.parent_span_id == failed.span_id]
    assert [(each.name, told(each)["error.type"]) for each in below] == [("store load", "StoreUnavailable")]


def test_no_span_holds_a_secret(receiver: Receiver, shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1) as web:
        playing = Playing(Api(web.url), "wave", seed="long 58", visibility="unlisted")
        seat, version, move = playing.turn()
        assert playing.move(seat, move, version, "key-of-a-move").status == 201
        send(web.url, "GET", f"{playing.path}/state?token=in-the-query", Authorization="Bearer stolen-token")
        send(web.url, "GET", "/v1/games/wave/matches/in-the-path/state", Cookie="a=biscuit")
        eventually(lambda: len(receiver.named("GET /v1/games/wave/matches/<match>/state")) == 2, "the last has come")
    sent = b"".join(receiver.bodies)
    secrets = [*playing.tokens, playing.host, "long 58", "key-of-a-move", "in-the-", "stolen-token", "biscuit"]
    assert [secret for secret in secrets if secret.encode() in sent] == []


def test_of_how_many_requests_is_told_by_opentelemetrys_own_variable(
    receiver: Receiver, shared_redis: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0")
    with web_server(tmp_path, shared_redis.url, web_workers=1) as web:
        Api(web.url).get("/v1/games")
        send(web.url, "GET", "/livez", traceparent=f"00-{TRACE}-{PARENT}-01")
        eventually(lambda: receiver.named("GET /livez"), "what the caller has chosen comes")
    assert {span.name for span in receiver.spans()} == {"GET /livez"}


def test_it_is_off_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not tracing.wanted(Settings(), {})
    assert tracing.wanted(Settings(), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"})
    assert not tracing.wanted(Settings(tracing=False), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"})
    assert tracing.wanted(Settings(tracing=True), {})


def test_without_its_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)
    with pytest.raises(SettingsError, match="requirements/install python3 otel"):
        tracing.wanted(Settings(tracing=True), {})
    assert not tracing.wanted(Settings(), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"})


def test_where_it_is_off_nothing_is_imported_that_sends() -> None:
    asked = (
        "import sys; from service.app import create_app; from service.settings import Settings; "
        "create_app(Settings(redis_url='unix:///nowhere')); "
        "print([name for name in sys.modules if name.startswith('opentelemetry.exporter')])"
    )
    told_by_it = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told_by_it.stdout.strip() == "[]"
