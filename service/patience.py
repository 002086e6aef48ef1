"""How long a client is waited for: one that is slow, silent or gone holds its connection for a while, and no longer.

A head or a body that drips in, an answer that is not taken in: each has one deadline for all of it, since a time-out
that counts from the last byte is renewed for ever by a client that sends one now and then.
"""

import contextlib
import errno
import socket
import struct
from time import monotonic
from typing import Any

from gunicorn.http import errors

HEAD_MOST = 65_536
"""The bytes of a request line and all headers together."""
LEFT_MOST = 65_536
"""So much of a body that nobody asked for is read, to keep the connection; a longer rest ends it."""

_AT_ONCE = struct.pack("ii", 1, 0)


class TooSlow(Exception):
    """What was expected of the client did not come in time."""


class Line:
    """A client's socket as gunicorn uses it, with a deadline on all that waits for the client.

    `idle_s` is how long it may have nothing to ask; `slow_s` how long the head of a request may take from its first
    byte on, how long a body, and how long the client may take to take in each piece of an answer.
    """

    __slots__ = ("_begun", "_head", "_idle_s", "_since", "_slow_s", "_until", "plain")

    def __init__(self, plain: Any, idle_s: float, slow_s: float) -> None:
        self.plain = plain
        self._idle_s = idle_s
        self._slow_s = slow_s
        self._until = 0.0
        self._since = monotonic()
        self._begun = False
        self._head: int | None = 0
        user_timeout = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux
        if user_timeout is not None:
            with contextlib.suppress(OSError):  # no TCP
                # A client that vanished without a word: the kernel alone would go on sending to it for a quarter hour.
                plain.setsockopt(socket.IPPROTO_TCP, user_timeout, int(slow_s * 1000))

    def await_request(self) -> None:
        """From now on a request may come."""
        self._since = monotonic()
        self._until = self._since + self._idle_s
        self._begun = False
        self._head = 0

    def await_body(self) -> None:
        """The head is whole; from now on its body may come."""
        self._until = monotonic() + self._slow_s
        self._head = None

    def recv(self, size: int) -> bytes:
        """Bytes of the client; none if it has gone, or asked nothing for long.

        Raises `TooSlow`, `LimitRequestHeaders`, OSError.
        """
        left_s = self._until - monotonic()
        if left_s <= 0:
            raise TooSlow
        self.plain.settimeout(left_s)
        try:
            got: bytes = self.plain.recv(size)
        except TimeoutError:
            if self._begun:
                raise TooSlow from None
            return b""
        if self._head is not None:
            if not self._begun:
                self._begun = True
                self._until = monotonic() + self._slow_s
            self._head += len(got)
            if self._head > HEAD_MOST:
                raise errors.LimitRequestHeaders("the head as a whole")
        return got

    def sendall(self, what: bytes) -> None:
        """Send all of it. A client that does not take it in is cut off: ConnectionResetError."""
        try:
            # Past gevent, whose `sendall` first asks for the size of the system's buffer: nearly always all fits there.
            sent = self.plain._sock.send(what)
        except BlockingIOError:
            sent = 0
        if sent == len(what):
            return
        self.plain.settimeout(self._slow_s)
        try:
            self.plain.sendall(what[sent:])
        except TimeoutError:
            # Or the kernel would keep all that was sent, and go on offering it.
            self.plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
            self.plain.close()
            raise ConnectionResetError(errno.ECONNRESET, "the client takes nothing in") from None

    @property
    def quiet_s(self) -> float:
        """For how long nothing has come that could be a request; 0 once one has begun."""
        return 0.0 if self._begun else monotonic() - self._since

    def hang_up(self) -> None:
        """Let whoever waits for this client find that it has gone. What has come by now is read nevertheless."""
        with contextlib.suppress(OSError):
            # The socket under gevent's: its reader shall find an end, not an error that lands in the log.
            self.plain._sock.shutdown(socket.SHUT_RD)

    def __getattr__(self, name: str) -> Any:
        """All else that a socket can."""
        return getattr(self.plain, name)


class Body:
    """A request's body as gunicorn reads it, of which nothing but OSError is raised.

    TimeoutError: it did not come in time. One that is longer than `most`, or breaks off, is the last of its connection,
    and the answer says so.
    """

    __slots__ = ("_plain", "_request")

    def __init__(self, request: Any, line: Line, most: int) -> None:
        self._request = request
        self._plain = request.body
        if getattr(self._plain.reader, "length", 0) > most:
            request.force_close()
        line.await_body()

    @property
    def failed(self) -> bool:
        """Whether reading it broke off: nobody knows where the next request starts."""
        broken: bool = self._plain.failed
        return broken

    def read(self, size: int | None = None) -> bytes:
        """The next `size` bytes, or all that are left; fewer only at its end."""
        try:
            got: bytes = self._plain.read(size)
        except TooSlow:
            self._request.force_close()
            raise TimeoutError("the body did not come in time") from None
        except (errors.ParseException, errors.NoMoreData) as broken:
            self._request.force_close()
            raise OSError(f"the body is broken: {type(broken).__name__}") from None
        return got

    def finish(self) -> bool:
        """Read what nobody asked for. False: that was too much, too slow, or no body; the connection is of no use."""
        if self.failed:
            return False
        reader = self._plain.reader
        whole = reader.length == 0 if hasattr(reader, "length") else reader.parser is None
        try:
            return whole or len(self.read(LEFT_MOST + 1)) <= LEFT_MOST
        except OSError:
            return False
