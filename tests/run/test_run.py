"""Starting and stopping a whole Shorebreak: what the operator sees, and what is left behind."""

import os
import signal
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.run import embedded
from tests.run.running import Running, all_gone
from tests.support.waiting import eventually

Start = Callable[..., Running]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a Running; whatever is left of it at the end is killed."""
    begun: list[Running] = []

    def start(data_dir: Path, **settings: str) -> Running:
        begun.append(Running(data_dir, **settings))
        return begun[-1]

    yield start
    for running in begun:
        if running.process.poll() is None:
            running.kill_all()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_it_says_where_it_answers_and_stops_without_a_trace(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    running = start(tmp_path / "var").until_it_answers()
    with urllib.request.urlopen(f"http://127.0.0.1:{running.port}/readyz", timeout=10) as answer:
        assert answer.read() == b"ready"
    family = running.family()
    assert len(family) == 5, "supervisor, redis, the worker, web master, one web worker"
    assert running.stop(number) == 0
    assert all_gone(family)
    said = [line for line in running.said().splitlines() if not line.startswith("Starting: ")]  # a slow machine's
    assert said == [
        f"Shorebreak answers at http://127.0.0.1:{running.port} (Ctrl-C stops it)",
        f"Try it at http://127.0.0.1:{running.port}/docs; matches are kept in {tmp_path / 'var'}",
        "Shorebreak has stopped.",
    ]


def test_a_second_start_finds_what_the_first_kept(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "var").until_it_answers()
    with first.redis() as client:
        client.set("match", "kept")
    assert first.stop() == 0
    second = start(tmp_path / "var").until_it_answers()
    with second.redis() as client:
        assert client.get("match") == b"kept"
    assert second.stop() == 0


def test_after_kill_9_of_everything_the_next_start_finds_every_answered_write(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "var").until_it_answers()
    with first.redis() as client:
        for number in range(100):
            client.set(f"match/{number}", "kept")
    first.kill_all()
    second = start(tmp_path / "var", PORT=str(first.port)).until_it_answers()
    with second.redis() as client:
        assert [client.get(f"match/{number}") for number in range(100)] == [b"kept"] * 100
    assert second.stop() == 0


def test_kill_9_of_the_supervisor_alone_ends_its_children(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "var").until_it_answers()
    with first.redis() as client:
        client.set("match", "kept")
    family = first.family()
    first.process.kill()
    first.process.wait()
    second = start(tmp_path / "var", PORT=str(first.port)).until_it_answers()
    eventually(lambda: all_gone(family), "the children of the first run are gone")
    with second.redis() as client:
        assert client.get("match") == b"kept"
    assert second.stop() == 0


def test_a_server_that_outlived_its_shorebreak_is_asked_to_go(start: Start, tmp_path: Path) -> None:
    survivor, url = embedded.start(tmp_path / "var", time.sleep)
    eventually(lambda: embedded.answers(survivor, url), "the survivor answers")
    embedded.ask(Path(url.removeprefix("unix://")), "SET match kept")
    running = start(tmp_path / "var").until_it_answers()
    assert survivor.process.wait(10) == 0, "it was not stopped the orderly way"
    with running.redis() as client:
        assert client.get("match") == b"kept"
    assert running.stop() == 0


def test_one_folder_serves_one_shorebreak(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "var").until_it_answers()
    second = start(tmp_path / "var")
    assert second.exit_code() == 3
    assert f"Another Shorebreak (process {first.process.pid}) runs in {tmp_path / 'var'}" in second.said()
    assert first.stop() == 0


def test_a_port_in_use_names_the_setting(start: Start, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        running = start(tmp_path / "var", PORT=str(port))
        assert running.exit_code() == 3
    assert f"Port {port} on 127.0.0.1 is in use" in running.said()
    assert "set PORT to a free one" in running.said()


def test_a_folder_that_cannot_be_written_names_the_setting(start: Start, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    running = start(tmp_path / "file" / "var")
    assert running.exit_code() == 3
    assert f"Cannot write in {tmp_path / 'file' / 'var'}" in running.said()
    assert "set DATA_DIR" in running.said()


def test_wrong_settings_are_all_named_and_nothing_starts(start: Start, tmp_path: Path) -> None:
    running = start(tmp_path / "var", WEB_WORKERS="many", STORE_TIMEOUT_S="-1")
    assert running.exit_code() == 2
    assert "WEB_WORKERS is 'many'; allowed is a whole number from 1 to 64." in running.said()
    assert "STORE_TIMEOUT_S is '-1'" in running.said()
    assert not (tmp_path / "var").exists()


def test_an_address_that_is_not_this_machines_names_the_setting(start: Start, tmp_path: Path) -> None:
    running = start(tmp_path / "var", HOST="192.0.2.1")
    assert running.exit_code() == 3
    assert "HOST=192.0.2.1" in running.said()


def test_a_path_too_long_for_a_socket_works_all_the_same(start: Start, tmp_path: Path) -> None:
    data_dir = tmp_path / ("long" * 40) / "var"
    for _ in range(2):
        running = start(data_dir).until_it_answers()
        with running.redis() as client:
            client.incr("starts")
            starts = client.get("starts")
        assert running.stop() == 0
    assert starts == b"2"
    address = embedded.socket_path(data_dir / "redis")
    assert len(os.fsencode(address)) < 104
    address.parent.rmdir()


def test_when_redis_dies_everything_ends_with_its_last_words(start: Start, tmp_path: Path) -> None:
    running = start(tmp_path / "var").until_it_answers()
    family = running.family()
    with running.redis() as client:
        os.kill(client.info("server")["process_id"], signal.SIGKILL)
    assert running.exit_code() == 1
    assert "the Redis server was ended by SIGKILL. The last lines of" in running.said()
    assert "Ready to accept connections" in running.said()
    assert all_gone(family)


@pytest.mark.parametrize(
    ("command", "name"), [("tests.run.tiny_site", "the web server"), ("service worker", "the worker")]
)
def test_when_the_web_server_or_the_worker_dies_everything_ends(
    start: Start, tmp_path: Path, command: str, name: str
) -> None:
    running = start(tmp_path / "var").until_it_answers()
    family = running.family()
    os.kill(running.child(command), signal.SIGKILL)
    assert running.exit_code() == 1
    assert f"{name} was ended by SIGKILL" in running.said()
    assert all_gone(family)


def test_an_application_that_does_not_load_ends_the_start_at_once(start: Start, tmp_path: Path) -> None:
    begun = time.monotonic()
    running = start(tmp_path / "var", TINY_SITE_BREAKS="with these words")
    assert running.exit_code() == 1
    assert time.monotonic() - begun < 9, "it waited for a port that nobody answers any more"
    assert "with these words" in running.said()
    assert "the web server ended with exit code" in running.said()


def test_a_damaged_log_of_matches_is_shown_not_served(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "var").until_it_answers()
    with first.redis() as client:
        client.set("match", "kept")
    assert first.stop() == 0
    (log,) = (tmp_path / "var/redis/appendonlydir").glob("*.incr.aof")
    log.write_bytes(b"*3\r\n$3\r\nSET\r\nnot a log\r\n" + log.read_bytes())
    second = start(tmp_path / "var")
    assert second.exit_code() == 1
    assert "Bad file format reading the append only file" in second.said()


def test_waiting_for_a_redis_that_is_away_shows_progress_and_can_be_stopped(start: Start, tmp_path: Path) -> None:
    running = start(tmp_path / "var", REDIS_URL=f"unix://{tmp_path}/nobody.sock")
    running.until_it_says("Starting: the web server is not ready yet")
    assert running.stop() == 0


def test_a_redis_of_the_operators_own_is_used_and_left_alone(start: Start, tmp_path: Path, shared_redis) -> None:
    running = start(tmp_path / "var", REDIS_URL=shared_redis.url).until_it_answers()
    assert "matches are kept in the server that REDIS_URL names" in running.said()
    assert len(running.family()) == 4
    assert running.stop() == 0
    assert not (tmp_path / "var/redis").exists()
    with shared_redis.client() as client:
        assert client.ping()


def test_asked_twice_it_stops_at_once(start: Start, tmp_path: Path) -> None:
    running = start(tmp_path / "var", STOP_TIMEOUT_S="60").until_it_answers()
    with socket.create_connection(("127.0.0.1", running.port)) as line, running.redis() as client:
        line.sendall(b"GET /sleep/60 HTTP/1.1\r\nHost: here\r\n\r\n")
        assert client.blpop(["asleep"], timeout=4)
        running.process.send_signal(signal.SIGINT)
        eventually(lambda: refuses(running.port), "it has stopped accepting")
        assert running.stop() == 0
    assert "the web server does not stop by itself and is killed." in running.said()


def refuses(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False
