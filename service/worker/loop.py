"""Taking work, doing it, sleeping until there is more."""

import logging
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
        try:
            if not _one(table, queue, tend):
                wake.sleep(_until_next_s(table, queue))
        except StoreError as failure:
            _log.warning("%s: the store does not answer: %s", queue, failure)
            wake.sleep(AFTER_FAILURE_S)


def _one(table: Table, queue: str, tend: Tend) -> bool:
    """Tend the one that has been due for longest. False: nothing is due."""
    taken = table.store.take_due(queue, table.edge.now_ms(), LEASE_MS, 1)
    for match, lease in taken:
        try:
            next_ms = tend(table, match)
        except StoreError:
            raise
        except Exception:  # noqa: BLE001
            # One broken match must not stop all others: it is left to the lease, and looked at again.
            _log.exception("%s: failed at %s", queue, match)
        else:
            table.store.settle_due(queue, match, lease, next_ms)
    return bool(taken)


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
