"""`python -m service worker`: start the threads of a worker, and stop them on SIGTERM or Ctrl-C."""

import logging
import os
import signal
import threading
from collections.abc import Callable

from prometheus_client import start_http_server

from service import logs, metrics
from service.run import counts
from service.run.child import PARENT_VARIABLE, orphaned
from service.settings import Settings
from service.store.news import WORK
from service.table.clock import AWAY_AFTER_MS
from service.table.due import Queue
from service.table.tend import tend
from service.wiring import open_table, subscription, wake_names
from service.worker.hooks import teller
from service.worker.loop import AFTER_FAILURE_S, beat, hand_out, work
from service.worker.tidy import tidy_for_ever
from service.worker.wake import Wake

TENDERS = 4
"""Threads that tend matches: while one waits for the store another lets a bot think."""

STOP_WITHIN_S = 10.0
CANNOT_START = 3

_log = logging.getLogger(__name__)


def main(settings: Settings) -> int:
    """Work until told to stop; the exit code."""
    logs.begin(settings)
    if settings.worker_metrics_port is not None and not counts.shared():
        try:
            start_http_server(settings.worker_metrics_port, settings.host, metrics.REGISTRY)
        except OSError as taken:
            _log.error("WORKER_METRICS_PORT is %d: %s", settings.worker_metrics_port, taken.strerror)
            return CANNOT_START
    table = open_table(settings)
    wake = Wake(lambda: subscription(settings, WORK), wake_names(settings))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: wake.stop())
    jobs: list[Callable[[], None]] = [wake.listen]
    jobs += [lambda: beat(table, AWAY_AFTER_MS, wake), lambda: tidy_for_ever(table, wake)]
    jobs += [lambda: work(table, Queue.MATCHES, tend, wake)] * TENDERS
    tell = teller(settings)
    jobs += [lambda: hand_out(table, Queue.HOOKS, tell.tell, wake, settings.webhook_threads, tell.hold_ms)]
    threads = [threading.Thread(target=again_and_again, args=(job, wake), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    _log.debug("a worker works")
    while not wake.stopped:
        wake.sleep_through(1.0)
        if orphaned(os.environ.get(PARENT_VARIABLE)):
            wake.stop()
    for thread in threads:
        thread.join(STOP_WITHIN_S / len(threads))
    return 0


def again_and_again(job: Callable[[], None], wake: Wake) -> None:
    """Do a job that goes on until told to stop. Should it fail all the same, that is in the log, and it begins anew: a
    worker without its pulse or its clocks would look alive."""
    while not wake.stopped:
        try:
            job()
        except Exception:  # noqa: BLE001  # whatever it is: the others go on, and so does this
            _log.exception("a job of this worker failed, and begins anew")
            wake.sleep_through(AFTER_FAILURE_S)
