"""One delivery over HTTP, to an endpoint that may do anything: refuse, hang, drip, lie, or try to lead elsewhere.

Sockets of our own under h11, which speaks HTTP without touching the network: so the very address that was checked is
the one that is connected to, and one deadline covers all of it. See docs/decisions/0010-webhooks.md.
"""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any

import h11
import msgspec

from service.table.addresses import Address, Place, literal, public, read

HEAD_MOST = 16_384
"""A longer head of an answer is no answer."""

BODY_MOST = 16_384
BODY_WITHIN_S = 1.0
"""The body says nothing to us. This much of it is taken in, so that the endpoint sees an orderly end."""

ADDRESSES_MOST = 4
"""Of a name's addresses so many are tried."""

Resolve = Callable[[str, int], Sequence[str]]
"""(host name, port) -> its addresses. Raises OSError."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of a delivery. `status` None: no answer was had. `why` is fit for a log: nothing of what was sent."""

    status: int | None
    why: str

    @property
    def delivered(self) -> bool:
        """Whether the endpoint has taken it."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """Whether the endpoint wants no more."""
        return self.status == 410


class Failed(Exception):
    """There will be no answer. The text is fit for a log."""


def look_up(host: str, port: int) -> list[str]:
    """The addresses of a name, as the system knows them."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Post:
    """Makes deliveries, each in `timeout_s` at the most. Any number of threads may call it at once.

    `private` allows addresses that are not the internet's; `lookups` bounds how many names are looked up at once:
    systems do not let go of a look-up that nobody answers.
    """

    def __init__(
        self,
        timeout_s: float,
        private: bool,
        lookups: int,
        resolve: Resolve = look_up,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._private = private
        self._resolve = resolve
        self._looking_up = threading.BoundedSemaphore(lookups)
        self._tls = tls or ssl.create_default_context()

    def send(self, url: str, headers: Sequence[tuple[str, str]], body: bytes) -> Outcome:
        """POST a JSON body. Never raises for anything that an endpoint or a network can do."""
        give_up_at = time.monotonic() + self._timeout_s
        place = read(url)
        try:
            if place is None:
                raise Failed("the URL can't be read")
            with contextlib.closing(self._connect(place, give_up_at)) as line:
                status = _exchange(line, place, headers, body, give_up_at)
        except Failed as failed:
            return Outcome(None, str(failed))
        except TimeoutError:
            return Outcome(None, f"nothing within {self._timeout_s:g} s")
        except ssl.SSLCertVerificationError as wrong:
            return Outcome(None, f"its certificate is not right: {wrong.verify_message}")
        except OSError as broken:
            return Outcome(None, f"the connection failed: {broken.strerror or type(broken).__name__}")
        except (h11.ProtocolError, ValueError):
            return Outcome(None, "what it answered is not HTTP")
        return Outcome(status, f"it answered {status}")

    def _connect(self, place: Place, give_up_at: float) -> socket.socket:
        """A connection to the place, at an address that is allowed. What it is wrapped in closes with it."""
        addresses = self._allowed(self._addresses(place, give_up_at))
        line = _first_that_answers(addresses, place.port, give_up_at)
        if place.scheme == "http":
            return line
        try:
            line.settimeout(_left_s(give_up_at))
            return self._tls.wrap_socket(line, server_hostname=place.host.rstrip("."))
        except BaseException:
            line.close()
            raise

    def _allowed(self, addresses: list[Address]) -> list[Address]:
        allowed = [address for address in addresses if self._private or public(address)]
        if not allowed:
            raise Failed("its address is none that this server delivers to")
        return allowed[:ADDRESSES_MOST]

    def _addresses(self, place: Place, give_up_at: float) -> list[Address]:
        itself = literal(place.host)
        if itself is not None:
            return [itself]
        return [ip_address(text) for text in self._looked_up(place, give_up_at)]

    def _looked_up(self, place: Place, give_up_at: float) -> Sequence[str]:
        """The addresses of a name. The look-up has a thread of its own: the system's can't be told to hurry."""
        found: list[Sequence[str]] = []

        def look() -> None:
            try:
                with contextlib.suppress(OSError, UnicodeError):
                    found.append(self._resolve(place.host, place.port))
            finally:
                self._looking_up.release()

        if not self._looking_up.acquire(timeout=_left_s(give_up_at)):
            raise Failed("too many names are being looked up")
        thread = threading.Thread(target=look, name="webhook-name", daemon=True)
        try:
            thread.start()
        except RuntimeError as full:
            self._looking_up.release()
            raise Failed("no thread to look up its name") from full
        thread.join(_left_s(give_up_at))
        if not found:
            raise Failed("its name was not found" if not thread.is_alive() else "its name was not found in time")
        return found[0]


def _first_that_answers(addresses: list[Address], port: int, give_up_at: float) -> socket.socket:
    """A connection to the first of the addresses that takes one, each with its share of the time that is left."""
    broken: OSError = OSError("no address")
    for number, address in enumerate(addresses):
        line = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
        try:
            line.settimeout(_left_s(give_up_at) / (len(addresses) - number))
            line.connect((str(address), port))
        except OSError as failure:
            line.close()
            broken = failure
        except BaseException:
            line.close()
            raise
        else:
            return line
    raise broken


def _exchange(
    line: socket.socket, place: Place, headers: Sequence[tuple[str, str]], body: bytes, give_up_at: float
) -> int:
    """Send the request and read the head of the answer; its status."""
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_MOST)
    all_headers = [
        ("host", place.authority),
        ("connection", "close"),
        ("content-type", "application/json"),
        ("content-length", str(len(body))),
        *headers,
    ]
    request = h11.Request(method="POST", target=place.target, headers=all_headers)
    sent = [http.send(request), http.send(h11.Data(data=body)), http.send(h11.EndOfMessage())]
    _send(line, b"".join(part or b"" for part in sent), give_up_at)
    answer = _answer(line, http, give_up_at)
    with contextlib.suppress(OSError, h11.ProtocolError):  # whatever the body is: the answer stands
        _drain(line, http, min(give_up_at, time.monotonic() + BODY_WITHIN_S))
    return int(answer.status_code)


def _answer(line: socket.socket, http: h11.Connection, give_up_at: float) -> h11.Response:
    """The head of the answer, past interim ones."""
    taken = 0
    while True:
        event: Any = http.next_event()
        if isinstance(event, h11.Response):
            return event
        if event is h11.NEED_DATA:
            arrived = _receive(line, give_up_at)
            taken += len(arrived)
            http.receive_data(arrived)
        elif not isinstance(event, h11.InformationalResponse) or taken > 4 * HEAD_MOST:
            raise Failed("it closed the connection without an answer")


def _drain(line: socket.socket, http: h11.Connection, give_up_at: float) -> None:
    taken = 0
    while taken < BODY_MOST:
        event: Any = http.next_event()
        if event is h11.NEED_DATA:
            arrived = _receive(line, give_up_at)
            taken += max(1, len(arrived))
            http.receive_data(arrived)
        elif not isinstance(event, h11.Data):
            return


def _send(line: socket.socket, what: bytes, give_up_at: float) -> None:
    rest = memoryview(what)
    while rest:
        line.settimeout(_left_s(give_up_at))
        rest = rest[line.send(rest) :]


def _receive(line: socket.socket, give_up_at: float) -> bytes:
    line.settimeout(_left_s(give_up_at))
    return line.recv(8192)


def _left_s(give_up_at: float) -> float:
    """The time left. Raises `TimeoutError` when there is none: a timeout of 0 would mean something else."""
    left_s = give_up_at - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s
