"""Taking work, doing it, sleeping until there is more."""

import logging
import threading
from collections.abc import Callable

from service.store.errors import StoreError
from service.table.table import Table
from service.worker.wake import Wake

LEASE_MS = 5_000
"""If a worker dies over a match, another takes it up after this long."""

SLEEP_MOST_S = 1.0
AFTER_FAILURE_S = 0.5

_log = logging.getLogger(__name__)

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
            _log.warning("%s: the store does not answer: %s", queue, failure)
            wake.sleep(AFTER_FAILURE_S)


def _one(table: Table, queue: str, tend: Tend) -> bool:
    """Tend the one that has been due for longest. False: nothing is due."""
    taken = table.store.take_due(queue, table.edge.now_ms(), LEASE_MS, 1)
    for match, lease in taken:
        _look(table, queue, tend, match, lease)
    return bool(taken)


def _look(table: Table, queue: str, tend: Tend, match: str, lease: int) -> None:
    """Tend one that was taken, and put it where it is next needed."""
    try:
        next_ms = tend(table, match)
    except StoreError:
        raise
    except Exception:  # noqa: BLE001
        # One broken match must not stop all others: it is left to the lease, and looked at again.
        _log.exception("%s: failed at %s", queue, match)
    else:
        table.store.settle_due(queue, match, lease, next_ms)


def hand_out(table: Table, queue: str, tend: Tend, wake: Wake, threads: int, lease_ms: int) -> None:
    """The same for what may take long, with so many threads at once, each begun when there is something for it to do.

    Told to stop, this waits for those that are at work.
    """
    free = threading.BoundedSemaphore(threads)

    def look(match: str, lease: int) -> None:
        try:
            _look(table, queue, tend, match, lease)
        except StoreError as failure:
            _log.warning("%s: the store does not answer: %s", queue, failure)
        finally:
            free.release()

    while not wake.stopped:
        if not free.acquire(timeout=SLEEP_MOST_S):
            continue
        begun, rung = False, wake.rung
        try:
            for match, lease in table.store.take_due(queue, table.edge.now_ms(), lease_ms, 1):
                threading.Thread(target=look, args=(match, lease), name=f"{queue} {match}", daemon=True).start()
                begun = True
            if not begun:
                wake.sleep(_until_next_s(table, queue), rung)
        except (StoreError, RuntimeError) as failure:  # or the system has no thread to give
            _log.warning("%s: nothing can be begun: %s", queue, failure)
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
            _log.warning("no sign of life: %s", failure)
        wake.sleep_through(1.0)
