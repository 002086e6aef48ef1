"""boardgame.io's server beside ours: a card game of `boardgame/` on it, played over its own client transport.

It needs node 20 or later and npm, and installs what `boardgame/package-lock.json` names, the first time.
"""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.times import quantile

HOME = Path(__file__).with_name("boardgame")
ADDRESS = re.compile(r"answers at http://127\.0\.0\.1:(\d+)")
OLDEST_NODE = 20
MOVES_A_MATCH = 312
MOST_MOVES_A_SECOND = 6_000
"""So many are prepared."""


class Counted(msgspec.Struct, frozen=True):
    """What came of it. Times are milliseconds from sending a move: until its own seat has the server's new state, and
    until all four have. `cpu_s` is the server's, `own_cpu_s` that of the seats."""

    confirmed: list[float]
    told: list[float]
    pushes: int
    bytes: int
    seconds: float
    cpu_s: list[float]
    own_cpu_s: float


def missing() -> str | None:
    """Why it can't be measured here, or None. Installs it where that has not been done."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "there is no node with npm here (Debian: apt-get install nodejs npm)"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.lstrip("v").partition(".")[0]) < OLDEST_NODE:
        return f"node {version} is older than {OLDEST_NODE}"
    if not installed():
        done = subprocess.run(["npm", "ci", "--no-progress"], cwd=HOME, capture_output=True, text=True)
        if done.returncode:
            return f"npm could not install what {HOME.name}/package-lock.json names: {done.stderr.strip()[-400:]}"
    return None


def versions() -> str:
    """What is measured: the versions of the packages and of node."""
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return f"boardgame.io {_version('boardgame.io')}, koa-compose {_version('koa-compose')}, node {node}"


def installed() -> bool:
    """Whether what is there is what the lock file names; npm notes that in a copy of it."""
    noted = HOME / "node_modules" / ".package-lock.json"
    return noted.exists() and noted.stat().st_mtime >= (HOME / "package-lock.json").stat().st_mtime


def _version(package: str) -> str:
    described = (HOME / "node_modules" / package / "package.json").read_bytes()
    return str(msgspec.json.decode(described)["version"])


@contextlib.contextmanager
def running() -> Iterator[tuple[int, int]]:
    """(port, process id) of a fresh server, stopped after the block."""
    environ = {**os.environ, "NODE_ENV": "production"}
    server = subprocess.Popen(["node", "server.js"], cwd=HOME, env=environ, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        for line in server.stdout:
            if found := ADDRESS.search(line):
                yield int(found[1]), server.pid
                break
        else:
            raise SystemExit("boardgame.io's server did not start")
    finally:
        server.terminate()
        server.communicate()


def play(tables: int, measure_s: float) -> Counted:
    """Four seats at each of so many tables play on a fresh server, whoever is to move at once."""
    warm_s = max(1.0, measure_s / 4)  # node compiles what runs often, which takes it a moment
    matches = 2 + round(MOST_MOVES_A_SECOND * (warm_s + measure_s) / tables / MOVES_A_MATCH)
    with running() as (port, pid):
        plan = {
            "port": port,
            "tables": tables,
            "matches": matches,
            "warm_s": warm_s,
            "measure_s": measure_s,
            "watch": [pid],
        }
        done = subprocess.run(
            ["node", "seats.js"], cwd=HOME, input=msgspec.json.encode(plan), stdout=subprocess.PIPE, check=True
        )
    return msgspec.json.decode(done.stdout, type=Counted)


class Moves(msgspec.Struct, frozen=True):
    """The same, summed up: a second, CPU microseconds a move, milliseconds, and bytes that the four seats got."""

    rate: float
    server_us: float
    seats_us: float
    confirmed_ms: tuple[float, float]
    told_ms: tuple[float, float]
    pushes: float
    bytes: float


def moves(tables: int, measure_s: float) -> Moves:
    """`play`, summed up: pairs are (median, p99)."""
    counted = play(tables, measure_s)
    made = len(counted.confirmed)
    return Moves(
        rate=made / counted.seconds,
        server_us=1e6 * sum(counted.cpu_s) / made,
        seats_us=1e6 * counted.own_cpu_s / made,
        confirmed_ms=(quantile(counted.confirmed, 0.5), quantile(counted.confirmed, 0.99)),
        told_ms=(quantile(counted.told, 0.5), quantile(counted.told, 0.99)),
        pushes=counted.pushes / made,
        bytes=counted.bytes / made,
    )
