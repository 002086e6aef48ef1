"""One place to wait in: until a child ends, somebody asks to stop, or time is up."""

import contextlib
import os
import select
import signal
from collections.abc import Iterator
from types import FrameType

from service.run.errors import StopAsked

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Bell:
    """Signals, turned into something that can be waited for without polling.

    `stops` counts how often somebody asked to stop: the second time means "at once".
    """

    def __init__(self) -> None:
        self.stops = 0
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)

    def sleep(self, seconds: float | None) -> None:
        """Wait that long (None: for ever), or less when any signal comes: also when a child ends."""
        if select.select([self._read], [], [], seconds)[0]:
            with contextlib.suppress(BlockingIOError):
                os.read(self._read, 512)

    def wait(self, seconds: float | None) -> None:
        """Like sleep, but raises StopAsked once somebody has asked to stop."""
        if not self.stops:
            self.sleep(seconds)
        if self.stops:
            raise StopAsked

    def ring(self, number: int, _frame: FrameType | None) -> None:
        if number in STOP_SIGNALS:
            self.stops += 1


@contextlib.contextmanager
def listening() -> Iterator[Bell]:
    """Take the process's signals while the block runs; give them back afterwards. Main thread only."""
    bell = Bell()
    numbers = (*STOP_SIGNALS, signal.SIGCHLD)
    before = {number: signal.signal(number, bell.ring) for number in numbers}
    before_fd = signal.set_wakeup_fd(bell._write, warn_on_full_buffer=False)
    try:
        yield bell
    finally:
        signal.set_wakeup_fd(before_fd)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(bell._read)
        os.close(bell._write)
