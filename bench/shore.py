"""A fresh server for each figure: `python -m service run` (or the bare site in its place) in a folder of its own."""

import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from bench import disk

SHOREBREAK = "service", "run"
HELLO = ("bench.hello",)
NO_LIMITS = {"CREATES_PER_MINUTE": "0", "CLAIMS_PER_MINUTE": "0"}
"""All matches are made from one address here, thousands a minute. The limit on moves stays: it is part of a move."""
ADDRESS = re.compile(r"answers at http://127\.0\.0\.1:(\d+)")


class Shore:
    """A running server: its port, and its processes by what they do."""

    def __init__(self, port: int, web: list[int], redis: list[int], redis_socket: Path) -> None:
        self.port = port
        self.web = web
        self.redis = redis
        self.redis_socket = redis_socket
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None, key: str | None = None) -> Any:
        """One request, outside of what is measured; the answer's JSON. Fails unless it is a 2xx."""
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if key:
            headers["Idempotency-Key"] = key
        self._line.request(method, path, None if body is None else msgspec.json.encode(body), headers)
        answer = self._line.getresponse()
        said = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {said.decode()}")
        return msgspec.json.decode(said)

    def hang_up(self) -> None:
        """Close the connection that `ask` uses."""
        self._line.close()


@contextlib.contextmanager
def running(module: tuple[str, ...], within: Path | None = None, **settings: str) -> Iterator[Shore]:
    """The server of `python -m MODULE`, started, and stopped after the block; what it stored goes with it.

    `within` is where its folder is made (else on a disk: see bench/disk.py), `settings` are variables, such as
    WEB_WORKERS="1".
    """
    with tempfile.TemporaryDirectory(prefix="shorebreak-bench-", dir=within or disk.folder()) as folder:
        environ = {
            **os.environ,
            "DATA_DIR": folder,
            "PORT": str(free_port()),
            "HOST": "127.0.0.1",
            "REDIS_URL": "",
            **NO_LIMITS,
            **settings,
        }
        parent = subprocess.Popen([sys.executable, "-m", *module], env=environ, stdout=subprocess.PIPE, text=True)
        try:
            shore = _started(parent, Path(folder))
            yield shore
            shore.hang_up()
        finally:
            parent.send_signal(signal.SIGTERM)
            parent.communicate()


def _started(parent: "subprocess.Popen[str]", folder: Path) -> Shore:
    assert parent.stdout is not None
    for line in parent.stdout:
        found = ADDRESS.search(line)
        if found:
            children = {pid: _command(pid) for pid in _children(parent.pid)}
            (redis,) = [pid for pid, command in children.items() if "-server" in command]
            (master,) = [pid for pid, command in children.items() if "--listener" in command]
            return Shore(int(found[1]), _children(master), [redis], folder / "redis" / "redis.sock")
    raise SystemExit("the server did not start")


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _children(parent: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()
