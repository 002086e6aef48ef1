"""How a worker that sleeps hears that something is due at once."""

import logging
import threading
from collections.abc import Callable, Sequence

from service import metrics
from service.seldom import Seldom
from service.store.errors import StoreUnavailable
from service.store.news import Line, Listening, News

RETRY_S = 0.5

_lasting = Seldom(logging.getLogger(__name__))


class Wake:
    """Wakes all who sleep here whenever a match is scheduled for now. Without news everybody wakes up by the clock."""

    def __init__(self, subscribe: Callable[[], Line], names: Sequence[str]) -> None:
        self._subscribe = subscribe
        self._names = names
        self._condition = threading.Condition()
        self._rung = 0
        self.stopped = False

    @property
    def rung(self) -> int:
        """How often it has rung: look before looking for work, and tell `sleep`."""
        return self._rung

    def sleep(self, seconds: float, rung: int | None = None) -> None:
        """Sleep until rung, or for so long. `rung`: not at all if it has rung since that count was read."""
        with self._condition:
            before = self._rung if rung is None else rung
            self._condition.wait_for(lambda: self.stopped or self._rung != before, seconds)

    def sleep_through(self, seconds: float) -> None:
        """Sleep for so long whoever rings, unless it is to stop."""
        with self._condition:
            self._condition.wait_for(lambda: self.stopped, seconds)

    def ring(self) -> None:
        """Wake everybody who sleeps now."""
        with self._condition:
            self._rung += 1
            self._condition.notify_all()

    def stop(self) -> None:
        """Wake everybody, for good."""
        self.stopped = True
        self.ring()

    def listen(self) -> None:
        """Pass on what the store says, until stopped. A broken connection is opened anew."""
        while not self.stopped:
            line = self._subscribe()
            try:
                line.open()
                line.listen(*self._names)
                while not self.stopped:
                    said = line.read()
                    if said is None:
                        line.ping()
                    elif isinstance(said, News | Listening):  # what came before it was heard by nobody
                        self.ring()
            except StoreUnavailable as gone:
                metrics.STORE_ERRORS.labels("unavailable", "news").inc()
                _lasting.warning("a worker hears nothing: %s", gone)
                self.sleep(RETRY_S)
            finally:
                line.close()
