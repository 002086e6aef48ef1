"""Who is asking: a match found, a seat found, a token recognised. The first three refusals of every request."""

import re
from hmac import compare_digest

import msgspec

from engines.kit.game import Game
from service.table.edge import JOIN_CODE_LENGTH, token_hash
from service.table.errors import Unauthenticated, UnknownMatch, UnknownSeat, WrongSeat
from service.table.limits import count_guess
from service.table.records import Record, read_record
from service.table.table import Table

_MATCH_ID = re.compile(r"[0-9a-f]{24}", re.ASCII)


class Who(msgspec.Struct, frozen=True):
    """A recognised caller: a seat, the host, or (both empty) a guest."""

    seat: int | None = None
    host: bool = False


GUEST = Who()


class Sitting(msgspec.Struct, frozen=True):
    """A seat's holder, recognised in a match as it was at one moment."""

    record: Record
    seat: int


def find(table: Table, game: Game, match: str, key: str | None = None) -> Record:
    """The match, with what is remembered under `key`. Raises `UnknownMatch`, `MatchUnreadable`, `StoreUnavailable`."""
    stored = table.store.load(match, key) if _MATCH_ID.fullmatch(match) else None
    table.recent.forget(match)
    if stored is None:
        raise UnknownMatch
    record = read_record(match, stored)
    if record.game.key != game.key:
        raise UnknownMatch
    table.recent.put(record)
    return record


def seat_number(record: Record, seat: str) -> int:
    """The seat that a path names. Raises `UnknownSeat`."""
    seats = len(record.head.seats)
    if not (seat.isascii() and seat.isdigit()) or str(int(seat[:4])) != seat or int(seat) >= seats:
        raise UnknownSeat(seats)
    return int(seat)


def recognise(record: Record, token: str | None) -> Who:
    """Whose token this is. Raises `Unauthenticated` for none, an unknown one, or another match's."""
    if token is None:
        raise Unauthenticated("Send your token of this match: `Authorization: Bearer <token>`.")
    hashed = token_hash(token)
    for number, seat in enumerate(record.head.seats):
        if seat.token and compare_digest(seat.token, hashed):
            return Who(seat=number)
    if compare_digest(record.head.host, hashed):
        return Who(host=True)
    raise Unauthenticated("This token opens nothing in this match: it is another match's, was renewed, or is mistyped.")


def sit(table: Table, game: Game, match: str, seat: str, token: str | None) -> Sitting:
    """The seat's own holder, in the match as it is now.

    Raises `UnknownMatch`, `UnknownSeat`, `Unauthenticated`, then `WrongSeat` for another seat's or the host's token.
    """
    return seated(find(table, game, match), seat, token)


def seated(record: Record, seat: str, token: str | None) -> Sitting:
    """The seat's own holder, in this record. Raises like `sit`, from `UnknownSeat` on."""
    number = seat_number(record, seat)
    if recognise(record, token).seat != number:
        raise WrongSeat(f"This token is not seat {number}'s. Only the holder of a seat sees and moves for it.")
    return Sitting(record, number)


def spectate(table: Table, game: Game, match: str, token: str | None, address: str) -> Record:
    """The match as anybody may watch it: a listed one freely, an unlisted one with any of its tokens or its join code,
    one that is closed to spectators with its tokens alone.

    Raises `UnknownMatch`, then `Unauthenticated`; `RateLimited` for an address that keeps guessing join codes.
    """
    record = find(table, game, match)
    if not record.head.spectators.open:
        if token is None:
            raise Unauthenticated("This match is not open to spectators: send one of its tokens.")
        recognise(record, token)
        return record
    if record.head.visibility == "listed" and token is None:
        return record
    if token is not None and len(token) == JOIN_CODE_LENGTH:
        if right_join_code(table, record, token, address):
            return record
        if record.head.visibility == "listed":
            raise Unauthenticated("This join code is not this match's. It is listed: watch it without one.")
        raise Unauthenticated("This join code is not this match's. Ask the host for it.")
    if token is None:
        raise Unauthenticated("This match is unlisted: send its join code or one of its tokens as a bearer token.")
    recognise(record, token)
    return record


def right_join_code(table: Table, record: Record, code: str, address: str) -> bool:
    """Whether this is the match's join code, in capitals or not.

    Raises `RateLimited` after too many wrong ones, whatever the code: for each match and address.
    """
    right = compare_digest(record.head.join_code.encode(), code.upper().encode("utf-8", "surrogatepass"))
    count_guess(table, record.match, address, right)
    return right
