"""From settings to a table: what web servers and workers both stand on."""

from service.settings import Settings
from service.store.link import Link
from service.store.news import Subscription
from service.store.redis import RedisStore
from service.table.edge import Edge
from service.table.recent import Recent
from service.table.table import Lifetimes, Table


def open_table(settings: Settings, edge: Edge | None = None) -> Table:
    """The table on the store that REDIS_URL names. Connects when it is first used."""
    link = Link(_url(settings), settings.store_timeout_s, settings.store_connections)
    lifetimes = Lifetimes(
        waiting_s=settings.waiting_ttl_s,
        playing_s=settings.playing_ttl_s,
        finished_s=settings.finished_ttl_s,
        move_key_s=settings.key_ttl_s,
    )
    return Table(
        store=RedisStore(link),
        edge=edge or Edge(),
        lifetimes=lifetimes,
        private_hooks=settings.webhook_private_addresses,
        recent=Recent(settings.recent_matches),
        moves_a_minute=settings.moves_per_minute,
    )


def subscription(settings: Settings, channels: str) -> Subscription:
    """A subscription to what the store publishes. Not opened yet."""
    return Subscription(_url(settings), settings.store_timeout_s, channels)


def _url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise RuntimeError("REDIS_URL is not set. `make run` starts a server of its own; else name one.")
    return settings.redis_url
