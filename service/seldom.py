"""Lines about a trouble that lasts: written when it begins and now and then while it goes on, not at every try."""

import logging
import threading
import time
from collections.abc import Callable

AGAIN_AFTER_S = 30.0


class Seldom:
    """A log for what is tried over and over: the same line is written at most once in `AGAIN_AFTER_S`."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._written: dict[str, float] = {}

    def warning(self, text: str, *parts: object) -> None:
        """Write a warning, unless the very same one was written a short while ago."""
        line, now = text % parts, self._clock()
        with self._lock:
            self._written = {said: at for said, at in self._written.items() if now - at < AGAIN_AFTER_S}
            if line in self._written:
                return
            self._written[line] = now
        self._log.warning("%s", line)
