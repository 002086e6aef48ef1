"""The feed: what has happened, numbered, the same for everyone."""

import msgspec

from service.table.records import Record
from service.table.table import Table

LIMIT_MOST = 500


class Page(msgspec.Struct, frozen=True):
    """Some events, encoded. `last` is the number of the newest here, or what was asked for when there are none."""

    events: list[msgspec.Raw]
    last: int
    more: bool


def page(table: Table, record: Record, after: int, limit: int, newest: int) -> Page:
    """The events after number `after`, up to number `newest`, at most `limit`."""
    wanted = min(limit, newest - after)
    found = table.store.events(record.match, after, wanted) if wanted > 0 else []
    last = after + len(found)
    return Page([msgspec.Raw(event) for event in found], last, last < newest)


def since(table: Table, record: Record, version: int, most: int) -> tuple[list[msgspec.Raw], bool]:
    """The events of all versions above `version`, at most `most`, oldest first, and whether there are more."""
    found: list[bytes] = []
    last = record.live.seq
    # Read backwards in pages: a client is seldom more than a few moves behind.
    while last > 0:
        first = max(0, last - 100)
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
