"""Taking work, doing it, sleeping until there is more."""

import logging
import threading
from collections.abc import Callable

from service import metrics
from service.seldom import Seldom
from service.store.errors import OutcomeUnknown, StoreError
from service.store.port import Due
from service.table.table import Table
from service.worker.wake import Wake

LEASE_MS = 5_000
"""If a worker dies over a match, another takes it up after this long."""

SLEEP_MOST_S = 1.0
AFTER_FAILURE_S = 0.5

_log = logging.getLogger(__name__)
_lasting = Seldom(_log)

Tend = Callable[[Table, str], int | None]
"""(table, match) -> when to look at the match next (ms), or None."""


def work(table: Table, queue: str, tend: Tend, wake: Wake) -> None:
    """Tend what is due in a queue until told to stop. What fails is taken up again when its lease is over."""
    while not wake.stopped:
        rung = wake.rung
        try:
            if not _one(table, queue, tend):
                wake.sleep(_until_next_s(table, queue), rung)
        except StoreError as failure:
            _failed(f"{queue}: the store does not answer", failure)
            wake.sleep(AFTER_FAILURE_S)


def _one(table: Table, queue: str, tend: Tend) -> bool:
    """Tend the one that has been due for longest. False: nothing is due."""
    taken = _take(table, queue, LEASE_MS)
    for entry in taken:
        _look(table, queue, tend, entry)
    return bool(taken)


def _take(table: Table, queue: str, lease_ms: int) -> list[Due]:
    """One entry, or none where nothing is due."""
    now_ms = table.edge.now_ms()
    taken = table.store.take_due(queue, now_ms, lease_ms, 1)
    for entry in taken:
        metrics.WORKER_LATE.labels(queue).observe(max(0, now_ms - entry.due_ms) / 1000)
    return taken


def _look(table: Table, queue: str, tend: Tend, entry: Due) -> None:
    """Tend one that was taken, and put it where it is next needed."""
    try:
        next_ms = tend(table, entry.match)
        table.store.settle_due(queue, entry.match, entry.lease, next_ms)
    except StoreError:
        metrics.WORKER_LOOKS.labels(queue, "failed").inc()
        raise
    except Exception:  # noqa: BLE001  # whatever it is: the next line says why
        # One broken match must not stop all others: it is left to the lease, and looked at again.
        metrics.WORKER_LOOKS.labels(queue, "failed").inc()
        _log.exception("%s: failed at %s", queue, entry.match)
    else:
        metrics.WORKER_LOOKS.labels(queue, "done").inc()


def _failed(what: str, failure: Exception) -> None:
    """The store does not answer: to be seen in the log and in the counts."""
    kind = "unknown" if isinstance(failure, OutcomeUnknown) else "unavailable"
    metrics.STORE_ERRORS.labels(kind, "worker").inc()
    _lasting.warning("%s: %s", what, failure)


def hand_out(table: Table, queue: str, tend: Tend, wake: Wake, threads: int, lease_ms: int) -> None:
    """The same for what may take long, with so many threads at once, each begun when there is something for it to do.

    Told to stop, this waits for those that are at work.
    """
    free = threading.BoundedSemaphore(threads)

    def look(entry: Due) -> None:
        try:
            _look(table, queue, tend, entry)
        except StoreError as failure:
            _failed(f"{queue}: the store does not answer", failure)
        finally:
            free.release()

    while not wake.stopped:
        if not free.acquire(timeout=SLEEP_MOST_S):
            continue
        begun, rung = False, wake.rung
        try:
            for entry in _take(table, queue, lease_ms):
                threading.Thread(target=look, args=(entry,), name=f"{queue} {entry.match}", daemon=True).start()
                begun = True
            if not begun:
                wake.sleep(_until_next_s(table, queue), rung)
        except StoreError as failure:
            _failed(f"{queue}: nothing can be begun", failure)
            wake.sleep(AFTER_FAILURE_S)
        except RuntimeError as failure:  # the system has no thread to give
            _lasting.warning("%s: nothing can be begun: %s", queue, failure)
            wake.sleep(AFTER_FAILURE_S)
        finally:
            if not begun:
                free.release()
    for _ in range(threads):
        free.acquire()


def _until_next_s(table: Table, queue: str) -> float:
    next_ms = table.store.next_due(queue)
    if next_ms is None:
        return SLEEP_MOST_S
    return min(SLEEP_MOST_S, max(0.0, (next_ms - table.edge.now_ms()) / 1000))


def beat(table: Table, silence_ms: int, wake: Wake) -> None:
    """Show once a second that this worker and the store live."""
    while not wake.stopped:
        try:
            table.store.beat(table.edge.now_ms(), silence_ms)
        except StoreError as failure:
            _failed("no sign of life", failure)
        wake.sleep_through(1.0)
