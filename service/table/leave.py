"""Getting up, and ending a match early: seats freed or resigned, tokens renewed, matches aborted."""

import msgspec

from engines.kit.game import Game
from service.table.change import ATTEMPTS, Change, back_off
from service.table.edge import token_hash
from service.table.errors import Busy, HostOnly, MatchOver, MatchStarted, MatchWaiting, WrongSeat
from service.table.limits import count_change
from service.table.records import Record, Seat
from service.table.seats import Who, find, recognise, seat_number
from service.table.table import Table


def leave(table: Table, game: Game, match: str, seat: str, token: str | None) -> Record:
    """Free a seat before the start, or resign it while playing; the match's `on_absent` decides what follows.

    Freeing an open seat, or resigning again, changes nothing. Answers the match as it is then.

    Raises, in this order: `UnknownMatch`, `UnknownSeat`, `Unauthenticated`, `WrongSeat` (while playing for the host
    too), `RateLimited`, `MatchOver`; `Busy`; `StoreUnavailable`, `OutcomeUnknown`.
    """
    for attempt in range(ATTEMPTS):
        back_off(table.edge, attempt)
        record = find(table, game, match)
        number = seat_number(record, seat)
        who = recognise(record, token)
        waiting = record.live.status == "waiting"
        if who.seat != number and not (who.host and waiting):
            raise WrongSeat(f"Only the holder of seat {number} can give it up{' (or the host)' if waiting else ''}.")
        if attempt == 0:
            count_change(table, match, who.seat)
        change = Change(record, table)
        if waiting:
            _free(change, number)
        else:
            _check_playing(record)
            _resign(change, number)
        if not change.events:
            return record
        if change.store():
            return change.record_after()
    raise Busy


def _free(change: Change, number: int) -> None:
    if change.head.seats[number].kind != "open":
        change.seat(number, Seat())
        change.tell("seat_freed", number, {})


def _resign(change: Change, number: int) -> None:
    seat = change.head.seats[number]
    if seat.resigned:
        return
    change.seat(number, msgspec.structs.replace(seat, resigned=True))
    change.tell("seat_resigned", number, {"on_absent": change.head.on_absent})
    if change.head.on_absent == "abort":
        change.abort("resigned")
    elif change.head.on_absent == "bot":
        if seat.bot is None:
            change.hand_to_bot(number)
    else:
        change.play_for_the_absent()


def abort(table: Table, game: Game, match: str, token: str | None) -> Record:
    """End a match without a result: while it waits, or while it is played if it was created so.

    Raises, in this order: `UnknownMatch`, `Unauthenticated`, `HostOnly`, `MatchStarted`, `MatchOver`; `Busy`;
    `StoreUnavailable`, `OutcomeUnknown`.
    """
    for attempt in range(ATTEMPTS):
        back_off(table.edge, attempt)
        record = find(table, game, match)
        if not recognise(record, token).host:
            raise HostOnly("Only the host's token aborts a match. A seat gives itself up at its own address.")
        if record.live.finished_ms is not None:
            raise MatchOver("The match is over already.")
        change = Change(record, table)
        if record.live.status == "playing" and not record.head.host_can_abort and not change.overdue:
            raise MatchStarted("The match has started, and was created without `host_can_abort`.")
        change.abort("host")
        if change.store():
            return change.record_after()
    raise Busy


class Renewed(msgspec.Struct, frozen=True):
    """A seat's new token."""

    match: str
    seat: int
    token: str


def renew(table: Table, game: Game, match: str, seat: str, token: str | None) -> Renewed:
    """A new token for a seat; the old one stops working.

    Raises, in this order: `UnknownMatch`, `UnknownSeat`, `Unauthenticated`, `WrongSeat` (the host after the start,
    unless the seat has resigned), `RateLimited`, `MatchWaiting` for a seat that nobody holds; `Busy`;
    `StoreUnavailable`, `OutcomeUnknown`.
    """
    for attempt in range(ATTEMPTS):
        back_off(table.edge, attempt)
        record = find(table, game, match)
        number = seat_number(record, seat)
        who = recognise(record, token)
        held = record.head.seats[number]
        if who.seat != number and not _host_may_renew(record, who, held):
            raise WrongSeat(
                f"Only the holder of seat {number} renews its token; the host before the start, or once "
                "the seat has resigned."
            )
        if attempt == 0:
            count_change(table, match, who.seat)
        if held.kind == "bot":
            raise WrongSeat(f"A bot holds seat {number}: it has no token.")
        if held.kind == "open":
            raise MatchWaiting(f"Nobody holds seat {number}: claim it instead.")
        fresh = table.edge.token()
        change = Change(record, table)
        change.seat(number, msgspec.structs.replace(held, token=token_hash(fresh)))
        change.tell_renewed(number, "host" if who.host else "seat")
        if change.store():
            return Renewed(match, number, fresh)
    raise Busy


def _host_may_renew(record: Record, who: Who, held: Seat) -> bool:
    return who.host and (record.live.status == "waiting" or held.resigned)


def _check_playing(record: Record) -> None:
    if record.live.finished_ms is not None:
        raise MatchOver("The match is over: there is nothing left to resign.")
