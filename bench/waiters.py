"""Many who wait: one process that opens streams, posts moves at a steady pace and notes when each is told of.

`python -m bench.waiters` reads Waiting as msgpack from standard input. It opens all streams, prints a line, waits for a
line, posts, and prints Told as JSON.
"""

import re
import select
import socket
import sys
import time
from collections import deque
from datetime import datetime

import msgspec

from bench.load import complete, connect

AT = re.compile(rb'"seq":(\d+),.*?"at":"([^"]+)"')
POSTERS = 16


class Waiting(msgspec.Struct):
    """`streams` are requests that are answered by streams; `moves` are posted `rate` a second, after `warm` of them."""

    port: int
    streams: list[bytes]
    moves: list[bytes]
    rate: float
    warm: int


class Told(msgspec.Struct):
    """What came of it, without the warm-up. Times are milliseconds from the event's own time to its arrival."""

    deliveries: int
    seconds: float
    median_ms: float
    p99_ms: float
    worst_ms: float
    posted_late_ms: float


def opened(waiting: Waiting) -> list[socket.socket]:
    """Every stream, once it has said everything that there was to say: its first events."""
    lines = []
    for request in waiting.streams:
        line = connect(waiting.port)
        line.sendall(request)
        said = b""
        while b'"type":"match_started"' not in said:
            said += line.recv(65_536)
        lines.append(line)
    return lines


def post_and_watch(waiting: Waiting, lines: list[socket.socket]) -> tuple[list[tuple[float, bytes]], float, float]:
    """(arrivals after the warm-up, how long they took in all, how late the latest post was)."""
    arrivals: list[tuple[float, bytes]] = []
    free = deque(connect(waiting.port) for _ in range(POSTERS))
    busy: dict[int, tuple[socket.socket, bytes]] = {}
    streams = {line.fileno(): line for line in lines}
    late_s, measured_from = 0.0, 0.0
    with select.epoll() as poll:
        for line in (*lines, *free):
            poll.register(line, select.EPOLLIN)
        begun, sent = time.time(), 0
        while sent < len(waiting.moves) or busy:
            due = begun + sent / waiting.rate
            now = time.time()
            if sent < len(waiting.moves) and now >= due and free:
                if sent == waiting.warm:
                    measured_from, late_s = now, 0.0
                    arrivals.clear()
                late_s = max(late_s, now - due)
                poster = free.popleft()
                poster.sendall(waiting.moves[sent])
                busy[poster.fileno()] = (poster, b"")
                sent += 1
                continue
            for number, _ in poll.poll(max(0.0, min(due - now, 1.0)) if free and sent < len(waiting.moves) else 1.0):
                if number in streams:
                    arrivals.append((time.time(), streams[number].recv(65_536)))
                else:
                    poster, said = busy.pop(number)
                    said += poster.recv(65_536)
                    if complete(said):
                        if not said.startswith(b"HTTP/1.1 201"):
                            raise SystemExit(said.decode())
                        free.append(poster)
                    else:
                        busy[number] = (poster, said)
        seconds = time.time() - measured_from
        for _ in range(50):  # the last of them may still be on their way
            for number, _ in poll.poll(0.01):
                if number in streams:
                    arrivals.append((time.time(), streams[number].recv(65_536)))
    return arrivals, seconds, late_s


def summed_up(arrivals: list[tuple[float, bytes]], seconds: float, late_s: float) -> Told:
    """Every event that arrived is a delivery: of a move's events, the first stands for all of them."""
    waits = []
    for at, said in arrivals:
        found = AT.search(said)
        if found is not None:
            waits.append(1000 * (at - datetime.fromisoformat(found[2].decode()).timestamp()))
    waits.sort()
    return Told(
        deliveries=len(waits),
        seconds=seconds,
        median_ms=waits[len(waits) // 2],
        p99_ms=waits[len(waits) * 99 // 100],
        worst_ms=waits[-1],
        posted_late_ms=1000 * late_s,
    )


def main() -> None:
    size = int(sys.stdin.buffer.readline())
    waiting = msgspec.msgpack.decode(sys.stdin.buffer.read(size), type=Waiting)
    lines = opened(waiting)
    sys.stdout.write("open\n")
    sys.stdout.flush()
    sys.stdin.buffer.readline()
    told = summed_up(*post_and_watch(waiting, lines))
    sys.stdout.write(msgspec.json.encode(told).decode() + "\n")


if __name__ == "__main__":
    main()
