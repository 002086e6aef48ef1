"""How many of something one address has at once: connections, long polls, streams."""

import threading
from collections import Counter

from service.whence import block


class Crowd:
    """Counts by address, and lets in no more than `most` of each; 0 lets in all."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._here: Counter[str] = Counter()
        self._lock = threading.Lock()

    def enter(self, address: str) -> bool:
        """Whether one more is let in. If so, `leave` has to follow once."""
        if not self._most:
            return True
        whose = block(address)
        with self._lock:
            if self._here[whose] >= self._most:
                return False
            self._here[whose] += 1
            return True

    def leave(self, address: str) -> None:
        """One that was let in is gone."""
        if not self._most:
            return
        whose = block(address)
        with self._lock:
            self._here[whose] -= 1
            if not self._here[whose]:
                del self._here[whose]
