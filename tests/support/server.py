"""Real servers for tests: a Redis that can be killed, frozen and started again, and real web servers.

They are started with the very commands that `make run` uses, die with the test process, and keep all they write in
the folder that they are given.
"""

import contextlib
import itertools
import os
import signal
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import redis

from service.run import embedded, web
from service.run.child import Child
from service.settings import Settings
from tests.support.processes import processes
from tests.support.waiting import eventually


class RedisServer:
    """One Redis server on a unix socket, with its append-only file in `home`. Not started yet when made.

    `options` are further settings of the server, such as maxmemory="3mb".
    """

    def __init__(self, home: Path, **options: str) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.address = embedded.socket_path(home)
        self.url = f"unix://{self.address}"
        self.options = options
        self.child: Child | None = None

    def start(self) -> None:
        """Start it on whatever `home` holds, and wait until it answers."""
        assert self.child is None or self.child.ended, "it runs already"
        self.address.unlink(missing_ok=True)
        line = embedded.command(embedded.find_binary(), self.home, self.address)
        for name, value in self.options.items():
            line += [f"--{name.replace('_', '-')}", value]
        child = Child(
            "redis",
            line,
            environ=os.environ,
            log=self.home / "server.log",
            stop_within_s=20,
            death_signal=signal.SIGKILL,
        )
        self.child = child
        eventually(lambda: embedded.answers(child, self.url), "redis answers")

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        assert self.child is not None, "it was never started"
        return self.child.process.pid

    def kill(self) -> None:
        """kill -9: what a crash leaves behind. `start` again to come back on the same data."""
        assert self.child is not None, "it was never started"
        os.kill(self.pid, signal.SIGCONT)
        self.child.kill()

    def freeze(self) -> None:
        """SIGSTOP: connections stay open and nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT: go on, and answer what has come in meanwhile."""
        os.kill(self.pid, signal.SIGCONT)

    def stop(self) -> None:
        """The orderly way; nothing happens if it is gone."""
        if self.child is not None and not self.child.ended:
            self.thaw()
            self.child.stop()

    def client(self) -> "redis.Redis":
        """A plain client of its own, without retries, that waits five seconds at most."""
        return redis.Redis.from_url(self.url, socket_timeout=5, retry=None)


@contextlib.contextmanager
def redis_server(home: Path, **options: str) -> Iterator[RedisServer]:
    """A started server, gone when the block ends, whatever happened to it inside."""
    server = RedisServer(home, **options)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class WebServer:
    """A running gunicorn with gevent workers, as `python -m service run` starts it."""

    def __init__(self, settings: Settings, child: Child) -> None:
        self.settings = settings
        self.child = child
        self.url = web.address(settings)

    def workers(self) -> list[int]:
        """The process ids of its workers, as the system knows them now."""
        return [process.pid for process in processes() if process.parent == self.child.process.pid]

    def wait_until_ready(self) -> None:
        """Until /readyz answers 200. Fails with its last log lines if the server ends instead."""
        eventually(lambda: web.answers(self.child, self.settings), "the web server is ready", within_s=30)

    def logged(self) -> str:
        """All that it has written so far."""
        assert self.child.log is not None
        return self.child.log.read_text(errors="replace")


@contextlib.contextmanager
def web_server(
    home: Path, redis_url: str, *, command: Sequence[str] = web.COMMAND, ready: bool = True, **settings: Any
) -> Iterator[WebServer]:
    """Real web servers on a free port of 127.0.0.1 and that Redis, with these further Settings; gone after the block.

    ready=False does not wait for /readyz, for tests in which Redis is away.
    """
    home.mkdir(parents=True, exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        chosen = Settings(port=listener.getsockname()[1], redis_url=redis_url, data_dir=home, **settings)
        child = web.start(chosen, listener, command, log=home / "web.log")
    server = WebServer(chosen, child)
    try:
        if ready:
            server.wait_until_ready()
        yield server
    finally:
        child.stop()


_PORTS = itertools.cycle(range(12_000 + os.getpid() * 97 % 10_000, 32_000))


def free_port() -> int:
    """A port that is free, for servers that open their own. Below those that systems give to whoever asks for any, and
    for each process of tests another one: nobody takes it before that server does."""
    for port in _PORTS:
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("a cycle has no end")
