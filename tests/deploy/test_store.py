"""deploy/redis.conf and the list of users that deploy/secrets.sh makes, in a real server that Shorebreak plays on."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis

from service.run import embedded, web, worker
from service.run.child import ROOT, Child
from service.settings import Settings
from tests.support.play import Api, Playing
from tests.support.server import free_port, web_server
from tests.support.waiting import eventually

CONF = ROOT / "deploy/redis.conf"
PLACE = {"port", "bind"}
"""Where it listens: the tests choose another place."""
UNITS = {"kb": 2**10, "mb": 2**20, "gb": 2**30}


class Store:
    """The server as compose.yaml starts it, but on a free port of the loopback."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = free_port()
        (home / "data").mkdir()
        made = subprocess.run(
            [ROOT / "deploy/secrets.sh", home / "secrets"],
            env={**os.environ, "HOST": "127.0.0.1"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert made.stderr == ""
        file = home / "secrets/redis_url"
        file.chmod(0o600)
        file.write_text(file.read_text().replace(":6379/", f":{self.port}/"))
        self.url = file.read_text().strip()
        self.start()

    def start(self, data: str = "data") -> None:
        line = [str(embedded.find_binary()), str(CONF), "--dir", str(self.home / data)]
        line += ["--aclfile", str(self.home / "secrets/redis.acl"), "--port", str(self.port), "--bind", "127.0.0.1"]
        log = self.home / "server.log"
        self.child = Child("redis", line, environ=os.environ, log=log, stop_within_s=20, death_signal=signal.SIGKILL)
        eventually(self.answers, "the store answers")

    def answers(self) -> bool:
        assert not self.child.ended, self.child.last_words()
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def client(self) -> "redis.Redis":
        """As the service's own user."""
        return redis.Redis.from_url(self.url, socket_timeout=5, retry=None, decode_responses=True)

    def operator(self) -> "redis.Redis":
        """As the one who may do everything."""
        password = (self.home / "secrets/operator").read_text().strip()
        return redis.Redis(
            port=self.port, username="operator", password=password, socket_timeout=5, retry=None, decode_responses=True
        )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    started = Store(tmp_path_factory.mktemp("store"))
    yield started
    started.child.stop()


def lines() -> list[tuple[str, str]]:
    """(name, value) of every line that is no comment, in order."""
    found = [line.partition(" ") for line in CONF.read_text().splitlines() if line and not line.startswith("#")]
    return [(name, value) for name, _, value in found]


def as_the_server_says(value: str) -> str:
    value = value.strip('"')
    found = re.fullmatch(r"(\d+)(kb|mb|gb)", value)
    return value if found is None else str(int(found[1]) * UNITS[found[2]])


def test_every_line_is_what_the_server_does(store: Store) -> None:
    with store.client() as client:
        for name, value in lines():
            if name in PLACE:
                continue
            said = client.config_get(name)[name]
            if name == "client-output-buffer-limit":
                kind, *limits = (as_the_server_says(part) for part in value.split())
                assert f"{kind} {' '.join(limits)}" in said
            else:
                assert said == as_the_server_says(value), name


def test_no_line_stands_there_twice_and_each_has_its_reason() -> None:
    names = [name for name, _ in lines()]
    assert len(names) == len(set(names))
    paragraphs = CONF.read_text().strip().split("\n\n")
    assert [paragraph for paragraph in paragraphs if not paragraph.startswith("# ")] == []


def test_it_keeps_matches_as_the_server_of_make_run_does() -> None:
    command = embedded.command(Path("server"), Path("/home"), Path("/socket"))
    own = {name[2:]: value for name, value in zip(command[1::2], command[2::2], strict=True)}
    kept = {"appendonly", "appendfsync", "aof-load-truncated", "save", "maxmemory-policy", "databases"}
    told = {name: value.strip('"') for name, value in lines()}
    assert {name: told[name] for name in kept} == {name: own[name] for name in kept}


@pytest.mark.slow
def test_shorebreak_plays_on_it_and_loses_no_move_when_it_is_killed(store: Store, tmp_path: Path) -> None:
    environ = {"REDIS_URL_FILE": str(store.home / "secrets/redis_url"), "DATA_DIR": str(tmp_path), "WEB_WORKERS": "1"}
    port = free_port()
    told = {**{k: v for k, v in os.environ.items() if k != "REDIS_URL"}, **environ, "PORT": str(port)}
    logs = [tmp_path / "web.log", tmp_path / "worker.log"]
    commands = [list(web.COMMAND), [sys.executable, "-m", "service", "worker"]]
    children = [
        Child(f"child {n}", command, environ=told, log=log, stop_within_s=20, death_signal=signal.SIGKILL)
        for n, (command, log) in enumerate(zip(commands, logs, strict=True))
    ]
    try:
        eventually(lambda: web.answers(children[0], Settings(port=port)), "it is ready", within_s=30)
        api = Api(f"http://127.0.0.1:{port}")
        made = api.ask("POST", "/v1/games/onda/matches", {"seats": 3}).json
        path = f"/v1/games/onda/matches/{made['match']['match']}"
        for _ in range(3):
            assert api.ask("POST", f"{path}/seats", {"bot": "random"}, token=made["host_token"]).status == 201
        eventually(lambda: api.get(path).json["status"] == "finished", "the bots have played", within_s=60)
        playing = Playing(api, "wave")
        version = playing.step().json["version"]
        store.child.kill()
        store.start()
        eventually(lambda: api.get("/readyz").status == 200, "it has found the store again", within_s=30)
        assert playing.public()["version"] == version
        assert playing.step().json["version"] == version + 1
        assert "NOPERM" not in "".join(log.read_text() for log in logs)
    finally:
        for child in reversed(children):
            child.stop()
    assert worker.STOP_WITHIN_S < 30, "compose.yaml gives it so long"


def test_doctor_finds_nothing_wrong_with_it(store: Store, tmp_path: Path) -> None:
    told = {**os.environ, "REDIS_URL_FILE": str(store.home / "secrets/redis_url"), "DATA_DIR": str(tmp_path)}
    told["PORT"] = str(free_port())
    told.pop("REDIS_URL", None)
    found = subprocess.run(
        [sys.executable, "-m", "service", "doctor"], cwd=ROOT, env=told, capture_output=True, text=True, check=False
    )
    assert ", 0 wrong." in found.stdout, found.stdout
    assert [line for line in found.stdout.splitlines() if line.startswith("wrong")] == []


@pytest.mark.slow
def test_a_backup_by_links_taken_under_load_has_every_move_that_was_answered_before(tmp_path: Path) -> None:
    store = Store(tmp_path)
    api_home = tmp_path / "web"
    try:
        with web_server(api_home, store.url, web_workers=1) as server, store.operator() as operator:
            playing = Playing(Api(server.url), "wave")
            others = [Playing(Api(server.url), "onda") for _ in range(3)]
            stop = threading.Event()
            with ThreadPoolExecutor(3) as pool:
                busy = [pool.submit(play_until, stop, other) for other in others]
                operator.bgrewriteaof()
                for _ in range(5):
                    version = playing.step().json["version"]
                operator.config_set("auto-aof-rewrite-percentage", "0")
                eventually(lambda: not operator.info("persistence")["aof_rewrite_in_progress"], "no rewrite")
                answered = [playing.public()["version"], *(other.public()["version"] for other in others)]
                copied = subprocess.run(
                    ["cp", "--recursive", "--link", store.home / "data/appendonlydir", store.home / "backup"]
                )
                assert copied.returncode == 0
                operator.config_set("auto-aof-rewrite-percentage", "100")
                stop.set()
                for future in busy:
                    future.result(60)
            (store.home / "restored").mkdir()
            # Away from the links: what the server goes on writing must not get into the backup.
            shutil.copytree(store.home / "backup", store.home / "restored/appendonlydir")
            store.child.kill()
            store.start("restored")
            eventually(lambda: server_answers(server.url), "it has found the store again", within_s=30)
            found = [match.public()["version"] for match in (playing, *others)]
            assert found[0] == version
            assert all(now >= then for now, then in zip(found, answered, strict=True)), (found, answered)
            assert playing.step().json["version"] == version + 1
    finally:
        store.child.stop()


def play_until(stop: threading.Event, match: Playing) -> None:
    while not stop.is_set() and match.public()["status"] == "playing":
        match.step()


def server_answers(url: str) -> bool:
    return Api(url).get("/readyz").status == 200


def test_others_may_nothing_and_the_service_may_only_what_it_needs(store: Store) -> None:
    with (
        redis.Redis(port=store.port, socket_timeout=5, retry=None) as stranger,
        pytest.raises(redis.AuthenticationError),
    ):
        stranger.get("sb:anything")
    with store.client() as client:
        assert client.set("sb:mine", "x", px=1000)
        for refused in (
            ("GET", "theirs"),
            ("SET", "theirs", "x"),
            ("FLUSHALL",),
            ("KEYS", "*"),
            ("CONFIG", "SET", "appendonly", "no"),
            ("SHUTDOWN",),
            ("REPLICAOF", "NO", "ONE"),
            ("ACL", "LIST"),
            ("SUBSCRIBE", "theirs"),
        ):
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.execute_command(*refused)


def test_secrets_are_made_once_and_hold_no_password_but_in_the_address(tmp_path: Path) -> None:
    command = [str(ROOT / "deploy/secrets.sh"), str(tmp_path / "secrets")]
    subprocess.run(command, check=True, capture_output=True)
    url = (tmp_path / "secrets/redis_url").read_text()
    again = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "there already" in again.stdout
    assert (tmp_path / "secrets/redis_url").read_text() == url
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    found = re.fullmatch(r"redis://shorebreak:([0-9a-f]{48})@store:6379/0\n", url)
    assert found is not None
    operator = (tmp_path / "secrets/operator").read_text().strip()
    assert found[1] != operator
    users = (tmp_path / "secrets/redis.acl").read_text()
    assert found[1] not in users
    assert operator not in users
    assert "user default off ~* &* +@all\n" in users, "or Redis 7.0 leaves out every move when it reads its file"
