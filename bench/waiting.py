"""Two thousand clients that wait on one web process: what each costs, and how soon it is told."""

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from bench.disk import IN_MEMORY
from bench.matches import get_stream, post_moves, prepare
from bench.results import Goal, Result, Say, figure, table
from bench.shore import SHOREBREAK, running
from bench.times import cpu_s
from bench.waiters import Told, Waiting
from engines import GAMES

CLIENTS = 2_000
SEATS = 4
DELIVERIES_A_SECOND = 800
BYTES_GOAL_KB = 30
DELIVERY_GOAL_MS = 10


def measure_all(seconds: float, say: Say) -> Result:
    """One run: every seat of five hundred matches follows its stream while moves are made in all of them."""
    bytes_each, cpu, told = measure(seconds)
    say(f"Waiting: {bytes_each:,.0f} bytes a client, p99 {told.p99_ms:.1f} ms")
    rows = [
        [
            f"{CLIENTS:,} streams",
            f"{bytes_each:,.0f}",
            f"{told.deliveries / told.seconds:,.0f}",
            f"{told.median_ms:.1f}",
            f"{told.p99_ms:.1f}",
            f"{told.worst_ms:.1f}",
            f"{cpu:.0%}",
            f"{told.posted_late_ms:.1f}",
        ]
    ]
    heads = ["", "bytes a client", "deliveries/s", "median ms", "p99 ms", "worst ms", "web CPU", "posted late by, ms"]
    goals = [
        Goal(f"A waiting client, of {CLIENTS:,} on one web process", bytes_each / 1000, BYTES_GOAL_KB, "KB", less=True),
        Goal(
            f"Delivery, p99 at {figure(told.deliveries / told.seconds)}/s to them",
            told.p99_ms,
            DELIVERY_GOAL_MS,
            "ms",
            less=True,
        ),
    ]
    return Result("Waiting clients", table(heads, rows), goals)


def measure(seconds: float) -> tuple[float, float, Told]:
    """(bytes of the web process for each client, its share of a core, what was told), on a fresh server."""
    rate = DELIVERIES_A_SECOND / SEATS
    warm = round(rate)
    rounds = -(-round(rate * (seconds + 1)) // (CLIENTS // SEATS))
    # In memory: what a disk takes to sync a write has nothing to do with waiting.
    with running(SHOREBREAK, IN_MEMORY, WEB_WORKERS="1") as shore:
        matches = [
            prepare(shore, GAMES["onda"], SEATS, f"wait {number}", at_least=rounds + 1)
            for number in range(CLIENTS // SEATS)
        ]
        posts = [post_moves(match) for match in matches]
        waiting = Waiting(
            port=shore.port,
            streams=[get_stream(match, seat) for match in matches for seat in range(SEATS)],
            moves=[moves[number][1] for number in range(rounds) for moves in posts],
            rate=rate,
            warm=warm,
        )
        shore.hang_up()
        (web,) = shore.web
        before = resident(web)
        with subprocess.Popen(
            [sys.executable, "-m", "bench.waiters"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as waiters:
            assert waiters.stdin is not None
            assert waiters.stdout is not None
            plan = msgspec.msgpack.encode(waiting)
            waiters.stdin.write(b"%d\n%s" % (len(plan), plan))
            waiters.stdin.flush()
            if waiters.stdout.readline() != b"open\n":
                raise SystemExit("the streams did not open")
            bytes_each = (resident(web) - before) / CLIENTS
            begun, used_s = time.monotonic(), cpu_s(web)
            waiters.stdin.write(b"go\n")
            waiters.stdin.flush()
            said = waiters.stdout.readline()
            cpu = (cpu_s(web) - used_s) / (time.monotonic() - begun)
        if not said:
            raise SystemExit("nothing was told")
        return bytes_each, cpu, msgspec.json.decode(said, type=Told)


def resident(pid: int) -> int:
    """The bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
