"""From settings to a table: what web servers and workers both stand on."""

import functools

from service.settings import Settings
from service.store.news import Line
from service.store.redis import RedisStore
from service.store.site import Site
from service.store.spread import Spread
from service.table.edge import Edge
from service.table.limits import Limits
from service.table.recent import Recent
from service.table.shared import Shared
from service.table.table import Lifetimes, Table


def open_table(settings: Settings, edge: Edge | None = None, shared: Shared | None = None) -> Table:
    """The table on the store that REDIS_URL names. Connects when it is first used."""
    link = _site(settings).link(settings.store_connections, settings.store_replicas)
    lifetimes = Lifetimes(
        waiting_s=settings.waiting_ttl_s,
        playing_s=settings.playing_ttl_s,
        finished_s=settings.finished_ttl_s,
        move_key_s=settings.key_ttl_s,
    )
    limits = Limits(
        creates=settings.creates_per_minute,
        claims=settings.claims_per_minute,
        bots=settings.bots_per_minute,
        seat_changes=settings.seat_changes_per_minute,
        join_codes=settings.join_codes_per_minute,
    )
    return Table(
        store=RedisStore(link),
        edge=edge or Edge(),
        lifetimes=lifetimes,
        private_hooks=settings.webhook_private_addresses,
        recent=Recent(settings.recent_matches, shared),
        moves_a_minute=settings.moves_per_minute,
        limits=limits,
    )


def subscription(settings: Settings, channels: str) -> Line:
    """A subscription to what the store publishes. Not opened yet."""
    return _site(settings).subscription(channels)


def wake_names(settings: Settings) -> list[str]:
    """Under which names workers hear that something is due at once."""
    return Spread(_site(settings).parts).wakes()


def _site(settings: Settings) -> Site:
    return _site_at(settings.store_named(), settings.store_timeout_s)


@functools.lru_cache(maxsize=4)
def _site_at(url: str, timeout_s: float) -> Site:
    """One for all in a process: what one user of a cluster finds out about it the others know as well."""
    return Site(url, timeout_s)
