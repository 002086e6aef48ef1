"""Workers count as well: with the web processes under `make run`, on a port of their own when they are alone."""

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.settings import Settings
from service.table.due import Queue
from service.wiring import open_table
from tests.run.running import ROOT, Running
from tests.support.play import Api, Playing
from tests.support.server import RedisServer, free_port
from tests.support.waiting import eventually

LOOKS = "shorebreak_worker_looks_total"


def value(url: str, name: str, **labels: str) -> float:
    """A sample of `/metrics`, 0 where there is none."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    found = [
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]
    return sum(found)


def test_under_make_run_one_address_tells_of_the_worker_too(tmp_path: Path) -> None:
    running = Running(tmp_path / "var", command=("-m", "service", "run"), WEB_WORKERS="2").until_it_answers()
    try:
        url = f"http://127.0.0.1:{running.port}"
        clock = {"turn_s": 1, "bank_s": 0, "on_timeout": "abort"}
        playing = Playing(Api(url), "wave", clock=clock)
        eventually(lambda: playing.public()["status"] == "aborted", "the worker has let time run out")
        eventually(lambda: value(url, LOOKS, queue="matches", result="done") >= 1, "and counted it")
        assert value(url, "shorebreak_matches_total", game="wave", status="aborted") == 1
        assert value(url, "shorebreak_matches_total", game="wave", status="playing") == 1
        assert value(url, "shorebreak_worker_late_seconds_count", queue="matches") >= 1
        assert value(url, "shorebreak_worker_silent_seconds") < 5
    finally:
        assert running.stop() == 0


def test_no_line_of_any_process_holds_a_secret(tmp_path: Path) -> None:
    loud = {"LOG_FORMAT": "json", "LOG_LEVEL": "debug", "WEBHOOK_PRIVATE_ADDRESSES": "true"}
    running = Running(tmp_path / "var", command=("-m", "service", "run"), **loud).until_it_answers()
    try:
        url = f"http://127.0.0.1:{running.port}"
        hook = {"url": "http://127.0.0.1:9/path-of-the-hook?key=key-of-the-hook", "events": ["match_started"]}
        playing = Playing(Api(url), "wave", webhook=hook, visibility="unlisted", on_absent="bot", seed="long 58")
        assert playing.api.ask("DELETE", f"{playing.path}/seats/0", token=playing.tokens[0]).status == 200
        eventually(lambda: value(url, "shorebreak_webhook_deliveries_total", result="failed") >= 1, "a delivery failed")
        eventually(lambda: f"webhook of {playing.match} failed" in running.said(), "and the log tells so")
    finally:
        assert running.stop() == 0
    secrets = [*playing.tokens, playing.host, "long 58", "path-of-the-hook", "key-of-the-hook", "whsec_"]
    assert [secret for secret in secrets if secret in running.said()] == []


@pytest.fixture
def alone(own_redis: RedisServer) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    port = free_port()
    variables = {"REDIS_URL": own_redis.url, "WORKER_METRICS_PORT": str(port), "PROMETHEUS_MULTIPROC_DIR": "/not/there"}
    command = [sys.executable, "-m", "service", "worker"]
    worker = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **variables}, stderr=subprocess.DEVNULL)
    yield worker, port
    worker.terminate()
    assert worker.wait(20) == 0


def test_one_that_was_started_alone_answers_on_its_port(
    alone: tuple[subprocess.Popen[bytes], int], own_redis: RedisServer
) -> None:
    url = f"http://127.0.0.1:{alone[1]}"
    store = open_table(Settings(redis_url=own_redis.url)).store

    def looked() -> bool:
        store.schedule(Queue.HOOKS, "0" * 24, 1, 1)
        try:
            return value(url, LOOKS, queue="hooks", result="done") >= 1
        except OSError:
            return False

    eventually(looked, "it has looked at what was due, and tells so")
    assert value(url, "shorebreak_worker_late_seconds_count", queue="hooks") >= 1


def test_a_port_that_is_taken_is_told(alone: tuple[subprocess.Popen[bytes], int], own_redis: RedisServer) -> None:
    url = f"http://127.0.0.1:{alone[1]}"

    def answers() -> bool:
        try:
            return value(url, "shorebreak_swaps_lost_total") == 0
        except OSError:
            return False

    eventually(answers, "the first has the port")
    variables = {"REDIS_URL": own_redis.url, "WORKER_METRICS_PORT": str(alone[1])}
    command = [sys.executable, "-m", "service", "worker"]
    second = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, timeout=30
    )
    assert second.returncode == 3
    assert f"WORKER_METRICS_PORT is {alone[1]}" in second.stderr
