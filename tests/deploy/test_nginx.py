"""deploy/nginx.conf in a real nginx before real web servers: streams, waiting, limits, and servers that come and go."""

import http.client
import json
import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.run.child import ROOT, Child
from tests.conftest import NGINX
from tests.support.play import Api, Playing, at_once
from tests.support.rolling import TABLES, Load, reload
from tests.support.server import RedisServer, WebServer, free_port, web_server
from tests.support.streaming import Stream
from tests.support.waiting import eventually

pytestmark = [pytest.mark.nginx, pytest.mark.slow]


@contextmanager
def proxied(home: Path, server: WebServer) -> Iterator[str]:
    """The address of an nginx in front of it: the file, but for its ports, its certificate and where Shorebreak is.

    Its TLS is checked by deploy/check; here clients speak to it in the clear.
    """
    port = free_port()
    site = (ROOT / "deploy/nginx.conf").read_text()
    site = site[: site.rindex("\nserver {")]  # the second only leads to the first
    site = re.sub(r".*(\[::\]|ssl_).*\n", "", site).replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    site = site.replace("server 127.0.0.1:8000;", f"server 127.0.0.1:{server.settings.port};")
    temporary = "".join(
        f"{kind}_temp_path {home}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    conf = home / "nginx.conf"
    head = f"daemon off; master_process off; pid {home}/pid; error_log {home}/error.log;\n"
    conf.write_text(f"{head}events {{}}\nhttp {{\naccess_log off;\n{temporary}{site}}}\n")
    assert NGINX is not None
    command = [NGINX, "-p", str(home), "-e", f"{home}/error.log", "-c", str(conf)]
    log = home / "nginx.log"
    child = Child("nginx", command, environ=os.environ, log=log, stop_within_s=10, death_signal=signal.SIGKILL)
    url = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: answers(child, url), "nginx answers")
        yield url
    finally:
        child.stop()


def answers(child: Child, url: str) -> bool:
    assert not child.ended, child.last_words()
    try:
        return Api(url).get("/v1/games").status == 200
    except OSError:
        return False


@pytest.fixture
def both(own_redis: RedisServer, tmp_path: Path) -> Iterator[tuple[WebServer, str]]:
    settings = {"trusted_proxies": "127.0.0.1", "creates_per_minute": 5, "stream_heartbeat_s": 1.0}
    with (
        web_server(tmp_path / "web", own_redis.url, web_workers=1, **settings) as server,
        proxied(tmp_path, server) as url,
    ):
        yield server, url


def test_events_leave_as_they_come_and_waiting_is_waited_for(both: tuple[WebServer, str]) -> None:
    _, url = both
    api = Api(url)
    match = Playing(api, "wave")
    newest = len(match.events())
    stream = Stream(url, f"{match.path}/events")
    stream.until(newest)
    eventually(lambda: heartbeat(stream), "a silent stream shows that it lives")
    held, moved = at_once(
        [
            lambda: api.get(f"{match.path}/events?after={newest}&wait_s=30"),
            lambda: (time.sleep(1), match.step())[1],
        ]
    )
    assert [event["version"] for event in held.json["events"]] == [moved.json["version"]] * len(held.json["events"])
    assert held.took_s < 10
    assert json.loads(stream.until(newest + 1)[-1])["version"] == moved.json["version"]
    stream.cut()


def heartbeat(stream: Stream) -> bool:
    """Whether the next line is one."""
    return stream.answer.readline().startswith(b":")


def test_nobody_gets_round_a_limit_by_saying_that_it_is_somebody_else(both: tuple[WebServer, str]) -> None:
    _, url = both
    found = []
    for number in range(12):
        line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
        headers = {"Content-Type": "application/json", "X-Forwarded-For": f"203.0.113.{number}"}
        line.request("POST", "/v1/games/onda/matches", '{"seats": 2}', headers)
        found.append(line.getresponse().status)
        line.close()
    assert set(found) == {201, 429}, found


def test_what_is_for_the_inside_stays_inside(both: tuple[WebServer, str]) -> None:
    server, url = both
    for path in ("/metrics", "/livez", "/readyz"):
        assert Api(server.url).get(path).status == 200
        assert Api(url).ask("GET", path).status == 404


def test_behind_it_a_reload_under_load_loses_no_request(shared_redis: RedisServer, tmp_path: Path) -> None:
    with (
        web_server(tmp_path / "web", shared_redis.url, web_workers=2, access_log="off") as server,
        proxied(tmp_path, server) as url,
    ):
        load = Load(url)
        with load.running():
            for _ in range(2):
                reload(server)
                load.play_on(10)
        assert load.told_to_come_back >= TABLES
        assert server.logged() == ""
    assert "[error]" not in (tmp_path / "error.log").read_text()


def test_the_file_names_times_that_fit_those_of_shorebreak() -> None:
    text = (ROOT / "deploy/nginx.conf").read_text()
    kept = int(re.search(r"keepalive = (\d+)", (ROOT / "deploy/gunicorn.conf.py").read_text())[1])
    assert int(re.search(r"keepalive_timeout (\d+)s", text)[1]) < kept
    assert int(re.search(r"proxy_read_timeout (\d+)s", text)[1]) > 60
