"""An edge that tests steer: a clock that stands until it is moved on, ids and secrets that come again the same."""

from collections.abc import Callable
from hashlib import sha256

from service.table.edge import Edge

BEGUN_MS = 1_800_000_000_000


class Steered:
    """Time, ids and secrets. `meanwhile` happens whenever somebody looks at the clock: in the midst of a write."""

    def __init__(self, salt: str = "") -> None:
        self.salt = salt
        self.ms = BEGUN_MS
        self.drawn = 0
        self.meanwhile: Callable[[], object] | None = None

    def edge(self) -> Edge:
        return Edge(now_ms=self.now_ms, random_bytes=self.random_bytes, sleep_s=self.sleep)

    def now_ms(self) -> int:
        if self.meanwhile is not None:
            self.meanwhile()
        return self.ms

    def sleep(self, seconds: float) -> None:
        self.ms += round(1000 * seconds)

    def random_bytes(self, count: int) -> bytes:
        """Looks random, and is the same in every run."""
        self.drawn += 1
        return sha256(f"{self.salt}/{self.drawn}".encode()).digest()[:count]
