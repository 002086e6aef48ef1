"""A real cluster, and a real set behind Sentinels, on loopback: servers of the very program that `make run` starts.

They form it by the commands that any tool would send. Time-outs are short: a failover takes two or three seconds.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import redis
from redis.crc import key_slot

from service.run import embedded
from service.run.child import Child
from tests.support.server import RedisServer, free_port
from tests.support.waiting import eventually

SLOTS = 16_384
NODE_TIMEOUT_MS = 1_000
MASTER = "tide"


class Node(RedisServer):
    """A server that also answers on a port, for others of its kind."""

    def __init__(self, home: Path, **options: str) -> None:
        self.port = free_port()
        super().__init__(home, port=str(self.port), bind="127.0.0.1", repl_diskless_sync_delay="0", **options)

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def say(self, *command: Any) -> Any:
        """Send it a command."""
        with self.client() as client:
            return client.execute_command(*command)


class Cluster:
    """Masters of equal share, each with a replica. `nodes` has the masters of the beginning first."""

    def __init__(self, home: Path, masters: int, replicas: int, **options: str) -> None:
        self.masters = masters
        self.nodes = [
            Node(
                home / str(number),
                cluster_enabled="yes",
                cluster_port=str(free_port()),
                cluster_node_timeout=str(NODE_TIMEOUT_MS),
                cluster_require_full_coverage="no",
                **options,
            )
            for number in range(masters + replicas)
        ]

    @property
    def url(self) -> str:
        """Three of its nodes, as an operator would name them."""
        return "redis+cluster://" + ",".join(node.place for node in self.nodes[:3])

    def start(self) -> None:
        """Start all nodes, and wait until they are one cluster in which everybody knows everybody."""
        for node in self.nodes:
            node.start()
        first, *others = self.nodes
        for number, node in enumerate(self.nodes[: self.masters]):
            share = [round(SLOTS * end / self.masters) for end in (number, number + 1)]
            node.say("CLUSTER ADDSLOTSRANGE", share[0], share[1] - 1)
        for number, node in enumerate(self.nodes, 1):
            node.say("CLUSTER SET-CONFIG-EPOCH", number)
        for node in others:
            node.say("CLUSTER MEET", "127.0.0.1", first.port, first.options["cluster_port"])
        eventually(lambda: all(len(self.known_to(node)) == len(self.nodes) for node in self.nodes), "all have met")
        for number, node in enumerate(self.nodes[self.masters :]):
            master = self.nodes[number % self.masters]
            node.say("CLUSTER REPLICATE", master.say("CLUSTER MYID").decode())
        self.wait_until_whole()

    def wait_until_whole(self) -> None:
        """Until every slot is served, and every replica that runs follows its master."""
        eventually(lambda: all(self._is_well(node) for node in self._running()), "the cluster is whole", within_s=30)

    def known_to(self, node: Node) -> dict[str, Any]:
        known: dict[str, Any] = node.say("CLUSTER NODES")
        return known

    def master_of(self, key: str) -> Node:
        """The node that serves a key, as those say that run."""
        for node in self._running():
            for first, last, served, *_ in node.say("CLUSTER SLOTS"):
                if first <= key_slot(key.encode()) <= last:
                    return next(each for each in self.nodes if each.port == served[1])
        raise AssertionError(f"nobody serves {key}")

    def replica_of(self, master: Node) -> Node:
        """The replica of a master; all nodes must run."""
        roles = {node.port: node.say("ROLE") for node in self.nodes}
        return next(
            node for node in self.nodes if roles[node.port][0] == b"slave" and roles[node.port][2] == master.port
        )

    def masters_now(self) -> list[Node]:
        """The masters that run."""
        return [node for node in self._running() if node.say("ROLE")[0] == b"master"]

    def client(self) -> "redis.RedisCluster":
        """redis-py's own client, to look at what is stored."""
        node = self._running()[0]
        return redis.RedisCluster(host="127.0.0.1", port=node.port)

    def stop(self) -> None:
        for node in self._running():
            node.kill()

    def _running(self) -> list[Node]:
        return [node for node in self.nodes if node.child is not None and not node.child.ended]

    def _is_well(self, node: Node) -> bool:
        told = node.say("CLUSTER INFO")
        replication = node.say("INFO", "replication")
        follows = replication["role"] == "master" or replication.get("master_link_status") == "up"
        return told["cluster_state"] == "ok" and told["cluster_slots_ok"] == str(SLOTS) and follows


@contextlib.contextmanager
def cluster_of(home: Path, masters: int = 3, replicas: int = 3, **options: str) -> Iterator[Cluster]:
    """A whole cluster, gone when the block ends."""
    cluster = Cluster(home, masters, replicas, **options)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


class Watched:
    """A master with replicas, and three Sentinels that agree by two on who is the master."""

    def __init__(self, home: Path, replicas: int, **options: str) -> None:
        self.nodes = [Node(home / str(number), **options) for number in range(1 + replicas)]
        self.home = home
        self.ports = [free_port() for _ in range(3)]
        self.sentinels: list[Child] = []

    @property
    def url(self) -> str:
        places = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        return f"redis+sentinel://{places}/{MASTER}/0"

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        for node in self.nodes[1:]:
            node.say("REPLICAOF", "127.0.0.1", self.nodes[0].port)
        self.wait_until_whole()
        self.sentinels = [self._sentinel(port) for port in self.ports]
        others = (len(self.ports) - 1, len(self.nodes) - 1)
        eventually(lambda: all(self._sees(port) == others for port in self.ports), "the Sentinels know each other")

    def wait_until_whole(self) -> None:
        """Until every replica that runs follows."""

        def follows(node: Node) -> bool:
            told = node.say("INFO", "replication")
            return bool(told["role"] == "master" or told["master_link_status"] == "up")

        eventually(lambda: all(follows(node) for node in self._running()), "replicas follow", within_s=30)

    def master(self) -> Node:
        """The master, as most Sentinels see it."""
        said = [self.ask(port, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER) for port in self.ports]
        ports = [int(address[1]) for address in said]
        return next(node for node in self.nodes if node.port == max(ports, key=ports.count))

    def ask(self, port: int, *command: str) -> Any:
        with redis.Redis(port=port, socket_timeout=5, retry=None) as client:
            return client.execute_command(*command)

    def stop(self) -> None:
        for sentinel in self.sentinels:
            sentinel.kill()
        for node in self._running():
            node.kill()

    def _running(self) -> list[Node]:
        return [node for node in self.nodes if node.child is not None and not node.child.ended]

    def _sentinel(self, port: int) -> Child:
        settings = self.home / f"sentinel-{port}.conf"
        settings.write_text(
            f"port {port}\nbind 127.0.0.1\ndir {self.home}\n"
            f"sentinel monitor {MASTER} 127.0.0.1 {self.nodes[0].port} 2\n"
            f"sentinel down-after-milliseconds {MASTER} {NODE_TIMEOUT_MS}\n"
            f"sentinel failover-timeout {MASTER} 4000\n"
        )
        return Child(
            "sentinel",
            [str(embedded.find_binary()), str(settings), "--sentinel"],
            environ=os.environ,
            log=self.home / f"sentinel-{port}.log",
            stop_within_s=5,
            death_signal=signal.SIGKILL,
        )

    def _sees(self, port: int) -> tuple[int, int] | None:
        """How many other Sentinels, and how many replicas, one of them knows."""
        try:
            told = self.ask(port, "SENTINEL", "MASTER", MASTER)
        except redis.RedisError:
            return None
        return int(told[b"num-other-sentinels"]), int(told[b"num-slaves"])


@contextlib.contextmanager
def watched_by_sentinels(home: Path, replicas: int = 1, **options: str) -> Iterator[Watched]:
    """A master, its replicas and Sentinels, gone when the block ends."""
    watched = Watched(home, replicas, **options)
    try:
        watched.start()
        yield watched
    finally:
        watched.stop()
