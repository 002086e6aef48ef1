"""Going without losing anybody: what happens between being told to stop and stopping.

Load balancers learn from `/readyz` that a server is about to go, and need a moment for that. For DRAIN_DELAY_S after
SIGTERM everything is answered as before, but `/readyz` says no, and each connection is closed after its answer, so that
its client comes back by another way. Only then does gunicorn take no new connections and end what waits.

A worker that is replaced (SIGHUP, a reload) has no such delay: it is told to go when its successors are at work on the
same port.
"""

import contextlib
import mmap
import time
from typing import Any

from gunicorn.arbiter import Arbiter

from service.run.child import ROOT

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
        self.code = code_now()
        super().__init__(app)

    def handle_term(self) -> None:
        self.leaving.begin()
        if not self.delay_s or self.stop_at is not None:
            super().handle_term()
        self.stop_at = time.monotonic() + self.delay_s

    def reload(self) -> None:
        """Put fresh workers in the place of the old ones, of the same code.

        They are forked from this master, which has half of the code in its memory and leaves the other half to them:
        after an upgrade on the spot they would be of two versions. So nothing is reloaded then, and the log says why.
        """
        if code_now() == self.code:
            super().reload()
        else:
            self.log.error("nothing was reloaded: the code has changed since the start. Restart to run the new one.")

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


def code_now() -> frozenset[tuple[str, int, int]]:
    """The files of the code as they lie on the disk: name, size, time of the last change."""
    found = set()
    for part in ("engines", "service"):
        for path in (ROOT / part).rglob("*"):
            if path.suffix in (".py", ".lua"):
                with contextlib.suppress(OSError):  # it is being replaced just now, and so is another in any case
                    now = path.stat()
                    found.add((str(path), now.st_size, now.st_mtime_ns))
    return frozenset(found)
