"""The public list of matches, newest first."""

import base64
import binascii
import logging
import re

import msgspec

from engines.kit.game import Game
from service.store.errors import StoreUnavailable
from service.store.port import Stored
from service.table.errors import Invalid, MatchUnreadable
from service.table.records import Record, Status, read_record
from service.table.table import Table

STATUSES: tuple[Status, ...] = ("waiting", "playing", "finished", "aborted")

MOST_BATCHES = 10
"""How often one request reads on, past entries that do not fit, before it answers with what it has."""

BEING_CREATED_MS = 60_000
"""A match is listed just before it is stored: an entry without a match is left alone for this long."""

_log = logging.getLogger(__name__)
_PLACE = re.compile(r"\d{13}:[0-9a-f]{24}", re.ASCII)


class Listed(msgspec.Struct, frozen=True):
    """One page. `next_cursor` None: there are no more."""

    items: list[Record]
    next_cursor: str | None


def listed(table: Table, game: Game, status: Status | None, limit: int, cursor: str | None) -> Listed:
    """Listed matches of a game, newest first; a page may hold fewer than `limit`. Raises `Invalid` for a bad cursor.

    The list can be late, so every entry is compared with its record, and what does not fit is mended on the way.
    """
    before = None if cursor is None else _place(cursor)
    items: list[Record] = []
    for _ in range(MOST_BATCHES):
        entries = table.store.listed(game.key, status, before, limit + 1)
        records = table.store.load_many([match for _, match in entries])
        for (place, match), stored in zip(entries, records, strict=True):
            if len(items) == limit:
                return Listed(items, _cursor(before))
            before = place
            record = None if stored is None else _readable(match, stored)
            if record is not None and status in (None, record.live.status) and _stands_at(place, record):
                items.append(record)
            elif record is not None or stored is None:
                _mend(table, game, status, place, record)
        if len(entries) <= limit:
            return Listed(items, None)
    return Listed(items, _cursor(before))


def _readable(match: str, stored: Stored) -> Record | None:
    try:
        return read_record(match, stored)
    except MatchUnreadable:
        return None


def _stands_at(place: str, record: Record) -> bool:
    """Whether this is the match's own place: of twins that created it at once, each left an entry at its own time."""
    return _created_ms(place) == record.head.created_ms


def _mend(table: Table, game: Game, status: Status | None, place: str, record: Record | None) -> None:
    """Bring one entry of the list in line with its record (None: there is no such match), if the store can write."""
    created_ms, match = _created_ms(place), place.partition(":")[2]
    too_young = created_ms >= table.edge.now_ms() - BEING_CREATED_MS
    try:
        if record is not None and _stands_at(place, record):
            table.store.enlist(game.key, match, created_ms, record.live.status, status)
        elif record is not None or not too_young:
            table.store.delist(game.key, match, created_ms, status)
    except StoreUnavailable as full:
        _log.warning("list of %s stays late: %s", game.key, full)


def _created_ms(place: str) -> int:
    return int(place.partition(":")[0])


def _cursor(place: str | None) -> str:
    return base64.urlsafe_b64encode((place or "").encode()).decode()


def _place(cursor: str) -> str:
    try:
        place = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True).decode("ascii")
    except (UnicodeError, binascii.Error):
        place = ""
    if not _PLACE.fullmatch(place):
        raise Invalid("$.cursor", "Send the `next_cursor` of an earlier page as it is, or leave it out.")
    return place
