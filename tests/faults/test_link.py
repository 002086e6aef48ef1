"""The link to a server that refuses, stalls, or is short of connections: what is certain is told, no answer strays."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis

from service.run.child import ROOT
from service.store.errors import OutcomeUnknown, StoreUnavailable
from service.store.link import Link, Script, server_version
from tests.support.play import at_once
from tests.support.proxy import Fault, proxy_to
from tests.support.server import RedisServer, redis_server
from tests.support.waiting import eventually

PUT = Script("return redis.call('INCR', KEYS[1])")
ENDLESS = Script("while true do redis.call('GET', KEYS[1]) end")


@pytest.fixture
def server(own_redis: RedisServer) -> RedisServer:
    """A server for one test alone."""
    return own_redis


@pytest.fixture
def client(server: RedisServer) -> Iterator["redis.Redis"]:
    with server.client() as client:
        yield client


@pytest.fixture
def link(server: RedisServer) -> Iterator[Link]:
    link = Link(server.url, 5.0, 10)
    assert server_version(link).split(".")[0].isdigit()
    yield link
    link.close()


def put(link: Link) -> Any:
    return link.write(PUT, ["count"], [])


def refused(link: Link, client: "redis.Redis") -> None:
    """A write is refused for certain, which it is."""
    before = client.get("count")
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            put(link)
    assert client.get("count") == before


@contextmanager
def a_full_memory(client: "redis.Redis") -> Iterator[None]:
    client.config_set("maxmemory", 1)
    yield
    client.config_set("maxmemory", 0)


@contextmanager
def a_replica(client: "redis.Redis") -> Iterator[None]:
    client.replicaof("127.0.0.1", 1)
    yield
    client.replicaof("NO", "ONE")


@contextmanager
def no_permission(client: "redis.Redis") -> Iterator[None]:
    client.acl_setuser("default", enabled=True, nopass=True, keys=["*"], commands=["-evalsha"])
    yield
    client.acl_setuser("default", enabled=True, nopass=True, keys=["*"], commands=["+evalsha"])


@contextmanager
def a_password(client: "redis.Redis") -> Iterator[None]:
    client.config_set("requirepass", "a password that nobody told us")
    client.client_kill_filter(_type="normal", skipme=True)
    yield
    client.config_set("requirepass", "")


@contextmanager
def a_script_that_does_not_end(client: "redis.Redis") -> Iterator[None]:
    was = client.config_get("busy-reply-threshold")["busy-reply-threshold"]
    client.config_set("busy-reply-threshold", 10)
    pool = client.connection_pool
    with redis.Redis(connection_pool=pool) as other:
        running = threading.Thread(target=lambda: suppress_errors(lambda: other.eval(ENDLESS.text, 1, "count")))
        running.start()
        eventually(lambda: busy(client), "the script keeps the server busy")
        yield
        client.script_kill()
        running.join()
    client.config_set("busy-reply-threshold", was)


def busy(client: "redis.Redis") -> bool:
    try:
        client.ping()
    except redis.ResponseError as answer:
        return "BUSY" in str(answer) or "busy" in str(answer)
    return False


def suppress_errors(call: Callable[[], object]) -> None:
    with suppress(redis.RedisError):
        call()


@pytest.mark.parametrize("refusing", [a_full_memory, a_replica, no_permission, a_password])
def test_a_write_that_the_server_refuses_did_not_happen_for_certain(
    link: Link, client: "redis.Redis", refusing: Callable[["redis.Redis"], Any]
) -> None:
    assert put(link) == 1
    with refusing(client):
        refused(link, client)
    assert put(link) == 2, "the same link goes on"


def test_a_server_that_is_busy_with_a_script_refuses_both(link: Link, client: "redis.Redis") -> None:
    assert put(link) == 1
    with a_script_that_does_not_end(client):
        with pytest.raises(StoreUnavailable):
            put(link)
        with pytest.raises(StoreUnavailable):
            link.read(("GET", "count"))
    assert put(link) == 2


def test_a_write_that_breaks_within_a_script_is_refused(link: Link, client: "redis.Redis") -> None:
    client.rpush("count", "no number")
    with pytest.raises(StoreUnavailable):
        put(link)
    assert link.read(("LRANGE", "count", 0, -1)) == [[b"no number"]]


def test_a_refusal_in_a_row_of_reads_leaves_no_answer_behind(link: Link, client: "redis.Redis") -> None:
    client.set("text", "text")
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            link.read(("ECHO", "a"), ("LRANGE", "text", 0, -1), ("ECHO", "b"))
        assert link.read(("ECHO", "c")) == [b"c"]


def test_a_refusal_to_be_asked_ahead_of_a_write_leaves_no_answer_behind(server: RedisServer) -> None:
    link = Link(server.url, 5.0, 1)
    assert link.write(PUT, ["count"], [], asking=True) == 1, "only a cluster knows ASKING, and refuses it by itself"
    for number in range(3):
        assert link.read(("ECHO", f"mine {number}")) == [f"mine {number}".encode()]


class BreaksAtTheEnd:
    """A socket that breaks when all but the last bytes have left."""

    def __init__(self, whole: socket.socket) -> None:
        self._whole = whole

    def sendall(self, data: bytes) -> None:
        self._whole.sendall(data[:-4])
        raise ConnectionResetError("broken")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)


def test_a_write_of_which_only_the_wait_for_replicas_did_not_leave_is_not_said_to_have_failed(
    server: RedisServer, client: "redis.Redis"
) -> None:
    link = Link(server.url, 5.0, 1, replicas=1)
    link.read(("PING",))
    connection, _ = link._idle[0]
    connection._sock = BreaksAtTheEnd(connection._sock)
    with pytest.raises(OutcomeUnknown):
        link.write(Script(f"{PUT.text} -- lasting", lasting=True), ["count"], [])


def test_connections_to_a_server_that_takes_no_writes_any_more_are_opened_anew(
    link: Link, client: "redis.Redis"
) -> None:
    put(link)
    was = link.read(("CLIENT", "ID"))
    with a_replica(client):
        assert link.read(("CLIENT", "ID")) == was
        with pytest.raises(StoreUnavailable):
            put(link)
        assert link.read(("CLIENT", "ID")) != was, "the address may lead to the new primary by now"


def test_a_server_that_is_loading_refuses_reads_and_writes(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis") as server:
        with server.client() as client, client.pipeline(transaction=False) as many:
            for number in range(8_000):
                many.set(f"key {number}", "value")
            many.execute()
        server.kill()
        server.options = {"key-load-delay": "150"}
        link = Link(server.url, 5.0, 10)
        refusals, loaded = set(), threading.Event()

        def keep_asking() -> None:
            while not loaded.is_set():
                for ask in (lambda: link.read(("GET", "key 1")), lambda: put(link)):
                    try:
                        ask()
                    except StoreUnavailable as refusal:
                        refusals.add(str(refusal).rpartition("is ")[2])

        asking = threading.Thread(target=keep_asking)
        asking.start()
        server.start()
        loaded.set()
        asking.join()
        assert "loading the dataset in memory" in refusals
        assert link.read(("GET", "key 1")) == [b"value"]
        assert put(link) >= 1


def test_a_server_with_too_many_clients_is_unavailable_until_there_is_room(
    server: RedisServer, client: "redis.Redis"
) -> None:
    was = client.config_get("maxclients")["maxclients"]
    client.config_set("maxclients", len(client.client_list()))
    link = Link(server.url, 5.0, 10)
    try:
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                link.read(("PING",))
            refused(link, client)
    finally:
        client.config_set("maxclients", was)
    assert link.read(("PING",)) == [b"PONG"]
    assert put(link) == 1


def test_a_late_answer_reaches_nobody_else(server: RedisServer) -> None:
    link = Link(server.url, 0.1, 1)
    assert link.read(("ECHO", "warm")) == [b"warm"]
    for number in range(3):
        server.freeze()
        try:
            with pytest.raises(StoreUnavailable):
                link.read(("ECHO", "late"))
            with pytest.raises((StoreUnavailable, OutcomeUnknown)):
                link.write(PUT, ["count"], [])
        finally:
            server.thaw()
        eventually(lambda: answers(link), "it answers again")
        assert link.read(("ECHO", f"mine {number}")) == [f"mine {number}".encode()]


def test_what_a_writer_has_to_do_meanwhile_it_does_while_the_server_is_at_work(
    server: RedisServer, link: Link, client: "redis.Redis"
) -> None:
    assert put(link) == 1
    server.freeze()
    assert link.write(PUT, ["count"], [], server.thaw) == 2, "only an answer that is not waited for yet can come"
    assert client.get("count") == b"2"


def test_what_fails_meanwhile_is_told_and_leaves_no_answer_for_the_next(link: Link) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    assert put(link) == 1
    with pytest.raises(ZeroDivisionError):
        link.write(PUT, ["count"], [], fail)
    eventually(lambda: link.read(("GET", "count")) == [b"2"], "it was sent, and is done")
    assert put(link) == 3


def answers(link: Link) -> bool:
    try:
        return link.read(("PING",)) == [b"PONG"]
    except StoreUnavailable:
        return False


def test_many_share_few_connections(server: RedisServer, client: "redis.Redis") -> None:
    link = Link(f"{server.url}?client_name=few", 5.0, 3)

    def ask(number: int) -> None:
        for turn in range(20):
            word = f"{number} {turn}".encode()
            assert link.read(("ECHO", word), ("ECHO", word)) == [word, word]
            put(link)

    at_once([lambda number=number: ask(number) for number in range(24)])
    assert client.get("count") == b"480"
    assert sum(one["name"] == "few" for one in client.client_list()) == 3


def test_as_many_connections_are_opened_as_are_allowed(server: RedisServer) -> None:
    link = Link(server.url, 5.0, 130)  # more than redis-py's own bound of 100
    waited = at_once([lambda: link.read(("BLPOP", "nothing comes", 0.3))] * 130)
    assert waited == [[None]] * 130


def test_when_all_connections_are_in_use_nobody_waits_longer_than_the_time_out(server: RedisServer) -> None:
    link = Link(server.url, 0.3, 1)
    connection = link._take()
    begun = time.monotonic()
    for ask in (lambda: put(link), lambda: link.read(("PING",))):
        with pytest.raises(StoreUnavailable):
            ask()
    assert 0.6 <= time.monotonic() - begun < 2
    waiting = threading.Timer(0.05, lambda: link._give(connection))
    waiting.start()
    assert link.read(("PING",)) == [b"PONG"], "who waits is told"
    waiting.join()


def test_a_connection_that_was_idle_for_long_is_opened_anew(server: RedisServer) -> None:
    with proxy_to(server) as proxy:
        link = Link(proxy.url, 1.0, 1, idle_s=0.0)
        was = link.read(("CLIENT", "ID"))
        assert link.read(("CLIENT", "ID")) != was
        patient = Link(proxy.url, 1.0, 1, idle_s=60.0)
        was = patient.read(("CLIENT", "ID"))
        assert patient.read(("CLIENT", "ID")) == was


def test_a_broken_connection_takes_the_idle_ones_with_it(server: RedisServer) -> None:
    with proxy_to(server) as proxy:
        link = Link(proxy.url, 5.0, 4)
        at_once([lambda: link.read(("BLPOP", "nothing comes", 0.1))] * 4)
        proxy.plan(("ECHO", Fault.LOSE_COMMAND))
        assert link.read(("ECHO", "again")) == [b"again"]
        assert sum(connection.is_connected for connection, _ in link._idle) == 1


def test_greenlets_killed_in_the_middle_of_an_exchange_leave_nothing_behind(own_redis: RedisServer) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.greenlets", own_redis.url, str(own_redis.pid)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
