"""Servers come and go under load: no request is lost, and no stream breaks off or has a gap."""

import os
import shutil
import signal
import socket
from pathlib import Path

import pytest

from service.run import web
from service.run.child import ROOT
from service.settings import Settings
from tests.support.play import Api
from tests.support.rolling import TABLES, Load, reload
from tests.support.server import RedisServer, WebServer, web_server
from tests.support.strict import Kept, Ledger
from tests.support.waiting import eventually

pytestmark = pytest.mark.slow


def test_a_reload_under_load_loses_no_request_and_breaks_no_stream(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=2, access_log="off") as server:
        load = Load(server.url)
        with load.running():
            for _ in range(3):
                reload(server)
                load.play_on(10)
        assert load.told_to_come_back >= 2 * TABLES, "every stream was ended by a reload"
        assert server.logged() == "", "nothing went wrong inside either"


@pytest.mark.parametrize("order", ["the next one starts first", "the next one starts when the last is gone"])
def test_servers_that_follow_each_other_on_one_port_lose_no_request(
    shared_redis: RedisServer, tmp_path: Path, order: str
) -> None:
    """As with systemd's socket, which holds the port, and as with pods behind a service."""
    with socket.create_server(("127.0.0.1", 0), backlog=2_048) as port:
        chosen = [
            Settings(
                port=port.getsockname()[1],
                redis_url=shared_redis.url,
                data_dir=tmp_path / str(number),
                access_log="off",
            )
            for number in range(3)
        ]
        for settings in chosen:
            settings.data_dir.mkdir()
        running = [web.start(chosen[0], port, log=tmp_path / "0.log")]
        servers = [WebServer(chosen[0], running[0])]
        servers[0].wait_until_ready()
        load = Load(servers[0].url)
        try:
            with load.running():
                for number, settings in enumerate(chosen[1:], start=1):
                    if order.endswith("first"):
                        running.append(web.start(settings, port, log=tmp_path / f"{number}.log"))
                        follower = WebServer(settings, running[-1])
                        eventually(lambda server=follower: server.workers(), "its workers are there", within_s=60)
                        running[-2].ask_to_stop()
                        assert running[-2].process.wait(40) == 0
                    else:
                        running[-1].ask_to_stop()
                        assert running[-1].process.wait(40) == 0
                        running.append(web.start(settings, port, log=tmp_path / f"{number}.log"))
                    load.play_on(10)
        finally:
            for child in running:
                child.stop()
        assert load.told_to_come_back >= 2 * TABLES
        assert [(tmp_path / f"{number}.log").read_text() for number in range(3)] == [""] * 3


def test_a_client_that_has_asked_just_now_is_answered_once_more_and_told_that_it_was_the_last(
    shared_redis: RedisServer, tmp_path: Path
) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1) as server:
        ledger = Ledger()
        clients = [Kept(server.url, ledger) for _ in range(20)]
        for client in clients:
            client.get("/livez")
        (old,) = server.workers()
        os.kill(old, signal.SIGTERM)
        last = [client.get("/livez") for client in clients]
        assert ledger.lost == []
        assert {answer.status for answer in last} == {200}
        assert {answer.headers["Connection"] for answer in last} == {"close"}
        assert [client.line for client in clients] == [None] * 20
        assert ledger.connections == 20, "each on the connection that it had"
        eventually(lambda: old not in server.workers(), "it is gone", within_s=20)


def test_the_half_of_a_request_that_has_come_is_waited_for(shared_redis: RedisServer, tmp_path: Path) -> None:
    with web_server(tmp_path, shared_redis.url, web_workers=1) as server:
        place = (server.settings.host, server.settings.port)
        with socket.create_connection(place, timeout=30) as slow:
            slow.sendall(b"GET /livez HTT")
            silent = Kept(server.url, Ledger())
            silent.get("/livez")
            os.kill(server.workers()[0], signal.SIGTERM)
            eventually(lambda: silent.was_closed, "who has nothing to ask was hung up on")
            slow.sendall(b"P/1.1\r\nHost: here\r\n\r\n")
            said = b""
            while chunk := slow.recv(65_536):
                said += chunk
        assert said.startswith(b"HTTP/1.1 200"), said
        assert b"Connection: close" in said


def test_after_an_upgrade_on_the_spot_nothing_is_reloaded_by_half(shared_redis: RedisServer, tmp_path: Path) -> None:
    code = tmp_path / "code"
    for part in ("engines", "service", "openapi"):
        shutil.copytree(ROOT / part, code / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "deploy", code / "deploy")
    command = ("sh", "-c", f'cd {code} && exec "$@"', "sh", *web.COMMAND)
    with web_server(tmp_path, shared_redis.url, command=command, web_workers=1) as server:
        before = server.workers()
        reload(server)
        after = server.workers()
        assert set(after).isdisjoint(before), "as long as the code is the same"
        with (code / "service/api/play.py").open("a") as file:
            file.write("# a later version\n")
        os.kill(server.child.process.pid, signal.SIGHUP)
        eventually(lambda: "the code has changed since the start" in server.logged(), "it says so")
        assert server.workers() == after
        assert Api(server.url).get("/readyz").status == 200
