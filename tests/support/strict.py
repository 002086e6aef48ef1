"""A client that forgives nothing: one connection kept alive, and whatever goes wrong with it is written down.

It does what every pool of connections does: it looks whether a connection was closed while nothing was asked on it, and
opens another then. A request that was sent and gets no whole answer is lost, and so is one that is answered 5xx.
"""

import http.client
import json
import select
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.support.play import Answer, Api, headers_of


@dataclass
class Ledger:
    """What happened to all requests of a test. May be written from many threads."""

    lost: list[str] = field(default_factory=list)
    answered: int = 0
    connections: int = 0
    slowest_s: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, took_s: float) -> None:
        with self.lock:
            self.answered += 1
            self.slowest_s = max(self.slowest_s, took_s)


class Kept(Api):
    """One client with one connection: not for several threads."""

    def __init__(self, url: str, ledger: Ledger) -> None:
        super().__init__(url)
        self.ledger = ledger
        self.place = urlsplit(url).netloc
        self.line: http.client.HTTPConnection | None = None

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, key: str | None = None
    ) -> Answer:
        headers = headers_of(body, token, key)
        begun = time.monotonic()
        try:
            line = self._connected()
            line.request(method, path, None if body is None else json.dumps(body), headers)
            got = line.getresponse()
            answer = Answer(got.status, got.headers, got.read(), time.monotonic() - begun)
        except (OSError, http.client.HTTPException) as lost:
            self.ledger.lost.append(f"{method} {path} after {time.monotonic() - begun:.3f} s: {lost!r}")
            raise
        if answer.status >= 500:
            self.ledger.lost.append(f"{method} {path}: {answer}")
        self.ledger.note(answer.took_s)
        if got.will_close:
            self.close()
        return answer

    def _connected(self) -> http.client.HTTPConnection:
        if self.was_closed:
            self.close()
        if self.line is None:
            self.line = http.client.HTTPConnection(self.place, timeout=60)
            self.line.connect()
            self.ledger.connections += 1
        return self.line

    @property
    def was_closed(self) -> bool:
        """Whether the server has closed the connection (or says on it what nobody asked for)."""
        if self.line is None or self.line.sock is None:
            return False
        return bool(select.select([self.line.sock], [], [], 0)[0])

    def close(self) -> None:
        if self.line is not None:
            self.line.close()
            self.line = None
