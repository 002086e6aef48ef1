"""What a viewer may see of a match by now: everything, or, for spectators of a delayed match, what is old enough."""

from typing import Any

import msgspec

from engines.kit.game import Viewer
from service.table.feed import since
from service.table.records import Record
from service.table.replay import position
from service.table.table import Table

DELAY_MOST = 100


class Sight(msgspec.Struct, frozen=True):
    """The match as a viewer sees it: up to which version and event, and the position there (None before the start)."""

    version: int
    seq: int
    state: Any
    to_move: tuple[int, ...]
    outcome: Any


def delayed(record: Record) -> bool:
    """Whether spectators are kept behind now."""
    return record.head.spectators.delay > 0 and record.live.status == "playing"


def newest_seen(table: Table, record: Record) -> int:
    """The number of the newest event that spectators may see."""
    live = record.live
    if not delayed(record):
        return live.seq
    newer, _ = since(table, record, max(0, live.version - record.head.spectators.delay), live.seq)
    return live.seq - len(newer)


def sight(table: Table, record: Record, viewer: Viewer) -> Sight:
    """What the viewer sees now. Seats see everything that they may know at once; once it is over, so does everybody."""
    live = record.live
    if viewer is not None or not delayed(record):
        return Sight(live.version, live.seq, record.state, record.to_move, record.outcome)
    version = max(0, live.version - record.head.spectators.delay)
    state = position(table, record, version)
    return Sight(version, newest_seen(table, record), state, record.game.to_move(state), None)
