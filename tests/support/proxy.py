"""A network that loses things on purpose: a proxy that stands between the service and its Redis server.

It reads whole commands and whole answers, so that a test can say which command, or which answer, gets lost, and count
what was sent.
"""

import contextlib
import select
import socket
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from typing import BinaryIO

from tests.support.server import RedisServer
from tests.support.waiting import eventually

HANDSHAKE = ("CLIENT",)
"""What a client sends by itself on a fresh connection: not counted, not broken."""


class Fault(Enum):
    """What becomes of one command."""

    LOSE_COMMAND = "it never arrives, and the connection breaks"
    SWALLOW_COMMAND = "it never arrives, and nothing is heard"
    LOSE_ANSWER = "it runs, and the connection breaks before its answer"
    SWALLOW_ANSWER = "it runs, and nothing is heard"
    DELAY = "it arrives when the test says so, even if nobody waits for it any more"


Plan = tuple[str, Fault]
Command = list[bytes]


class Proxy:
    """Listens on a port of 127.0.0.1 and hands on to one Redis server; everything passes until told otherwise."""

    def __init__(self, server: RedisServer) -> None:
        self._behind = str(server.address)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._lock = threading.Lock()
        self._plans: list[Plan] = []
        self._hook: tuple[str, Callable[[], object]] | None = None
        self._go_on = threading.Event()
        self._sockets: list[socket.socket] = []
        self.commands: list[Command] = []
        """All that was sent since the last `forget`, one entry each."""
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"
        threading.Thread(target=self._accept, daemon=True).start()

    def plan(self, *plans: Plan) -> None:
        """Break these, in this order: each waits for the next command of its name; the others pass."""
        self._go_on.clear()
        with self._lock:
            self._plans = list(plans)

    def before(self, name: str, call: Callable[[], object]) -> None:
        """Call this once, just before the next command of this name is handed on (or broken, as planned)."""
        self._hook = (name, call)

    def until_met(self) -> None:
        """Wait until all that was planned has happened (a delayed command: has been held back)."""
        eventually(lambda: not self._plans, "all planned faults have happened")

    def deliver(self) -> None:
        """Let delayed commands arrive."""
        self._go_on.set()

    def forget(self) -> None:
        """Count from now on."""
        self.commands.clear()

    def names(self) -> list[str]:
        """The names of the commands since `forget`."""
        return [command[0].decode().upper() for command in list(self.commands)]

    def close(self) -> None:
        """Hang up on everybody."""
        self._go_on.set()
        for one in [self._listener, *self._sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        self._sockets += [client, server]
        with client, server, contextlib.suppress(OSError, EOFError, ValueError):
            server.connect(self._behind)
            threading.Thread(target=_hang_up_with, args=(server, client), daemon=True).start()
            with client.makefile("rb") as asked, server.makefile("rb") as answered:
                while self._hand_on(client, server, asked, answered):
                    pass

    def _hand_on(self, client: socket.socket, server: socket.socket, asked: BinaryIO, answered: BinaryIO) -> bool:
        """One command; False when the connection is to be closed."""
        raw, command = _command(asked)
        fault = self._note(command)
        if self._hook is not None and self._hook[0] == command[0].decode().upper():
            (_, call), self._hook = self._hook, None
            call()
        if fault is Fault.LOSE_COMMAND:
            return False
        if fault is Fault.SWALLOW_COMMAND:
            return _until_gone(client)
        if fault is Fault.DELAY:
            self._go_on.wait()
        server.sendall(raw)
        answer = _answer(answered)
        if fault is Fault.LOSE_ANSWER:
            return False
        if fault is Fault.SWALLOW_ANSWER:
            return _until_gone(client)
        client.sendall(answer)
        return True

    def _note(self, command: Command) -> Fault | None:
        name = command[0].decode().upper()
        if name in HANDSHAKE:
            return None
        with self._lock:
            self.commands.append(command)
            if self._plans and self._plans[0][0] == name:
                return self._plans.pop(0)[1]
        return None


@contextlib.contextmanager
def proxy_to(server: RedisServer) -> Iterator[Proxy]:
    """A proxy, gone when the block ends."""
    proxy = Proxy(server)
    try:
        yield proxy
    finally:
        proxy.close()


def _command(stream: BinaryIO) -> tuple[bytes, Command]:
    """The next command: as it was sent, and its words."""
    head = _line(stream)
    raw, words = [head], []
    for _ in range(int(head[1:])):
        size = _line(stream)
        word = _exactly(stream, int(size[1:]) + 2)
        raw += [size, word]
        words.append(word[:-2])
    return b"".join(raw), words


def _answer(stream: BinaryIO) -> bytes:
    """The next answer, whole."""
    head = _line(stream)
    kind, size = head[:1], head[1:-2]
    if kind == b"$" and size != b"-1":
        return head + _exactly(stream, int(size) + 2)
    if kind == b"*" and size != b"-1":
        return head + b"".join(_answer(stream) for _ in range(int(size)))
    return head


def _line(stream: BinaryIO) -> bytes:
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise EOFError
    return line


def _exactly(stream: BinaryIO, size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found


def _hang_up_with(server: socket.socket, client: socket.socket) -> None:
    """When the server closes, so does the proxy."""
    look = select.poll()
    with contextlib.suppress(OSError, ValueError):  # the connection has ended by itself
        look.register(server, select.POLLRDHUP)
        while not look.poll(200):
            if server.fileno() < 0:
                return
        client.shutdown(socket.SHUT_RDWR)


def _until_gone(client: socket.socket) -> bool:
    """Say nothing until the other side gives up."""
    while client.recv(65_536):
        pass
    return False
