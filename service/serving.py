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
from collections.abc import Callable, Mapping
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from engines.kit.game import Game
from service import logs
from service.draining import DrainingArbiter, Leaving
from service.run import counts
from service.run.child import ROOT, die_with
from service.settings import Settings
from service.table.shared import Shared
from service.web_worker import WSGI, Site

CONFIGURATION = ROOT / "deploy/gunicorn.conf.py"
OTHER_FILES = 200
"""So many files a worker may have open beside its connections: libraries, metrics, pipes."""


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
