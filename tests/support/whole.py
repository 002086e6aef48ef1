"""Is a stored match whole? What faults may never leave behind is a match of which only a part was written."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import redis

from service.store.port import Stored
from service.table.change import FeedEvent
from service.table.records import Record, pack, read_log, read_record


@dataclass(frozen=True)
class Snapshot:
    """All that is stored of a match, to compare before and after."""

    version: int
    seq: int
    status: str
    record: tuple[tuple[bytes, bytes], ...]
    moves: tuple[bytes, ...]
    feed: tuple[bytes, ...]


def assert_whole(client: "redis.Redis", match: str) -> Snapshot:
    """The match as it is stored. Fails unless record, move log, feed and times to live agree with each other."""
    name = f"sb:{{{match}}}"
    with client.pipeline(transaction=True) as asked:
        asked.hgetall(name)
        asked.lrange(f"{name}:moves", 0, -1)
        asked.lrange(f"{name}:feed", 0, -1)
        for key in (name, f"{name}:feed", f"{name}:moves"):
            asked.pttl(key)
        fields, moves, feed, *lives = asked.execute()
    record = read_record(match, Stored(fields[b"write"], fields[b"head"], fields[b"live"]))
    live = record.live

    assert len(moves) == live.version, f"{len(moves)} moves are logged, the record says version {live.version}"
    events = [msgspec.json.decode(event, type=FeedEvent) for event in feed]
    assert [event.seq for event in events] == list(range(1, live.seq + 1)), "the feed has gaps, or is late"
    versions = [event.version for event in events]
    assert versions == sorted(versions)
    assert set(versions) == set(range(live.version + 1)), "a version has no event, or one more than there are moves"
    assert events[0].type == "match_created"
    assert [event.type for event in events].count("match_started") == int(live.started_ms is not None)
    over = [event.type for event in events if event.type in ("match_finished", "match_aborted")]
    assert over == {"finished": ["match_finished"], "aborted": ["match_aborted"]}.get(live.status, [])

    if live.started_ms is not None:
        assert pack(record.state) == _replayed(record, moves), "the position is not what the moves lead to"
    kept = lives if moves else lives[:2]
    assert min(kept) > 0, "a part of the match never expires, or is gone"
    assert max(kept) - min(kept) <= 5, f"parts of the match expire apart from each other: {kept}"
    return Snapshot(live.version, live.seq, live.status, tuple(sorted(fields.items())), tuple(moves), tuple(feed))


def _replayed(record: Record, moves: Sequence[bytes]) -> bytes:
    """The position, packed, that the logged moves lead to from the deal."""
    game, head = record.game, record.head
    state = game.setup(record.options, len(head.seats), head.chance(record.match)).state
    for entry, move in read_log(game, list(moves), record.live.version):
        state = game.apply(state, entry.seat, move).state
    packed: bytes = pack(state)
    return packed
