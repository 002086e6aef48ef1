"""Four seats at each of many tables, all of whom want every move: over streams, or by asking again and again.

`python -m bench.followers` reads Follow as msgpack from standard input and prints Followed as JSON. Whoever is to move
posts its move as soon as it has been told of the one before: by its stream, by the answer to its long poll, or by the
answer to its own move. A move has arrived once all four have been told of it, with the state as they may see it.
"""

import os
import re
import select
import socket
import sys
import time

import msgspec

from bench.load import RECEIVE, complete, connect, length
from bench.times import cpu_s

STATE = re.compile(rb'event: state\ndata: \{"state":\{"match":"[0-9a-f]+","seat":\d+,"version":(\d+).*?\n\n', re.DOTALL)
STREAM_END = b"\r\n0\r\n\r\n"
POLLED = re.compile(rb'\],"last":(\d+),"more":.*?"state":\{"match":"[0-9a-f]+","seat":\d+,"version":(\d+)', re.DOTALL)
PLAYED = re.compile(rb'\{"version":(\d+)')
SEQ = re.compile(rb'"seq":(\d+)')


class Match(msgspec.Struct):
    """One match: each seat's request for the feed (a long poll says `after=0&`), and its moves in order."""

    feeds: list[bytes]
    moves: list[tuple[int, bytes]]


class Follow(msgspec.Struct):
    """What to do. Each table plays its matches one after the other; `streams`: or else by long polls."""

    port: int
    streams: bool
    tables: list[list[Match]]
    warm_s: float
    measure_s: float
    watch: list[int]


class Followed(msgspec.Struct):
    """What came of it, within the measured time. Seconds from a move's being sent: to its answer, and until all four
    seats had been told of it. `told` counts seats that were told of a move, the mover itself included."""

    answered: list[float]
    arrived: list[float]
    told: int
    bytes: int
    seconds: float
    cpu_s: list[float]
    own_cpu_s: float


class Counts:
    """What is counted while it is measured."""

    def __init__(self) -> None:
        self.measuring = False
        self.answered: list[float] = []
        self.arrived: list[float] = []
        self.told = 0
        self.bytes = 0


class Table:
    """Four seats and their matches. `under_way`: (match, version) -> [sent at, how many are yet to be told]."""

    def __init__(self, follow: Follow, matches: list[Match], counts: Counts) -> None:
        self.matches = matches
        self.counts = counts
        self.under_way: dict[tuple[int, int], list[float]] = {}
        self.seats = [(Streamer if follow.streams else Poller)(self, number, follow.port) for number in range(4)]


class Seat:
    """One seat: which match it is at, the newest version it was told of, and the connection that its moves take."""

    def __init__(self, table: Table, number: int, port: int) -> None:
        self.table = table
        self.number = number
        self.port = port
        self.at = 0
        self.version = -1
        self.line = connect(port)
        self.buffer = b""
        self.sent_at = 0.0
        self.posted: list[int] = []

    @property
    def match(self) -> Match:
        if self.at == len(self.table.matches):
            raise SystemExit("a table has run out of matches: prepare more")
        return self.table.matches[self.at]

    @property
    def to_move(self) -> bool:
        moves = self.match.moves
        return 0 <= self.version < len(moves) and moves[self.version][0] == self.number

    @property
    def over(self) -> bool:
        return self.version == len(self.match.moves)

    def post(self) -> None:
        """Send the move that is due."""
        self.sent_at = time.perf_counter()
        self.posted.append(self.at)
        self.table.under_way[self.at, self.version + 1] = [self.sent_at, len(self.table.seats)]
        self.line.sendall(self.match.moves[self.version][1])

    def hear(self, version: int) -> None:
        """It has been told of all moves up to this version."""
        counts = self.table.counts
        for told in range(max(self.version, 0) + 1, version + 1):
            move = self.table.under_way[self.at, told]
            move[1] -= 1
            if counts.measuring:
                counts.told += 1
            if move[1] == 0:
                del self.table.under_way[self.at, told]
                if counts.measuring:
                    counts.arrived.append(time.perf_counter() - move[0])
        self.version = max(version, self.version)

    def answer_of_move(self, received: bytes) -> bytes | None:
        """The answer to a move, when it is complete."""
        self.buffer += received
        end = length(self.buffer)
        if end is None:
            return None
        answer, self.buffer = self.buffer[:end], self.buffer[end:]
        if not answer.startswith(b"HTTP/1.1 201 "):
            raise SystemExit(answer.decode(errors="replace"))
        if self.table.counts.measuring:
            self.table.counts.answered.append(time.perf_counter() - self.sent_at)
        return answer


class Streamer(Seat):
    """A seat with a stream beside the connection that its moves take."""

    def __init__(self, table: Table, number: int, port: int) -> None:
        super().__init__(table, number, port)
        self.stream = connect(port)
        self.heard = b""

    @property
    def lines(self) -> list[socket.socket]:
        return [self.line, self.stream]

    def open(self) -> None:
        """Ask for the stream of the match."""
        self.stream.sendall(self.match.feeds[self.number])

    def read(self, line: socket.socket, received: bytes) -> None:
        """Bytes from one of its connections."""
        if line is self.line:
            # A stream may have told of a move, of its match's end and of the next one's start before its answer comes.
            while (answer := self.answer_of_move(received)) is not None:
                received = b""
                if self.posted.pop(0) == self.at:
                    self.learn(_version(answer))
            return
        self.heard += received
        end = 0
        newest = None
        for found in STATE.finditer(self.heard):
            newest, end = int(found[1]), found.end()
        if newest is not None:
            self.heard = self.heard[end:]
            self.learn(newest)
        if self.over and self.heard.endswith(STREAM_END):  # a match's last event ends its streams
            self.at, self.version, self.heard = self.at + 1, -1, b""
            self.open()

    def learn(self, version: int) -> None:
        """The newest version that it was told of, one way or the other; each is heard once."""
        if version > self.version:
            self.hear(version)
            if self.to_move:
                self.post()


class Poller(Seat):
    """A seat that asks for the next events, and for the state, whenever it has nothing else to do."""

    def __init__(self, table: Table, number: int, port: int) -> None:
        super().__init__(table, number, port)
        self.last = 0
        self.posting = False

    @property
    def lines(self) -> list[socket.socket]:
        return [self.line]

    def open(self) -> None:
        """Ask for what comes after what it has."""
        self.line.sendall(self.match.feeds[self.number].replace(b"after=0&", b"after=%d&" % self.last))

    def read(self, _line: socket.socket, received: bytes) -> None:
        """Bytes from its connection."""
        if self.posting:
            answer = self.answer_of_move(received)
            if answer is None:
                return
            self.posting = False
            self.last = max(map(int, SEQ.findall(answer)))
            self.go_on(_version(answer))
            return
        self.buffer += received
        if complete(self.buffer):
            found = POLLED.search(self.buffer)
            if found is None:
                raise SystemExit(self.buffer.decode(errors="replace"))
            self.buffer = b""
            self.last = int(found[1])
            self.go_on(int(found[2]))

    def go_on(self, version: int) -> None:
        """Move if it is its turn, else ask on."""
        self.hear(version)
        if self.over:
            self.at, self.version, self.last = self.at + 1, -1, 0
        if self.to_move:
            self.posting = True
            self.post()
        else:
            self.open()


def _version(answer: bytes) -> int:
    found = PLAYED.search(answer)
    assert found is not None
    return int(found[1])


def follow(plan: Follow) -> Followed:
    """Play for `warm_s`, then for `measure_s` with everything counted."""
    counts = Counts()
    tables = [Table(plan, matches, counts) for matches in plan.tables]
    seats = {line.fileno(): (seat, line) for table in tables for seat in table.seats for line in seat.lines}
    watched = [*plan.watch, os.getpid()]
    with select.epoll() as poll:
        for number in seats:
            poll.register(number, select.EPOLLIN)
        for seat, line in seats.values():
            if line is seat.line:
                seat.open()
        _until(poll, seats, counts, time.perf_counter() + plan.warm_s)
        cpu, begun = [cpu_s(pid) for pid in watched], time.perf_counter()
        counts.measuring = True
        _until(poll, seats, counts, begun + plan.measure_s)
        seconds = time.perf_counter() - begun
        used = [cpu_s(pid) - before for pid, before in zip(watched, cpu, strict=True)]
    return Followed(counts.answered, counts.arrived, counts.told, counts.bytes, seconds, used[:-1], used[-1])


def _until(poll: select.epoll, seats: dict[int, tuple[Seat, socket.socket]], counts: Counts, end: float) -> None:
    while time.perf_counter() < end:
        for number, _ in poll.poll(1.0):
            seat, line = seats[number]
            received = line.recv(RECEIVE)
            if not received:
                raise SystemExit("the server closed a connection")
            if counts.measuring:
                counts.bytes += len(received)
            seat.read(line, received)


if __name__ == "__main__":
    plan = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Follow)
    sys.stdout.buffer.write(msgspec.json.encode(follow(plan)))
