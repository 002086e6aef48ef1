"""The feed: what has happened, numbered, the same for everyone."""

import msgspec

from service.table.errors import MatchUnreadable
from service.table.records import DAMAGED, Record
from service.table.table import Table

LIMIT_MOST = 500


class Page(msgspec.Struct, frozen=True):
    """Some events, encoded. `last` is the number of the newest here, or what was asked for when there are none."""

    events: list[msgspec.Raw]
    last: int
    more: bool


def page(table: Table, record: Record, after: int, limit: int, newest: int) -> Page:
    """The events after number `after`, up to number `newest`, at most `limit`. Raises `MatchUnreadable`."""
    wanted = min(limit, newest - after)
    found = events(table, record, after, wanted) if wanted > 0 else []
    last = after + len(found)
    return Page([msgspec.Raw(event) for event in found], last, last < newest)


def events(table: Table, record: Record, after: int, count: int) -> list[bytes]:
    """So many events after number `after`, which the record says are there. Raises `MatchUnreadable` if not."""
    found = table.store.events(record.match, after, count)
    if len(found) != count or any(_number(event) != after + place for place, event in enumerate(found, start=1)):
        raise MatchUnreadable(DAMAGED)
    return found


def since(table: Table, record: Record, version: int, most: int) -> tuple[list[msgspec.Raw], bool]:
    """The events of all versions above `version`, at most `most`, oldest first, and whether there are more."""
    found: list[bytes] = []
    last = record.live.seq
    # Read backwards in pages: a client is seldom more than a few moves behind.
    while last > 0:
        first = max(0, last - 100)
        newer = [event for event in events(table, record, first, last - first) if _version(event) > version]
        found = newer + found
        if len(newer) < last - first:
            break
        last = first
    return [msgspec.Raw(event) for event in found[:most]], len(found) > most


class _Numbers(msgspec.Struct):
    seq: int
    version: int


_NUMBERS = msgspec.json.Decoder(_Numbers)


def _version(event: bytes) -> int:
    return _NUMBERS.decode(event).version


def _number(event: bytes) -> int | None:
    """The number of an event; None for what is none."""
    try:
        return _NUMBERS.decode(event).seq
    except msgspec.MsgspecError:
        return None
