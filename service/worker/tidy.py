"""Forgetting: the public lists lose the matches that are gone. Matches themselves expire in the store."""

import logging

from engines import GAMES
from service import metrics
from service.store.errors import StoreError
from service.table.listing import BEING_CREATED_MS, STATUSES
from service.table.table import Table
from service.worker.wake import Wake

EVERY_S = 600
PAGE = 500

_log = logging.getLogger(__name__)


def tidy_for_ever(table: Table, wake: Wake) -> None:
    """Tidy every ten minutes; of several workers one does it."""
    while not wake.stopped:
        try:
            if table.store.reserve("tidy", b"1", 1000 * EVERY_S) is None:
                tidy(table)
        except StoreError as failure:
            metrics.STORE_ERRORS.labels("unavailable", "worker").inc()
            _log.warning("lists are not tidied: %s", failure)
        wake.sleep_through(EVERY_S / 10)


def tidy(table: Table) -> int:
    """Take every match that is gone out of all lists; how many there were."""
    gone = 0
    for game in GAMES:
        before: str | None = None
        while entries := table.store.listed(game, None, before, PAGE):
            before = entries[-1][0]
            records = table.store.load_many([match for _, match in entries])
            for (place, match), record in zip(entries, records, strict=True):
                created_ms = int(place.partition(":")[0])
                if record is None and created_ms < table.edge.now_ms() - BEING_CREATED_MS:
                    gone += 1
                    for status in (None, *STATUSES):
                        table.store.delist(game, match, created_ms, status)
    return gone
