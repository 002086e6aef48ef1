"""A web process: gunicorn's gevent worker, where ours steps in."""

import contextlib
import os
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import Any

import gevent
from gunicorn.workers.ggevent import GeventWorker

from service.access_log import new_id
from service.crowd import Crowd
from service.exchange import exchange
from service.no_request import CROWDED, fault_of
from service.patience import Body, Line
from service.run.child import PARENT_VARIABLE, orphaned
from service.whence import Trusted

LINGER_S = 1.0
AT_REST_S = 1.0
"""A client that has been silent for so long is not in the midst of a conversation."""

WSGI = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Site:
    """A WSGI application some of whose requests wait for long: `end_waiting` ends them, each with a whole answer.

    It is called when a worker has to stop, and may be called again. `watch` is told once how the application can learn
    whether this worker is about to go. `every_second` is called about so often, and once more at the end.
    """

    def __init__(
        self,
        answer: WSGI,
        end_waiting: Callable[[], None],
        watch: Callable[[Callable[[], bool]], None] = lambda _draining: None,
        every_second: Callable[[], None] = lambda: None,
    ) -> None:
        self.answer = answer
        self.end_waiting = end_waiting
        self.watch = watch
        self.every_second = every_second

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        return self.answer(environ, start_response)


class Worker(GeventWorker):  # type: ignore[misc]  # gunicorn has no types
    """A gevent worker that answers malformed requests like every other error, waits for slow clients no longer than
    told, and stops without waiting for silence."""

    def init_process(self) -> None:
        self.idle: set[Line] = set()
        self.open: dict[Any, Line] = {}
        # Looked up twenty times for each request, by a search each time; from here on nothing is configured any more.
        self.cfg.__dict__.update({name: setting.get() for name, setting in self.cfg.settings.items()})
        settings = self.app.settings
        self.slow_s = settings.client_timeout_s
        self.longest_body = settings.max_body_bytes
        self.crowd = Crowd(settings.connections_per_address)
        self.trusted = Trusted(settings.trusted_proxies)
        super().init_process()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        if isinstance(self.wsgi, Site):
            self.wsgi.watch(lambda: self.draining)

    @property
    def draining(self) -> bool:
        """Whether this worker, or the whole server, is about to go."""
        return not self.alive or bool(self.app.leaving)

    def handle(self, listener: Any, client: socket.socket, addr: Any) -> None:
        line = Line(client, self.cfg.keepalive, self.slow_s)
        peer = addr[0] if isinstance(addr, tuple) else ""
        if not peer or self.trusted.trusts(peer):  # a proxy: it has as many as there are clients
            self.attend(listener, line, addr)
        elif self.crowd.enter(peer):
            try:
                self.attend(listener, line, addr)
            finally:
                self.crowd.leave(peer)
        else:
            with contextlib.suppress(OSError), contextlib.closing(line):
                line.sendall(CROWDED.answer())
                drain(line)

    def attend(self, listener: Any, line: Line, addr: Any) -> None:
        """Answer what comes on a connection, until it ends."""
        here = gevent.getcurrent()
        self.open[here] = line
        try:
            super().handle(listener, line, addr)
        finally:
            del self.open[here]

    @contextlib.contextmanager
    def timeout_ctx(self) -> Iterator[None]:
        """Around the wait for a connection's next request."""
        line = self.open[gevent.getcurrent()]
        line.await_request()
        self.idle.add(line)
        try:
            yield
        finally:
            self.idle.discard(line)

    def handle_request(self, listener_name: Any, req: Any, sock: Line, addr: Any) -> None:
        """Answer a request. Raises StopIteration when no other can follow on this connection."""
        req.body = body = Body(req, sock, self.longest_body)
        more = True
        with contextlib.suppress(gevent.GreenletExit, SystemExit):
            more = exchange(self, listener_name, req, sock, addr)
        if not body.finish():
            more = False
            with contextlib.suppress(OSError):
                drain(sock)
        if not more:
            raise StopIteration

    def handle_exit(self, sig: int, frame: Any) -> None:
        super().handle_exit(sig, frame)
        gevent.spawn(self.end_waiting)

    def end_waiting(self) -> None:
        """Let no connection keep this worker from going but those whose requests are at work."""
        if isinstance(site := getattr(self, "wsgi", None), Site):
            site.end_waiting()
        self.hang_up_idle()

    def notify(self) -> None:
        """Called every second: also the place to see that it is time to go."""
        super().notify()
        if isinstance(site := getattr(self, "wsgi", None), Site):
            site.every_second()
        if not self.alive:
            self.end_waiting()
        elif orphaned(os.environ.get(PARENT_VARIABLE)):
            os.kill(self.ppid, signal.SIGTERM)

    def hang_up_idle(self) -> None:
        """Close connections that wait for a next request; gunicorn alone would wait for their clients to leave.

        Not those whose client has asked just now: its next request may be on its way, and would be lost. That one is
        answered, as the last of its connection.
        """
        for line in list(self.idle):
            if line.quiet_s >= AT_REST_S:
                line.hang_up()

    def handle_error(self, _req: Any, client: Line, _addr: Any, exc: BaseException) -> None:
        """Answer what never became a request, in the one shape of errors.

        The log gets the kind of fault and no word of what was sent: a malformed header may hold a token.
        """
        fault, request_id = fault_of(exc), new_id()
        if fault.status == HTTPStatus.INTERNAL_SERVER_ERROR:
            self.log.error("no answer was made to %s", request_id, exc_info=exc)
        else:
            self.log.info("refused what is no request: %s, as %s", type(exc).__name__, request_id)
        with contextlib.suppress(OSError):
            client.sendall(fault.answer(request_id))
            drain(client)


def drain(line: Line) -> None:
    """Read what is still coming, for a moment: closing on unread bytes would take the answer back (TCP reset)."""
    line.plain.shutdown(socket.SHUT_WR)
    with gevent.Timeout(LINGER_S, False):
        line.plain.settimeout(None)
        while line.plain.recv(65_536):
            pass
