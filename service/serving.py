"""The web server: gunicorn with gevent workers, set up for an API whose clients wait long and close rarely.

gunicorn's master only binds, forks and watches. The application is imported in each worker after gevent has patched
the standard library, so that every socket it opens waits cooperatively.
"""

import contextlib
import gc
import os
import resource
import runpy
import signal
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

import gevent
import msgspec
from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger
from gunicorn.http import errors
from gunicorn.workers.ggevent import GeventWorker

from engines.kit.game import Game
from service import logs
from service.access_log import HEADER, new_id
from service.crowd import Crowd
from service.draining import DrainingArbiter, Leaving
from service.exchange import exchange
from service.patience import Body, Line, TooSlow
from service.run import counts
from service.run.child import PARENT_VARIABLE, ROOT, die_with, orphaned
from service.settings import Settings
from service.table.shared import Shared
from service.whence import Trusted

CONFIGURATION = ROOT / "deploy/gunicorn.conf.py"
LINGER_S = 1.0
AT_REST_S = 1.0
"""A client that has been silent for so long is not in the midst of a conversation."""
OTHER_FILES = 200
"""So many files a worker may have open beside its connections: libraries, metrics, pipes."""

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


def app_of(settings: Settings, games: Mapping[str, Game] | None = None, shared: Shared | None = None) -> WSGI:
    """The product's application; without games, with those that the settings say. `shared`: with other processes."""
    from service.app import create_app  # only in a worker, after patching

    app = create_app(settings, games=games, shared=shared)
    hub, readiness = app.extensions["shorebreak.hub"], app.extensions["shorebreak.readiness"]
    return Site(app, hub.close, readiness.watch, app.extensions["shorebreak.counts"])


def serve(settings: Settings, *, listener: int | None = None, load: Callable[[Settings], WSGI] = app_of) -> None:
    """Answer until told to stop (SIGTERM: finish requests first; SIGINT: at once). Does not return.

    `listener` is the descriptor of a bound socket; without one, HOST and PORT are opened.
    """
    logs.begin(settings)
    os.environ.setdefault(counts.FOLDER, str(settings.data_dir / "metrics"))
    allow_open_files(settings.web_connections + settings.store_connections + OTHER_FILES)
    WebServer(settings, listener, load).run()


def allow_open_files(wanted: int) -> None:
    """Let each worker have so many files open, connections among them, or as many as the system grants."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    granted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < granted:
        with contextlib.suppress(ValueError, OSError):  # macOS has a further bound that it does not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (granted, hard))


class WebServer(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn, told all by deploy/gunicorn.conf.py, which is told by the settings; no command line."""

    def __init__(self, settings: Settings, listener: int | None, load: Callable[[Settings], WSGI]) -> None:
        self.settings = settings
        self.listener = listener
        self.load_wsgi = load
        self.leaving = Leaving()
        super().__init__()

    def run(self) -> None:
        DrainingArbiter(self, self.leaving, self.settings.drain_delay_s).run()

    def load_config(self) -> None:
        for name, value in runpy.run_path(str(CONFIGURATION)).items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)
        if self.listener is not None:
            self.cfg.set("bind", f"fd://{self.listener}")

    def load(self) -> WSGI:
        return self.load_wsgi(self.settings)


def address(settings: Settings) -> str:
    """Where gunicorn is to listen: HOST and PORT."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{host}:{settings.port}"


def wipe_metrics(_arbiter: Any) -> None:
    """Counters start at zero with the server: their files are shared by its workers, not by its runs."""
    if not counts.shared():
        counts.start_anew()


def forget_metrics(_arbiter: Any, worker: Any) -> None:
    """A worker that is gone counts no more among what is open now."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]  # theirs


def count_the_last(_arbiter: Any, worker: Any) -> None:
    """What a worker has counted in its last second shall not be lost."""
    if isinstance(site := getattr(worker, "wsgi", None), Site):
        site.every_second()


def tie_to_master(_arbiter: Any, worker: Any) -> None:
    """A worker ends with its master, so that the port is free again at once.

    Until it has signal handlers of its own it would take SIGTERM with the master's, which only queues it: a worker
    that is told to stop while it starts would be waited for in vain.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with(worker.ppid, signal.SIGKILL)


def collect_garbage_seldom(_worker: Any) -> None:
    """Let nobody wait while Python looks for cycles among all that thousands of waiting clients hold.

    That took 50 to 100 ms with two thousand of them, every few seconds. Garbage is young: the older generations are
    looked at seldom, and what the application has loaded is not looked at again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 10, 250)


def close_when_leaving(worker: Any, request: Any) -> None:
    """While the server is about to go, each connection ends with its answer, and says so."""
    if worker.app.leaving:
        request.force_close()


class Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's lines, handed up to be written like all others. There is no access log."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


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


class Fault(msgspec.Struct, frozen=True):
    """A refusal made before there is a request."""

    status: HTTPStatus
    code: str
    detail: str
    limit: str | None = None
    retry_after_s: int | None = None

    def answer(self, request_id: str | None = None) -> bytes:
        """The whole response, to the last byte, and counted. Without an id it gets a fresh one."""
        from service import metrics  # only in a worker: counting begins with the folder that the master has emptied

        metrics.REQUESTS.labels("other", "none", self.status.value, self.code).inc()
        if self.limit is not None:
            metrics.RATE_LIMITED.labels(self.limit).inc()
        problem = {
            "type": f"/docs/problems#{self.code}",
            "title": self.status.phrase,
            "status": self.status.value,
            "detail": self.detail,
            "code": self.code,
        }
        body = msgspec.json.encode(problem if self.limit is None else {**problem, "limit": self.limit})
        more = "" if self.retry_after_s is None else f"Retry-After: {self.retry_after_s}\r\n"
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\n"
            "Content-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\n"
            f"{HEADER}: {request_id or new_id()}\r\n"
            f"{more}"
            "Connection: close\r\n\r\n"
        )
        return head.encode() + body


CROWDED = Fault(
    HTTPStatus.TOO_MANY_REQUESTS,
    "rate_limited",
    "Your address has too many connections open. Close some, or use each for more than one request.",
    "connections",
    5,
)


def fault_of(exc: BaseException) -> Fault:
    """What to answer to something that gunicorn could not read, or that the application let escape."""
    if isinstance(exc, TooSlow):
        return Fault(HTTPStatus.REQUEST_TIMEOUT, "too_slow", "The request came too slowly. Send all of it at once.")
    if isinstance(exc, errors.LimitRequestLine):
        return Fault(HTTPStatus.REQUEST_URI_TOO_LONG, "too_large", "The request line is too long.")
    if isinstance(exc, errors.LimitRequestHeaders):
        return Fault(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too_large", "The headers are too long or too many.")
    application_wrote_it = isinstance(exc, errors.InvalidResponseHeader | errors.InvalidResponseHeaderName)
    if isinstance(exc, errors.ParseException) and not application_wrote_it:
        return Fault(HTTPStatus.BAD_REQUEST, "malformed", "This is not a well-formed HTTP/1.1 request.")
    return Fault(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "Something went wrong on our side.")


def drain(line: Line) -> None:
    """Read what is still coming, for a moment: closing on unread bytes would take the answer back (TCP reset)."""
    line.plain.shutdown(socket.SHUT_WR)
    with gevent.Timeout(LINGER_S, False):
        line.plain.settimeout(None)
        while line.plain.recv(65_536):
            pass
