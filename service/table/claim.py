"""Sitting down: the claim that fills the last seat starts the match."""

import msgspec

from engines.kit.game import Game
from service.store.port import Remember
from service.table.change import ATTEMPTS, Change, back_off
from service.table.create import REPEAT_MS
from service.table.edge import token_hash
from service.table.errors import (
    Busy,
    HostOnly,
    IdempotencyMismatch,
    Invalid,
    MatchOver,
    MatchStarted,
    SeatTaken,
    WrongJoinCode,
)
from service.table.limits import count_bot, count_change
from service.table.records import Record, Seat, seal, unseal
from service.table.seats import GUEST, Who, find, recognise, right_join_code
from service.table.table import Table


class Wanted(msgspec.Struct, frozen=True):
    """What a player asks for, or (with `bot`, and no name) the host. `seat` None takes the lowest open one."""

    seat: int | None
    name: str | None
    nonce: str = ""
    join_code: str | None = None
    bot: str | None = None


class Claimed(msgspec.Struct, frozen=True):
    """A seat and its token; a bot's seat has none."""

    record: Record
    seat: int
    token: str | None


class _Remembered(msgspec.Struct, frozen=True, array_like=True):
    body: bytes
    seat: int
    claim: bytes


_REMEMBERED = msgspec.msgpack.Decoder(_Remembered)


def arrive(table: Table, game: Game, match: str, token: str | None, key: str | None) -> tuple[Record, Who]:
    """The match that somebody wants to sit down at, and who that is: a guest without a token, or its host.

    Raises `UnknownMatch`, then `Unauthenticated` for a token that is nobody's here, and `RateLimited`.
    """
    record = find(table, game, match, None if key is None else f"claim:{key}")
    if token is None:
        return record, GUEST
    who = recognise(record, token)
    count_change(table, match, who.seat)
    return record, who


def claim(
    table: Table, record: Record, who: Who, wanted: Wanted, address: str, key: str | None, body_hash: bytes
) -> tuple[Claimed, bool]:
    """A seat for a player: (it, whether this is a repeat of a claim that succeeded).

    A repeat within ten minutes gives the same seat with a fresh token; the old one stops working.

    Raises, in this order: `Invalid` (no such seat or bot), `RateLimited` and `WrongJoinCode` (unlisted matches, unless
    the host asks), `HostOnly` and `RateLimited` (a bot), `IdempotencyMismatch`, `MatchStarted`, `MatchOver`,
    `SeatTaken`; `Busy`; `StoreUnavailable`, `OutcomeUnknown`.
    """
    _check_wanted(record, wanted)
    if wanted.bot is not None and not who.host:
        raise HostOnly("Only the host's token puts a bot on a seat.")
    if wanted.bot is not None:
        count_bot(table, address)
    _check_join_code(table, record, who, wanted.join_code, address)
    for attempt in range(ATTEMPTS):
        if attempt:
            back_off(table.edge, attempt)
            record = find(table, record.game, record.match, None if key is None else f"claim:{key}")
        try:
            seat = _remembered_seat(record, body_hash)
        except SeatTaken:
            if attempt:
                raise
            continue  # the key was read after the record: its claim may just have landed, and shows in the next one
        repeat = seat is not None
        if seat is None:
            _check_waiting(record)
            seat = _open_seat(record, wanted.seat)
        token = table.edge.token() if wanted.bot is None else None
        change = Change(record, table)
        if repeat and token is None:
            return Claimed(record, seat, None), True
        if repeat and token is not None:
            _renew(change, seat, token)
            remember = None
        else:
            _sit_down(change, seat, wanted, token)
            remember = _remember(key, body_hash, seat, change.write)
        if change.store(remember):
            return Claimed(change.record_after(), seat, token), repeat
    raise Busy


def _check_wanted(record: Record, wanted: Wanted) -> None:
    seats, bots = len(record.head.seats), record.game.bots
    if wanted.seat is not None and wanted.seat >= seats:
        raise Invalid("$.seat", f"This match has the seats 0 to {seats - 1}.")
    if (wanted.name is None) == (wanted.bot is None):
        raise Invalid("$.name", "Send a `name` to sit down yourself, or (as the host) a `bot` to put one on the seat.")
    if wanted.bot is not None and wanted.bot not in bots:
        raise Invalid("$.bot", f"This game's bots are: {', '.join(bots) or 'none'}.")


def _check_join_code(table: Table, record: Record, who: Who, code: str | None, address: str) -> None:
    if record.head.visibility == "listed" or who.host:
        return
    if code is None:
        raise WrongJoinCode("This match is unlisted: send its `join_code`, which its host has.")
    if not right_join_code(table, record, code, address):
        raise WrongJoinCode("This is not the join code of this match. Ask the host for it.")


def _check_waiting(record: Record) -> None:
    if record.live.status == "playing":
        raise MatchStarted("The match has started: all its seats are taken. Watch it, or find one that waits.")
    if record.live.status != "waiting":
        raise MatchOver("The match is over. Find one that waits, or create one.")


def _open_seat(record: Record, wanted: int | None) -> int:
    """The seat asked for, or the lowest open one. A match that waits has one."""
    if record.head.rematch_of is not None:
        raise SeatTaken("All seats are kept for those who played the match before: they post to its `rematch`.")
    open_seats = [number for number, seat in enumerate(record.head.seats) if seat.kind == "open"]
    if wanted is None:
        return open_seats[0]
    if wanted not in open_seats:
        raise SeatTaken(f"Seat {wanted} is taken. Open: {', '.join(map(str, open_seats))}.")
    return wanted


def _sit_down(change: Change, number: int, wanted: Wanted, token: str | None) -> None:
    if token is None:
        seat = Seat("bot", wanted.bot, b"", wanted.nonce, change.write, bot=wanted.bot)
    else:
        seat = Seat("player", wanted.name, token_hash(token), wanted.nonce, change.write)
    change.seat(number, seat)
    change.tell("seat_claimed", number, {"name": seat.name, "kind": seat.kind})
    if all(seat.kind != "open" for seat in change.head.seats):
        change.start()


def _renew(change: Change, number: int, token: str) -> None:
    change.seat(number, msgspec.structs.replace(change.head.seats[number], token=token_hash(token)))
    change.tell_renewed(number, "seat")


def _remember(key: str | None, body_hash: bytes, seat: int, write: bytes) -> Remember | None:
    if key is None:
        return None
    return Remember(f"claim:{key}", seal(_Remembered(body_hash, seat, write)), REPEAT_MS)


def _remembered_seat(record: Record, body_hash: bytes) -> int | None:
    """The seat that this key won before. Raises `IdempotencyMismatch` for another body.

    A seat that was freed since is nobody's to renew: whoever freed it ended what the key stood for.
    """
    if record.remembered is None:
        return None
    remembered = unseal(_REMEMBERED, record.remembered)
    if remembered.body != body_hash:
        raise IdempotencyMismatch
    if record.head.seats[remembered.seat].claim != remembered.claim:
        raise SeatTaken("The seat that this key claimed has been freed since. Use a fresh key to claim another.")
    return remembered.seat
