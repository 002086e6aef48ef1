"""Webhooks: which events a platform has still to hear, when to try again, and when to give it up.

How far the deliveries of a match have come is the note of its errand (`Store.hold`), beside the record: deliveries and
moves never wait for each other. Every event is delivered at least once, in order, under an id that stays the same.
"""

import msgspec

from service.table import feed
from service.table.change import ATTEMPTS, Change, back_off
from service.table.edge import Edge
from service.table.errors import Busy
from service.table.records import Hook, Record, read_record, seal, unseal
from service.table.table import Table
from service.table.watch import newest_seen

AT_ONCE = 20
"""How many events of one match are delivered before other matches have their turn."""

WAITS_S = (5, 30, 120, 600, 1800, 3600, 7200)
"""How long to wait after the first failure, the second, ...; the last again and again, all a fifth more or less."""

GIVEN_UP_AFTER_MS = 24 * 3600 * 1000
"""After failing for so long, without one success, an endpoint is given up."""

ATTEMPTS_LEAST = 10
"""But not after fewer attempts: a day on which no worker worked says nothing of an endpoint."""


class Told(msgspec.Struct, frozen=True, array_like=True):
    """How far the deliveries have come: up to event `seq`. `reached`: the endpoint has taken one.

    `failures` in a row, since when, and not to be tried before when.
    """

    seq: int = 0
    reached: bool = False
    failures: int = 0
    since_ms: int | None = None
    next_ms: int | None = None


class Message(msgspec.Struct, frozen=True):
    """One event to deliver. The id and the body are the same at every attempt."""

    id: str
    seq: int
    body: bytes


class Outstanding(msgspec.Struct, frozen=True):
    """What the platform is to hear next: the messages among the events up to `seq`. `more`: further events exist."""

    hook: Hook
    messages: list[Message]
    seq: int
    more: bool


class _Payload(msgspec.Struct, frozen=True):
    game: str
    match: str
    event: msgspec.Raw


class _Body(msgspec.Struct, frozen=True):
    type: str
    timestamp: str
    data: _Payload


class _Event(msgspec.Struct):
    seq: int
    type: str
    at: str


_TOLD = msgspec.msgpack.Decoder(Told)
_EVENT = msgspec.json.Decoder(_Event)
_encode = msgspec.json.Encoder().encode


def read_note(note: bytes) -> Told:
    """How far the deliveries have come. Raises `MatchUnreadable`."""
    return unseal(_TOLD, note) if note else Told()


write_note = seal
"""The note of it."""


def outstanding(table: Table, match: str, told: Told) -> Outstanding | None:
    """What is to be delivered now; None when the match is gone, or nobody wants to hear of it any more.

    A platform has no seat: of a match whose spectators are kept behind it hears what they may see.

    Raises `MatchUnreadable`, `StoreUnavailable`.
    """
    stored = table.store.load(match)
    record = None if stored is None else read_record(match, stored)
    if record is None or record.head.hook is None or record.head.hook.off:
        return None
    newest = newest_seen(table, record)
    count = min(AT_ONCE, newest - told.seq)
    events = feed.events(table, record, told.seq, count) if count > 0 else []
    messages = [message for event in events if (message := _message(record, record.head.hook, event)) is not None]
    seq = told.seq + len(events)
    return Outstanding(record.head.hook, messages, seq, seq < newest)


def _message(record: Record, hook: Hook, event: bytes) -> Message | None:
    told = _EVENT.decode(event)
    if hook.events and told.type not in hook.events:
        return None
    payload = _Payload(record.head.game, record.match, msgspec.Raw(event))
    return Message(f"{record.match}.{told.seq}", told.seq, _encode(_Body(told.type, told.at, payload)))


def failed(told: Told, edge: Edge) -> Told | None:
    """The same after one more failure, with when to try next; None: it has been failing for too long."""
    now_ms = edge.now_ms()
    since_ms = now_ms if told.since_ms is None else told.since_ms
    last_ms = since_ms + GIVEN_UP_AFTER_MS
    failures = told.failures + 1
    if now_ms >= last_ms and failures >= ATTEMPTS_LEAST:
        return None
    spread = 0.8 + 0.4 * edge.random_bytes(1)[0] / 255  # many that failed at once must not come back at once
    wait_ms = round(1000 * WAITS_S[min(failures, len(WAITS_S)) - 1] * spread)
    next_ms = now_ms + wait_ms
    return Told(told.seq, told.reached, failures, since_ms, min(next_ms, last_ms) if now_ms < last_ms else next_ms)


def switch_off(table: Table, match: str, reason: str) -> None:
    """Give the endpoint of a match up, for good, and say so in the match: in its feed too, unless that has ended.

    `reason` is `gone` or `failing`. Raises `MatchUnreadable`; `Busy`; `StoreUnavailable`, `OutcomeUnknown`.
    """
    for attempt in range(ATTEMPTS):
        back_off(table.edge, attempt)
        stored = table.store.load(match)
        record = None if stored is None else read_record(match, stored)
        if record is None or record.head.hook is None or record.head.hook.off:
            return
        change = Change(record, table)
        change.head = msgspec.structs.replace(record.head, hook=msgspec.structs.replace(record.head.hook, off=True))
        if record.live.finished_ms is None:
            change.tell("webhook_switched_off", None, {"reason": reason})
        if change.store():
            return
    raise Busy
