"""A real HTTP endpoint on loopback that behaves as badly as a test wants, and remembers all that it was sent."""

import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks.webhooks import Webhook


@dataclass(frozen=True)
class Delivery:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> Any:
        """The event of the match that it tells of."""
        return json.loads(self.body)["data"]["event"]

    def signed_with(self, secret: str) -> bool:
        """Whether the signature verifies; the convention's own library says so, or raises."""
        Webhook(secret).verify(self.body, self.headers)
        return True


class Answering(BaseHTTPRequestHandler):
    """One request being answered. `receiver` is the endpoint."""

    server: "_Server"
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.close_connection = True
        self.receiver.take(self, Delivery(self.path, headers, body))

    @property
    def receiver(self) -> "Receiver":
        return self.server.receiver

    def status(self, code: int, **headers: str) -> None:
        """A whole, empty answer."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", "0")
        self.end_headers()

    def raw(self, text: str) -> None:
        """These very bytes, and nothing else."""
        self.wfile.write(text.encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Tests print their own lines."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    receiver: "Receiver"

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever hangs up on an endpoint that drips is right."""


Behaviour = Callable[[Answering], None]


class Receiver:
    """`behave` answers each request; `behaviours` are used up first, one a request. `closing` is set at the end."""

    def __init__(self, behave: Behaviour | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.behave = behave or (lambda answering: answering.status(204))
        self.behaviours: list[Behaviour] = []
        self.got: list[Delivery] = []
        self.closing = threading.Event()
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        self._tls = tls
        self._server: _Server | None = None
        self.port = 0
        self.come()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def ids(self) -> list[str]:
        return [delivery.id for delivery in self.got]

    def come(self) -> None:
        """Open the port; after `go` the same one again."""
        self._server = _Server(("127.0.0.1", self.port), Answering)
        self._server.receiver = self
        if self._tls is not None:
            self._server.socket = self._tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def go(self) -> None:
        """Close the port."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def take(self, answering: Answering, delivery: Delivery) -> None:
        with self._lock:
            self.got.append(delivery)
            behave = self.behaviours.pop(0) if self.behaviours else self.behave
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            behave(answering)
        finally:
            with self._lock:
                self.at_once -= 1


@contextlib.contextmanager
def receiver(behave: Behaviour | None = None, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """An open endpoint, closed after the block along with whatever it makes wait."""
    opened = Receiver(behave, tls)
    try:
        yield opened
    finally:
        opened.closing.set()
        opened.go()
