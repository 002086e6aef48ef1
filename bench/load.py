"""The load generator: one process, 32 keep-alive connections, raw sockets, as little work for each answer as can be.

`python -m bench.load` reads a Plan as msgpack from standard input and prints a Load as JSON. Each connection sends its
requests in order, the next one when the answer to the last is complete; the plan says whether to start over at its end.
"""

import os
import select
import socket
import sys
import time
from pathlib import Path

import msgspec

HEAD_END = b"\r\n\r\n"
LENGTH = b"Content-Length: "
RECEIVE = 65_536


class Plan(msgspec.Struct):
    """What to send. `requests` has a list for each connection; `watch` are the processes whose CPU time is read."""

    port: int
    status: int
    requests: list[list[bytes]]
    again: bool
    warm_s: float
    measure_s: float
    watch: list[int]


class Load(msgspec.Struct):
    """What came of it, within the measured time. `cpu_s` has an entry for each watched process."""

    answers: int
    seconds: float
    cpu_s: list[float]
    own_cpu_s: float
    bytes_each: float
    median_ms: float
    p99_ms: float


class Line:
    """One connection, and where it stands in its requests."""

    def __init__(self, port: int, requests: list[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.requests = requests
        self.next = 0
        self.buffer = b""
        self.sent_at = 0.0


def drive(plan: Plan) -> Load:
    """Send for `warm_s`, then for `measure_s` with the clock running. Fails on the first answer of another status."""
    lines = [Line(plan.port, requests) for requests in plan.requests]
    watched = [*plan.watch, os.getpid()]
    with select.epoll() as poll:
        for line in lines:
            poll.register(line.socket, select.EPOLLIN)
            send(line, plan.again)
        drive_until(poll, lines, plan, time.perf_counter() + plan.warm_s)
        cpu, begun = [cpu_s(pid) for pid in watched], time.perf_counter()
        waits, size = drive_until(poll, lines, plan, begun + plan.measure_s)
        seconds = time.perf_counter() - begun
        used = [cpu_s(pid) - before for pid, before in zip(watched, cpu, strict=True)]
    for line in lines:
        line.socket.close()
    waits.sort()
    return Load(
        answers=len(waits),
        seconds=seconds,
        cpu_s=used[:-1],
        own_cpu_s=used[-1],
        bytes_each=size / len(waits),
        median_ms=1000 * waits[len(waits) // 2],
        p99_ms=1000 * waits[len(waits) * 99 // 100],
    )


def drive_until(poll: select.epoll, lines: list[Line], plan: Plan, end: float) -> tuple[list[float], int]:
    """Answer each answer with the next request. Gives the time that each took, and all bytes."""
    waits: list[float] = []
    size = 0
    expected = f"HTTP/1.1 {plan.status} ".encode()
    by_number = {line.socket.fileno(): line for line in lines}
    now = time.perf_counter()
    while now < end:
        for number, _ in poll.poll(1.0):
            line = by_number[number]
            received = line.socket.recv(RECEIVE)
            if not received:
                raise SystemExit("the server closed a connection")
            line.buffer += received
            if not complete(line.buffer):
                continue
            if not line.buffer.startswith(expected):
                raise SystemExit(f"expected {plan.status}, got {line.buffer.decode(errors='replace')}")
            now = time.perf_counter()
            waits.append(now - line.sent_at)
            size += len(line.buffer)
            send(line, plan.again)
        now = time.perf_counter()
    return waits, size


def send(line: Line, again: bool) -> None:
    """The line's next request."""
    if line.next == len(line.requests):
        if not again:
            raise SystemExit("a connection has run out of requests: prepare more matches")
        line.next = 0
    line.buffer = b""
    line.sent_at = time.perf_counter()
    line.socket.sendall(line.requests[line.next])
    line.next += 1


def complete(received: bytes) -> bool:
    """Whether a whole answer is here. All servers that are measured send Content-Length, spelt so."""
    head = received.find(HEAD_END)
    if head < 0:
        return False
    at = received.index(LENGTH, 0, head + 2) + len(LENGTH)
    return len(received) - head - len(HEAD_END) >= int(received[at : received.index(b"\r", at)])


def cpu_s(pid: int) -> float:
    """The CPU time of a process so far, user and system, to a hundredth of a second (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    plan = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Plan)
    sys.stdout.buffer.write(msgspec.json.encode(drive(plan)))
