"""The feed: what has happened, numbered, the same for everyone."""

from collections.abc import Callable

import msgspec

from service.table.records import Record
from service.table.table import Table

REREAD_S = 0.2


class Page(msgspec.Struct, frozen=True):
    """Some events, encoded. `last` is the number of the newest here, or what was asked for when there are none."""

    events: list[msgspec.Raw]
    last: int
    more: bool


def page(table: Table, record: Record, after: int, limit: int) -> Page:
    """The events after number `after`, up to the newest that the loaded record knows."""
    wanted = min(limit, record.live.seq - after)
    found = table.store.events(record.match, after, wanted) if wanted > 0 else []
    last = after + len(found)
    return Page([msgspec.Raw(event) for event in found], last, last < record.live.seq)


def wait(
    table: Table, record: Record, after: int, limit: int, wait_s: int, again: Callable[[], Record]
) -> tuple[Record, Page]:
    """A page that is not empty, or an empty one after `wait_s` seconds or once the match is over.

    `again` loads the match anew; what it refuses (a token that was renewed meanwhile) ends the waiting.
    """
    deadline_ms = table.edge.now_ms() + 1000 * wait_s
    while record.live.seq <= after and record.live.finished_ms is None and table.edge.now_ms() < deadline_ms:
        table.edge.sleep_s(REREAD_S)
        record = again()
    return record, page(table, record, after, limit)


def since(table: Table, record: Record, version: int, most: int) -> tuple[list[msgspec.Raw], bool]:
    """The events of all versions above `version`, at most `most`, oldest first, and whether there are more."""
    found: list[bytes] = []
    last = record.live.seq
    # Read backwards in pages: a client is seldom more than a few moves behind.
    while last > 0:
        first = max(0, last - most)
        newer = [event for event in table.store.events(record.match, first, last - first) if _version(event) > version]
        found = newer + found
        if len(newer) < last - first:
            break
        last = first
    return [msgspec.Raw(event) for event in found[:most]], len(found) > most


class _Version(msgspec.Struct):
    version: int


_VERSION = msgspec.json.Decoder(_Version)


def _version(event: bytes) -> int:
    return _VERSION.decode(event).version
