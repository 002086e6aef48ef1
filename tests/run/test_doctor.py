"""`python -m service doctor` on real servers that are set up well, badly, or not at all."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.doctor import report
from service.doctor.finding import Finding, worst
from service.settings import Settings
from service.table.clock import AWAY_AFTER_MS
from service.table.due import Queue
from service.wiring import open_table
from tests.run.running import ROOT, Running
from tests.support.cluster import Cluster, Watched
from tests.support.server import RedisServer, free_port


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def examined(
    data_dir: Path, url: str | None, clock: Callable[[], int] = now_ms, **variables: str
) -> dict[str, Finding]:
    """What the doctor finds, by what was looked at."""
    environ = {"DATA_DIR": str(data_dir), "PORT": str(free_port()), "REDIS_URL": url or "", **variables}
    return {finding.check: finding for finding in report.findings(environ, clock)}


def not_ok(found: dict[str, Finding]) -> dict[str, str]:
    return {check: finding.verdict for check, finding in found.items() if finding.verdict != "ok"}


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[..., RedisServer]]:
    """Starts servers with whatever settings."""
    begun: list[RedisServer] = []

    def make(**options: str) -> RedisServer:
        server = RedisServer(tmp_path / f"redis-{len(begun)}", **options)
        begun.append(server)
        server.start()
        return server

    yield make
    for server in begun:
        server.stop()


def test_a_store_as_make_run_starts_it_is_well_but_for_the_worker(own_redis: RedisServer, tmp_path: Path) -> None:
    found = examined(tmp_path, own_redis.url)
    assert not_ok(found) == {"worker": "look"}
    assert "python -m service worker" in found["worker"].do
    assert "every write is on disk" in found["durability"].says
    assert found["news"].verdict == found["writes"].verdict == "ok"
    with own_redis.client() as client:
        assert client.keys("*") == [], "it leaves nothing behind"


@pytest.mark.parametrize(
    ("options", "check", "verdict", "do"),
    [
        ({"appendonly": "no"}, "durability", "wrong", "CONFIG SET appendonly yes"),
        ({"appendfsync": "everysec"}, "durability", "look", "CONFIG SET appendfsync always"),
        ({"appendfsync": "no"}, "durability", "wrong", "CONFIG SET appendfsync always"),
        ({"maxmemory_policy": "allkeys-lru"}, "eviction", "wrong", "CONFIG SET maxmemory-policy noeviction"),
        ({"maxmemory_policy": "volatile-ttl"}, "eviction", "wrong", "CONFIG SET maxmemory-policy noeviction"),
        ({"maxmemory": "1mb"}, "memory", "wrong", "maxmemory"),
        ({"min_replicas_to_write": "1"}, "replicas", "wrong", "min-replicas-to-write"),
        ({"min_replicas_to_write": "1"}, "writes", "wrong", "replicas"),
        ({"maxclients": "100"}, "connections", "look", "CONFIG SET maxclients"),
    ],
    ids=lambda value: ",".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value),
)
def test_a_server_that_is_set_up_badly_is_told_what_to_change(
    made: Callable[..., RedisServer], tmp_path: Path, options: dict[str, str], check: str, verdict: str, do: str
) -> None:
    found = examined(tmp_path, made(**options).url)
    assert found[check].verdict == verdict, found
    assert do in found[check].do


def test_what_a_managed_server_refuses_to_tell_is_no_fault(made: Callable[..., RedisServer], tmp_path: Path) -> None:
    server = made()
    with server.client() as client:
        client.execute_command(
            "ACL", "SETUSER", "house", "on", ">sesame", "~sb:*", "&sb:*", "+@all", "-@dangerous", "-time"
        )
    found = examined(tmp_path, f"unix://house:sesame@{server.address}")
    assert not_ok(found) == {"worker": "look"}
    hidden = [check for check, finding in found.items() if "could not be seen" in finding.says]
    assert {"version", "durability", "eviction", "memory", "clock", "replicas", "connections"} <= set(hidden)


def test_a_user_that_may_not_do_what_is_needed_is_told(made: Callable[..., RedisServer], tmp_path: Path) -> None:
    server = made()
    with server.client() as client:
        client.execute_command(
            "ACL", "SETUSER", "guest", "on", ">sesame", "~sb:*", "resetchannels", "+@all", "-@scripting"
        )
    found = examined(tmp_path, f"unix://guest:sesame@{server.address}")
    assert (found["writes"].verdict, found["news"].verdict) == ("wrong", "wrong")
    assert "EVAL" in found["writes"].do
    wrong_password = examined(tmp_path, f"unix://guest:mellon@{server.address}")
    assert wrong_password["store"].verdict == "wrong"
    assert "user and password" in wrong_password["store"].do
    assert "mellon" not in repr(wrong_password)


@pytest.mark.parametrize(("off_s", "verdict"), [(0.0, "ok"), (-2.0, "look"), (30.0, "wrong")])
def test_clocks_that_differ_are_told(shared_redis: RedisServer, tmp_path: Path, off_s: float, verdict: str) -> None:
    found = examined(tmp_path, shared_redis.url, lambda: now_ms() + round(1000 * off_s))
    assert found["clock"].verdict == verdict, found["clock"]


def test_a_server_that_is_away_is_told_without_its_password(tmp_path: Path) -> None:
    found = examined(tmp_path, f"redis://:sesame@127.0.0.1:{free_port()}/0")
    assert found["store"].verdict == "wrong"
    assert "sesame" not in repr(found)


def test_more_replicas_are_asked_for_than_there_are(own_redis: RedisServer, tmp_path: Path) -> None:
    found = examined(tmp_path, own_redis.url, STORE_REPLICAS="1", STORE_TIMEOUT_S="0.3")
    assert found["replicas"].verdict == "wrong"
    assert "outcome_unknown" in found["replicas"].says


def test_a_worker_that_lives_and_one_that_does_not_keep_up_are_seen(own_redis: RedisServer, tmp_path: Path) -> None:
    store = open_table(Settings(redis_url=own_redis.url)).store
    store.beat(now_ms(), AWAY_AFTER_MS)
    assert not_ok(examined(tmp_path, own_redis.url)) == {}
    store.schedule(Queue.HOOKS, "0" * 24, now_ms() - 60_000, 0)
    found = examined(tmp_path, own_redis.url)
    assert not_ok(found) == {"due work": "look"}
    assert "hooks by 60 s" in found["due work"].says


def test_all_faults_of_settings_are_told_and_the_rest_is_looked_at(own_redis: RedisServer, tmp_path: Path) -> None:
    environ = {
        "PORT": "x",
        "LOG_LEVEL": "loud",
        "STORE_TIMEOUT": "3",
        "REDIS_URL": own_redis.url,
        "DATA_DIR": str(tmp_path),
    }
    found = list(report.findings(environ))
    about = [finding for finding in found if finding.check == "settings"]
    assert [finding.verdict for finding in about] == ["wrong", "wrong", "look"]
    assert [finding.says.split()[0] for finding in about] == ["PORT", "LOG_LEVEL", "STORE_TIMEOUT"]
    assert "STORE_TIMEOUT_S" in about[2].do
    assert any(finding.check == "durability" for finding in found)


def test_a_secret_that_comes_from_a_file_is_counted_among_what_is_set(own_redis: RedisServer, tmp_path: Path) -> None:
    (tmp_path / "address").write_text(own_redis.url)
    found = examined(tmp_path, None, REDIS_URL_FILE=str(tmp_path / "address"))
    assert found["settings"].says.endswith("of which are set: DATA_DIR, PORT, REDIS_URL_FILE")


def test_a_machine_that_is_in_the_way_is_told(own_redis: RedisServer, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("no folder")
    found = examined(in_the_way, own_redis.url, WEB_CONNECTIONS="100000", HOST="0.0.0.0")
    assert found["data folder"].verdict == "wrong"
    assert found["port"].verdict == "look"
    assert "TLS" in found["port"].says
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found = examined(tmp_path, own_redis.url, PORT=str(taken.getsockname()[1]))
    assert found["port"].verdict == "wrong"


def test_tracing_that_is_asked_for_without_its_packages_is_told(
    own_redis: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
    assert "are traced" in examined(tmp_path, own_redis.url, **endpoint)["tracing"].says
    assert "not traced" in examined(tmp_path, own_redis.url)["tracing"].says
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)  # as if it had not been installed
    assert examined(tmp_path, own_redis.url, **endpoint)["tracing"].verdict == "look"
    assert examined(tmp_path, own_redis.url, TRACING="true")["tracing"].verdict == "wrong"


def test_every_master_of_a_cluster_is_looked_at(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / "cluster", 3, 0)
    try:
        cluster.start()
        cluster.nodes[1].say("CONFIG", "SET", "appendfsync", "no")
        found = examined(tmp_path, cluster.url)
        for node in cluster.nodes:
            assert found[f"writes of {node.place}"].verdict == "ok"
            assert found[f"cluster of {node.place}"].verdict == "ok"
            assert found[f"replicas of {node.place}"].verdict == "look", "nobody takes over"
        verdicts = [found[f"durability of {node.place}"].verdict for node in cluster.nodes]
        assert verdicts == ["ok", "wrong", "ok"]
        assert found["news"].verdict == "ok", found["news"]
    finally:
        cluster.stop()


def test_a_master_behind_sentinels_is_looked_at(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "watched", 1)
    try:
        watched.start()
        found = examined(tmp_path, watched.url)
        assert found["role"].verdict == found["writes"].verdict == found["news"].verdict == "ok"
    finally:
        watched.stop()


# As it is typed


def typed(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": "/usr/bin:/bin", **variables}
    command = [sys.executable, "-m", "service", "doctor", *words]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("options", "code", "verdict"), [({}, 1, "look"), ({"maxmemory_policy": "allkeys-lru"}, 2, "wrong")]
)
def test_the_exit_code_says_how_grave_it_is(
    made: Callable[..., RedisServer], tmp_path: Path, options: dict[str, str], code: int, verdict: str
) -> None:
    variables = {"REDIS_URL": made(**options).url, "DATA_DIR": str(tmp_path), "PORT": str(free_port())}
    told = typed(**variables)
    assert told.returncode == code, told.stdout + told.stderr
    assert told.stderr == ""
    assert max(map(len, told.stdout.splitlines())) <= 120
    for line in told.stdout.splitlines()[:-2]:
        assert line.startswith(("ok ", "look ", "wrong ", "   ")), line
    machine = typed("--json", **variables)
    assert machine.returncode == code
    body = json.loads(machine.stdout)
    assert body["verdict"] == verdict
    assert all(finding.keys() == {"check", "verdict", "says", "do"} for finding in body["findings"])


def test_it_finds_what_make_run_has_started(tmp_path: Path) -> None:
    alone = examined(tmp_path / "var", None)
    assert alone["store"].verdict == "ok"
    assert "`make run` starts its own" in alone["store"].says
    running = Running(tmp_path / "var", command=("-m", "service", "run")).until_it_answers()
    try:
        found = examined(tmp_path / "var", None, PORT=str(running.port))
        assert worst(found.values()) == "ok", not_ok(found)
        assert "is ready" in found["port"].says
        assert found["worker"].verdict == "ok"
    finally:
        assert running.stop() == 0
