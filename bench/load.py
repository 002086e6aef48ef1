"""The load generator: one process, keep-alive connections, raw sockets, as little work for each answer as can be.

`python -m bench.load` reads a Plan as msgpack from standard input and prints a Load as JSON. A line is a row of
requests of which one is under way at a time, the next one when the answer to the last is complete; each goes over the
connection that it names: a match is a line, and its seats have a connection each.
"""

import contextlib
import os
import select
import socket
import sys
import time

import msgspec

from bench.times import cpu_s, quantile

HEAD_END = b"\r\n\r\n"
LENGTH = b"Content-Length: "
RECEIVE = 65_536

Requests = list[tuple[int, bytes]]
"""(which connection of its line, the request to the byte) in their order."""


class Plan(msgspec.Struct):
    """What to send. `lines` has the requests of each line; `watch` are the processes whose CPU time is read."""

    port: int
    status: int
    lines: list[Requests]
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


class RanOut(Exception):
    """A line has no more requests: from here on there would be less load than was asked for."""


class Line:
    """One line: its connections, and where it stands in its requests."""

    def __init__(self, port: int, requests: Requests) -> None:
        self.sockets = [connect(port) for _ in range(1 + max(number for number, _ in requests))]
        self.requests = requests
        self.next = 0
        self.buffer = b""
        self.sent_at = 0.0


def connect(port: int) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def drive(plan: Plan) -> Load:
    """Send for `warm_s`, then for `measure_s` with the clock running, or until a line has run out of requests.

    Fails on the first answer of another status.
    """
    lines = [Line(plan.port, requests) for requests in plan.lines]
    watched = [*plan.watch, os.getpid()]
    waits: list[float] = []
    sizes: list[int] = []
    with select.epoll() as poll:
        for line in lines:
            for each in line.sockets:
                poll.register(each, select.EPOLLIN)
            send(line, plan.again)
        try:
            drive_until(poll, lines, plan, time.perf_counter() + plan.warm_s, [], [])
        except RanOut:
            raise SystemExit("a line ran out of requests before it was measured: prepare more matches") from None
        cpu, begun = [cpu_s(pid) for pid in watched], time.perf_counter()
        with contextlib.suppress(RanOut):
            drive_until(poll, lines, plan, begun + plan.measure_s, waits, sizes)
        seconds = time.perf_counter() - begun
        used = [cpu_s(pid) - before for pid, before in zip(watched, cpu, strict=True)]
    for line in lines:
        for each in line.sockets:
            each.close()
    return Load(
        answers=len(waits),
        seconds=seconds,
        cpu_s=used[:-1],
        own_cpu_s=used[-1],
        bytes_each=sum(sizes) / len(waits),
        median_ms=1000 * quantile(waits, 0.5),
        p99_ms=1000 * quantile(waits, 0.99),
    )


def drive_until(
    poll: select.epoll, lines: list[Line], plan: Plan, end: float, waits: list[float], sizes: list[int]
) -> None:
    """Answer each answer with the next request. Adds the time that each took, and its bytes. Raises `RanOut`."""
    expected = f"HTTP/1.1 {plan.status} ".encode()
    by_number = {each.fileno(): (line, each) for line in lines for each in line.sockets}
    now = time.perf_counter()
    while now < end:
        for number, _ in poll.poll(1.0):
            line, connection = by_number[number]
            received = connection.recv(RECEIVE)
            if not received:
                raise SystemExit("the server closed a connection")
            line.buffer += received
            if not complete(line.buffer):
                continue
            if not line.buffer.startswith(expected):
                raise SystemExit(f"expected {plan.status}, got {line.buffer.decode(errors='replace')}")
            now = time.perf_counter()
            waits.append(now - line.sent_at)
            sizes.append(len(line.buffer))
            send(line, plan.again)
        now = time.perf_counter()


def send(line: Line, again: bool) -> None:
    """The line's next request. Raises `RanOut` where there is none."""
    if line.next == len(line.requests):
        if not again:
            raise RanOut
        line.next = 0
    number, request = line.requests[line.next]
    line.buffer = b""
    line.next += 1
    line.sent_at = time.perf_counter()
    line.sockets[number].sendall(request)


def complete(received: bytes) -> bool:
    """Whether a whole answer is here."""
    return length(received) is not None


def length(received: bytes) -> int | None:
    """How long the first answer here is, if it is whole. All servers that are measured spell Content-Length so."""
    head = received.find(HEAD_END)
    if head < 0:
        return None
    at = received.index(LENGTH, 0, head + 2) + len(LENGTH)
    whole = head + len(HEAD_END) + int(received[at : received.index(b"\r", at)])
    return whole if len(received) >= whole else None


if __name__ == "__main__":
    plan = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Plan)
    sys.stdout.buffer.write(msgspec.json.encode(drive(plan)))
