"""Going without losing anybody: what happens between being told to stop and stopping.

Load balancers learn from `/readyz` that a server is about to go, and need a moment for that. For DRAIN_DELAY_S after
SIGTERM everything is answered as before, but `/readyz` says no, and each connection is closed after its answer, so that
its client comes back by another way. Only then does gunicorn take no new connections and end what waits.

A worker that is replaced (SIGHUP, a reload) has no such delay: it is told to go when its successors are at work on the
same port.
"""

import mmap
import time
from typing import Any

from gunicorn.arbiter import Arbiter

START_WITHIN_S = 30.0
"""Successors that are not at work by then are not waited for any longer."""


class Leaving:
    """Whether the whole server is about to stop: one byte, shared by the master and all workers that it forks."""

    def __init__(self) -> None:
        self._byte = mmap.mmap(-1, 1)

    def __bool__(self) -> bool:
        return self._byte[0] != 0

    def begin(self) -> None:
        """Say so, for good."""
        self._byte[0] = 1


class DrainingArbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's master, which waits `delay_s` between SIGTERM and stopping. A second SIGTERM ends the wait."""

    def __init__(self, app: Any, leaving: Leaving, delay_s: float) -> None:
        self.leaving = leaving
        self.delay_s = delay_s
        self.stop_at: float | None = None
        super().__init__(app)

    def handle_term(self) -> None:
        self.leaving.begin()
        if not self.delay_s or self.stop_at is not None:
            super().handle_term()
        self.stop_at = time.monotonic() + self.delay_s

    def wait_for_signals(self, timeout: float = 1.0) -> Any:
        if self.stop_at is not None:
            timeout = min(timeout, max(0.0, self.stop_at - time.monotonic()))
        return super().wait_for_signals(timeout)

    def murder_workers(self) -> None:
        """Called once in each round of the master: also the place to see that the wait is over."""
        super().murder_workers()
        if self.stop_at is not None and time.monotonic() >= self.stop_at:
            super().handle_term()

    def manage_workers(self) -> None:
        """Let old workers go, or new ones come, until there are as many as there should be.

        gunicorn tells the old ones to go as soon as new ones are forked; until those have loaded the application nobody
        would take a connection, for a second or more.
        """
        give_up_at = time.monotonic() + START_WITHIN_S
        while self._waits_for_successors() and time.monotonic() < give_up_at:
            time.sleep(0.05)
            self.reap_workers()
        super().manage_workers()

    def _waits_for_successors(self) -> bool:
        """Whether there are workers too many, and those that shall stay are not at work yet."""
        by_age = sorted(self.WORKERS.values(), key=lambda worker: worker.age)
        surplus = len(by_age) - self.num_workers
        return surplus > 0 and not all(at_work(worker) for worker in by_age[surplus:])


def at_work(worker: Any) -> bool:
    """Whether a worker takes connections. Once it does it sets the time of its file, by a clock that began with the
    system's start; until then the file bears the time of the day."""
    touched: float = worker.tmp.last_update()
    return touched <= time.monotonic()
