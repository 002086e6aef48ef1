"""The table: what every use case needs, wired once by `service.app`."""

import msgspec

from service.store.port import Store
from service.table.clock import Pulse
from service.table.edge import Edge
from service.table.limits import Limits
from service.table.recent import Recent
from service.table.records import Status


class Lifetimes(msgspec.Struct, frozen=True):
    """How long, in seconds, what is no longer written to is kept."""

    waiting_s: int = 86_400
    playing_s: int = 7 * 86_400
    finished_s: int = 30 * 86_400
    move_key_s: int = 86_400

    def ttl_ms(self, status: Status) -> int:
        """How long a match of this status lives after its last write, in milliseconds."""
        kept = {"waiting": self.waiting_s, "playing": self.playing_s}
        return 1000 * kept.get(status, self.finished_s)


class Table(msgspec.Struct, frozen=True):
    """The store, the edge, how long things are kept, whether webhooks may lead into networks of one's own, what this
    process saw last, how many moves a seat may make within a minute (0: any number), and how often other things may be
    done."""

    store: Store
    edge: Edge
    lifetimes: Lifetimes = Lifetimes()
    private_hooks: bool = False
    recent: Recent = msgspec.field(default_factory=lambda: Recent(0))
    moves_a_minute: int = 0
    limits: Limits = Limits()

    def pulse(self, match: str) -> Pulse:
        """What is known of the time during which nothing lived. Raises `StoreUnavailable`."""
        return Pulse(*self.store.pulse(match, self.edge.now_ms()))
