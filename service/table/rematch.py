"""Another match among those who have just played one: same options, seats rotated by one, a fresh secret.

The first call writes the new match's id into the old one, which settles once and for all which match it is; whoever
finds that match missing creates it, and the store lets one of them win. So a crash in between leaves nothing half done.
"""

import msgspec

from engines.kit.chance import SECRET_BYTES
from engines.kit.game import Game
from service.table.change import ATTEMPTS, Change, back_off
from service.table.claim import Claimed
from service.table.edge import token_hash
from service.table.errors import Busy, MatchNotFinished, MatchOver, WrongSeat
from service.table.limits import count_change
from service.table.records import Head, Live, Record, Seat, read_record
from service.table.seats import find, recognise
from service.table.table import Table


def rematch(table: Table, game: Game, match: str, token: str | None) -> Claimed:
    """The caller's seat in the next match, with a new token. Posted again it gives a fresh token, the old one dead.

    Raises, in this order: `UnknownMatch`, `Unauthenticated`, `WrongSeat` (the host's token holds no seat),
    `RateLimited`, `MatchNotFinished`; `MatchOver` when the next match was aborted; `Busy`; `StoreUnavailable`,
    `OutcomeUnknown`.
    """
    for attempt in range(ATTEMPTS):
        back_off(table.edge, attempt)
        old = find(table, game, match)
        seat = _old_seat(old, token)
        if attempt == 0:
            count_change(table, match, seat)
        if old.live.status != "finished":
            raise MatchNotFinished("A rematch follows a match that was played to its end.")
        next_id = old.head.rematch or _propose(table, old)
        if next_id is None:
            continue
        claimed = _sit_down(table, old, next_id, seat)
        if claimed is not None:
            return claimed
    raise Busy


def _old_seat(old: Record, token: str | None) -> int:
    who = recognise(old, token)
    if who.seat is None:
        raise WrongSeat("Only those who played the match ask for another: send your seat's token.")
    return who.seat


def _propose(table: Table, old: Record) -> str | None:
    """Settle the id of the next match. None: somebody else is doing so."""
    next_id = table.edge.match_id()
    change = Change(old, table)
    change.head = msgspec.structs.replace(old.head, rematch=next_id)
    return next_id if change.store() else None


def _sit_down(table: Table, old: Record, next_id: str, old_seat: int) -> Claimed | None:
    """Take the seat that the old one turns into. None: another write came first."""
    stored = table.store.load(next_id)
    record = _unmade(table, old, next_id) if stored is None else read_record(next_id, stored)
    if record.live.finished_ms is not None:
        raise MatchOver("The rematch did not come together, or is over. Create a new match.")
    number = rotated(old_seat, len(old.head.seats))
    token = table.edge.token()
    change = Change(record, table)
    if stored is None:
        change.tell("match_created", None, {"rematch_of": old.match})
        for seat, held in enumerate(record.head.seats):
            if held.kind == "bot":
                change.tell("seat_claimed", seat, {"name": held.name, "kind": held.kind})
    held = record.head.seats[number]
    if held.kind == "open":
        name = old.head.seats[old_seat].name
        change.seat(number, Seat("player", name, token_hash(token), "", change.write))
        change.tell("seat_claimed", number, {"name": name, "kind": "player"})
        if all(seat.kind != "open" for seat in change.head.seats):
            change.start()
    else:
        change.seat(number, msgspec.structs.replace(held, token=token_hash(token)))
        change.tell_renewed(number, "seat")
    return Claimed(change.record_after(), number, token) if change.store() else None


def rotated(seat: int, seats: int) -> int:
    """Where who sat on this seat sits next: one further."""
    return (seat + 1) % seats


def _unmade(table: Table, old: Record, next_id: str) -> Record:
    """The next match as it is before it is first written: all seats open but the bots'."""
    seats = [Seat()] * len(old.head.seats)
    for number, seat in enumerate(old.head.seats):
        if seat.kind == "bot":
            seats[rotated(number, len(seats))] = Seat("bot", seat.name, bot=seat.name)
    head: Head = msgspec.structs.replace(
        old.head,
        rules_version=old.game.rules_version,
        seats=tuple(seats),
        join_code=table.edge.join_code(),
        secret=table.edge.random_bytes(SECRET_BYTES),
        fixed=None,
        created_ms=table.edge.now_ms(),
        rematch=None,
        rematch_of=old.match,
        hook=None if old.head.hook is None else msgspec.structs.replace(old.head.hook, off=False),
    )
    live = Live(status="waiting", version=0, seq=0)
    return Record(next_id, old.game, b"", head, live)
