"""One request and its answer on a connection: what gunicorn does about it, in fewer steps and with less left behind.

gunicorn sends the head of an answer and its body apart: two calls of the system, and for the client two reads. And for
as long as a stream lasts it keeps all that the request brought along, which for thousands who wait is much.
"""

import contextlib
import socket
from collections.abc import Sequence
from functools import lru_cache
from time import time
from typing import Any

from gunicorn.http import wsgi
from gunicorn.util import http_date

from service.environ import environ_of
from service.patience import Line

GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"
"""To a client that asks whether its body is welcome."""

_PLAIN = frozenset(
    (
        "Allow",
        "Cache-Control",
        "Content-Security-Policy",
        "Content-Type",
        "ETag",
        "Idempotent-Replayed",
        "Location",
        "Retry-After",
        "WWW-Authenticate",
        "X-Content-Type-Options",
        "X-Request-Id",
    )
)
"""Headers that ask nothing of the server: it need not look what their names mean."""

date_of = lru_cache(maxsize=2)(http_date)
"""A second as headers have it: worked out once for all answers of that second."""


class Reply(wsgi.Response):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's answer, whose head leaves together with the first piece of the body: with an empty one, alone."""

    def __init__(self, req: Any, sock: Line, cfg: Any) -> None:
        super().__init__(req, sock, cfg)
        self.headers: list[tuple[str, str]]
        self.headers_sent: bool
        self._head = b""

    def process_headers(self, headers: Sequence[tuple[str, str]]) -> None:
        """Take in the headers, as gunicorn judges them. Names are few, so each is judged once; values are looked at
        every time."""
        for name, value in headers:
            if name in _PLAIN and wsgi.HEADER_VALUE_RE.fullmatch(value):
                self.headers.append((name, value))
            else:
                super().process_headers(((name, value),))

    def send_headers(self) -> None:
        """Write down the head; it leaves with what follows."""
        if self.headers_sent:
            return
        lines = [
            f"HTTP/1.{0 if self.req.version <= (1, 0) else 1} {self.status}",  # of later ones we know nothing
            f"Server: {self.version}",
            f"Date: {date_of(int(time()))}",
            f"Connection: {'close' if self.should_close() else 'keep-alive'}",
            *(f"{name}: {value}" for name, value in self.headers),
            *(["Transfer-Encoding: chunked"] if self.chunked else []),
            "\r\n",
        ]
        self._head = "\r\n".join(lines).encode("latin-1")
        self.headers_sent = True
        self.headers = []  # a stream may last for hours

    def write(self, arg: bytes) -> None:
        """Send a piece of the body, after what was not sent yet. Nothing is held back until the next one."""
        super().write(arg)
        if self._head:
            self._send(b"")

    def close(self) -> None:
        """Send what is left, and the end of a body whose length was not told."""
        self.send_headers()
        if self._head or self.chunked:
            self._send(b"0\r\n\r\n" if self.chunked else b"")

    def _emit_body(self, data: bytes) -> None:
        self._send(b"%X\r\n%b\r\n" % (len(data), data) if self.chunked else data)

    def _send(self, what: bytes) -> None:
        head, self._head = self._head, b""
        self.sock.sendall(head + what)


def exchange(worker: Any, listener_name: Any, request: Any, line: Line, address: Any) -> bool:
    """Answer a request; whether another one can follow on this connection.

    Raises OSError, and whatever the application let escape before its answer had begun.
    """
    worker.cfg.pre_request(worker, request)
    reply, environ = Reply(request, line, worker.cfg), environ_of(request, listener_name, address, worker.cfg.workers)
    if request._expected_100_continue:
        line.sendall(GO_ON)
    try:
        pieces = worker.wsgi(environ, reply.start_response)
        if worker.draining:  # asked only now: it may have been told to stop while this request waited for news
            reply.force_close()
        del environ  # thousands wait: none of them holds on to what it asked with
        if reply.chunked:
            request.headers = [header for header in request.headers if header[0] == "CONNECTION"]
        try:
            for piece in pieces:
                reply.write(piece)
                del piece
            reply.close()
        finally:
            if hasattr(pieces, "close"):
                pieces.close()
    except OSError:
        raise
    except (Exception, SystemExit):
        if not reply.headers_sent:
            raise
        # An answer has begun; another one in the middle of it would be taken for a part of it.
        worker.log.exception("an answer broke off")
        with contextlib.suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
            line.close()
        return False
    return not reply.should_close()
