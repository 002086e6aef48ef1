"""Where matches are kept: one server, a cluster, or a master behind Sentinels. REDIS_URL alone says which."""

from redis.crc import REDIS_CLUSTER_HASH_SLOTS

from service.store import by_shard, news
from service.store.address import parse
from service.store.cluster import ClusterLink
from service.store.link import Link
from service.store.server import Master, Server
from service.store.slots import Slots, slot_of


class Site:
    """What links and subscriptions of one process are made of. Nothing is connected before it is used.

    `timeout_s` bounds connecting and each wait for an answer. Raises ValueError for an address that is none.
    """

    def __init__(self, url: str, timeout_s: float) -> None:
        address = parse(url)
        self._timeout_s = timeout_s
        self._slots: Slots | None = None
        self._server: Server | None = None
        if address.kind == "cluster":
            self._slots = Slots(address, timeout_s)
        elif address.kind == "sentinel":
            self._server = Master(address, timeout_s)
        else:
            self._server = Server(address.server, timeout_s)

    @property
    def parts(self) -> int:
        """Into how many parts what is kept across matches is divided: see `spread`."""
        return Link.parts if self._slots is None else ClusterLink.parts

    def link(self, connections: int, replicas: int = 0) -> Link | ClusterLink:
        """A link with so many connections at most, to each master."""
        if self._slots is not None:
            return ClusterLink(self._slots, self._timeout_s, connections, replicas)
        assert self._server is not None
        return Link(self._server, self._timeout_s, connections, replicas=replicas)

    def masters(self, replicas: int = 0) -> list[tuple[str, Link, str]]:
        """(where it answers, a link of one connection to it alone, a key that it serves) of every master.

        Raises `StoreUnavailable` if no node of a cluster answers.
        """
        if self._slots is None:
            assert self._server is not None
            return [("the store", Link(self._server, self._timeout_s, 1, replicas=replicas), "sb:doctor")]
        self._slots.begin()
        found = []
        for place in self._slots.masters:
            link = Link(self._slots.server(place), self._timeout_s, 1, replicas=replicas)
            keys = (f"sb:doctor:{{{number}}}" for number in range(REDIS_CLUSTER_HASH_SLOTS * 20))
            key = next(key for key in keys if self._slots.known(slot_of(key)) == place)
            found.append((str(place), link, key))
        return found

    def subscription(self, channels: str = news.FEEDS) -> news.Line:
        """A subscription to channels of this pattern."""
        if self._slots is not None:
            return by_shard.Subscription(self._slots, self._timeout_s, channels)
        assert self._server is not None
        return news.Subscription(self._server, self._timeout_s, channels)
