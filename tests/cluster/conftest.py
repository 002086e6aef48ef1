"""A cluster of three masters and three replicas, and web servers and a worker on it, for the tests of one file."""

import contextlib
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from engines import GAMES
from service.run import worker
from service.run.child import ROOT
from tests.support.cluster import Cluster, Node, cluster_of
from tests.support.paced import AgainstBot, Paced
from tests.support.play import Api, Playing
from tests.support.server import WebServer, web_server

TIMEOUT_S = 1.0
"""STORE_TIMEOUT_S in these tests."""
SLACK_S = 2.0
"""What a busy machine may add to any answer."""
RECOVERS_WITHIN_S = 10.0


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster_of(tmp_path_factory.mktemp("cluster"), appendfsync="no") as started:
        yield started


@contextlib.contextmanager
def site_on(home: Path, url: str, **settings: Any) -> Iterator[WebServer]:
    """Two web processes and a worker on it."""
    with web_server(home, url, store_timeout_s=TIMEOUT_S, stream_heartbeat_s=1.0, **settings) as started:
        works = worker.start(started.settings, log=home / "worker.log")
        try:
            yield started
        finally:
            works.stop()


def table_of(api: Api, number: int) -> Paced:
    """A match of two. By its number: of any game, and against nobody, with a clock, or against a bot."""
    games = sorted(GAMES)
    asked: dict[str, Any] = {"host_can_abort": True}
    if number % 3 == 1:
        asked["clock"] = {"turn_s": 3600, "on_timeout": "move"}
    kind = AgainstBot if number % 3 == 2 else Playing
    return Paced(api, kind(api, games[number // 3 % len(games)], **asked), number)


def on_every_master(api: Api, cluster: Cluster, each: int) -> dict[int, list[Paced]]:
    """So many matches on each master, by its port."""
    found: dict[int, list[Paced]] = {node.port: [] for node in cluster.masters_now()}
    for number in range(300):
        table = table_of(api, number)
        there = found[cluster.master_of(f"sb:{{{table.match.match}}}").port]
        if len(there) < each:
            there.append(table)
        if all(len(tables) == each for tables in found.values()):
            return found
    raise AssertionError("matches are not spread")


@contextlib.contextmanager
def played(url: str, tables: Sequence[Paced]) -> Iterator[None]:
    """All these matches are played, and streamed, during the block. At its end they are aborted, which ends streams."""
    stop = threading.Event()
    with ThreadPoolExecutor(2 * len(tables)) as pool:
        reading = [pool.submit(table.read_on, url) for table in tables]
        playing = [pool.submit(table.play, stop) for table in tables]
        try:
            yield
        finally:
            stop.set()
            for done in playing:
                done.result(30)
            for table in tables:
                table.api.ask("DELETE", table.match.path, token=table.match.host)
        for done in reading:
            done.result(30)


@contextlib.contextmanager
def few_rights(home: Path, nodes: Sequence[Node], url: str) -> Iterator[str]:
    """The address for the user that deploy/secrets.sh makes, whom these nodes know during the block."""
    subprocess.run([ROOT / "deploy/secrets.sh", home / "secrets"], capture_output=True, check=True)
    users = (home / "secrets/redis.acl").read_text().splitlines()
    _, name, *rights = next(user for user in users if user.startswith("user shorebreak ")).split()
    password = urlsplit((home / "secrets/redis_url").read_text()).password
    for node in nodes:
        node.say("ACL", "SETUSER", name, *rights)
    try:
        yield url.replace("://", f"://{name}:{password}@")
    finally:
        for node in nodes:
            node.say("ACL", "DELUSER", name)


@contextlib.contextmanager
def no_more_threads() -> Iterator[None]:
    """The system has no thread to give during the block: each would take more memory than there is."""
    was = threading.stack_size(1 << 46)
    try:
        with pytest.raises(RuntimeError, match="start new thread"):
            threading.Thread(target=print).start()
        yield
    finally:
        threading.stack_size(was)
