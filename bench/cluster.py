"""A cluster of three masters and three replicas on this machine: what a write costs there, and a dead master.

Six servers share the cores with the writer, so rates mean nothing here; CPU times and the waits of a single writer do.
"""

import itertools
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import msgspec

from bench.results import Result, Say, table
from bench.times import quantile
from service.store.errors import StoreError
from service.store.link import Link, Script
from service.store.port import Swap
from service.store.redis import SWAP, RedisStore
from service.store.site import Site
from tests.support.cluster import NODE_TIMEOUT_MS, Cluster, cluster_of
from tests.support.server import redis_server

LIVE, EVENTS = b"x" * 300, [b"e" * 160, b"e" * 160]
"""About what a move of Onda writes."""

TIMEOUT_S = 2.0
BY_SHARD, TO_ALL = "cluster, news by shard", "the same, news to every node (not what it does)"
HOUR_MS = 3_600_000


class Written(msgspec.Struct, frozen=True):
    """What one writer's swaps cost: by the clock, the writer's CPU, each server's CPU; microseconds each."""

    median_us: float
    p99_us: float
    own_us: float
    servers_us: dict[int, float]


class Way(msgspec.Struct, frozen=True):
    """A way to write: the store, a match, and the servers: its master, that one's replica, the others."""

    name: str
    store: RedisStore
    match: str
    master: int
    replica: list[int]
    others: list[int]


def measure_all(rounds: int, swaps: int, failovers: int, say: Say) -> Result:
    """What a swap costs on one server and on a cluster, told the two ways; and how long a dead master is missed."""
    with (
        _folder() as home,
        redis_server(home / "one", appendfsync="no") as server,
        cluster_of(home / "many", appendfsync="no") as cluster,
    ):
        alone = Way("one server, no replica", RedisStore(Link(server.url, TIMEOUT_S, 4)), "alone", server.pid, [], [])
        ways = [alone, _way(cluster, BY_SHARD), _way(cluster, "the same, STORE_REPLICAS=1", replicas=1)]
        ways.append(_way(cluster, TO_ALL, classic=True))
        taken: dict[str, list[Written]] = {way.name: [] for way in ways}
        for number in range(1, rounds + 1):
            idle = _idle([node.pid for node in cluster.nodes])
            for way in ways:
                taken[way.name].append(write(way, idle, swaps))
            say(f"Cluster, round {number} of {rounds}: {taken[ways[1].name][-1].median_us:.0f} us a swap")
        rows = [_row(way, taken[way.name]) for way in ways]
        missed = [_failover(cluster) for _ in range(failovers)]
        say(f"Cluster: a dead master is missed for {', '.join(f'{each:.1f}' for each in missed)} s")
    heads = ["", "median us", "p99 us", "writer CPU us", "its master CPU us", "its replica CPU us", "other node CPU us"]
    said = (
        f"One writer, one swap after another (a position and two events, {len(LIVE) + sum(map(len, EVENTS))} bytes), "
        "not synced to a disk. CPU times are for each swap, without what nodes do when nothing is asked of them."
    )
    died = (
        f"A master is killed while it is written to, with `cluster-node-timeout` {NODE_TIMEOUT_MS} ms: its replica "
        f"took the first write after {median(missed):.1f} s (median of {failovers}; {max(missed):.1f} s at the worst)."
    )
    return Result("A cluster", f"{said}\n\n{table(heads, rows)}\n\n{died}", [])


def write(way: Way, idle: dict[int, float], swaps: int) -> Written:
    """Write to one match, again and again. `idle`: CPU seconds a second that servers take for nothing."""
    servers = [way.master, *way.replica, *way.others]
    stored = way.store.load(way.match)
    last = b"" if stored is None else stored.write
    took, before = [], {pid: _cpu_s(pid) for pid in servers}
    began, own = time.perf_counter(), time.process_time()
    for _ in range(swaps):
        swap = Swap(
            expected=last, write=uuid.uuid4().bytes, live=LIVE, head=b"", ttl_ms=HOUR_MS, moves=[b"m"], events=EVENTS
        )
        begun = time.perf_counter()
        assert way.store.swap(way.match, swap)
        took.append(time.perf_counter() - begun)
        last = swap.write
    own, passed = time.process_time() - own, time.perf_counter() - began
    spent = {pid: _cpu_s(pid) - was - passed * idle.get(pid, 0) for pid, was in before.items()}
    per_swap = {pid: 1e6 * each / swaps for pid, each in spent.items()}
    return Written(1e6 * median(took), 1e6 * quantile(took, 0.99), 1e6 * own / swaps, per_swap)


def _way(cluster: Cluster, name: str, replicas: int = 0, classic: bool = False) -> Way:
    store = RedisStore(Site(cluster.url, TIMEOUT_S).link(4, replicas))
    if classic:
        store._swap = Script(SWAP.text, SWAP.lasting)
    master = cluster.master_of(f"sb:{{{name}}}")
    replica = cluster.replica_of(master)
    others = [node.pid for node in cluster.nodes if node not in (master, replica)]
    return Way(name, store, name, master.pid, [replica.pid], others)


def _idle(servers: list[int]) -> dict[int, float]:
    before = {pid: _cpu_s(pid) for pid in servers}
    time.sleep(1)
    return {pid: _cpu_s(pid) - was for pid, was in before.items()}


def _row(way: Way, taken: list[Written]) -> list[str]:
    columns = [[each.median_us for each in taken], [each.p99_us for each in taken], [each.own_us for each in taken]]
    groups = ([way.master], way.replica, way.others)
    columns += [[each.servers_us[pid] for each in taken for pid in servers] for servers in groups]
    return [way.name, *(f"{max(0.0, median(column)):.1f}" if column else "" for column in columns)]


def _failover(cluster: Cluster) -> float:
    """Kill a master that is written to, and give the seconds until its matches can be written again."""
    store = RedisStore(Site(cluster.url, TIMEOUT_S).link(4))
    victim = cluster.masters_now()[0]
    match = next(each for each in map(str, itertools.count()) if cluster.master_of(f"sb:{{{each}}}") is victim)
    store.load(match)
    victim.kill()
    killed = time.monotonic()
    for number in itertools.count():
        try:
            store.swap(match, Swap(expected=b"", write=b"%d" % number, live=b"", head=b"", ttl_ms=HOUR_MS))
        except StoreError:
            time.sleep(0.01)
        else:
            break
    took = time.monotonic() - killed
    victim.start()
    cluster.wait_until_whole()
    return took


def _cpu_s(pid: int) -> float:
    """CPU time of a process, threads included, finer than the clock ticks of `times.cpu_s`."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="shorebreak-bench-") as home:
        yield Path(home)
