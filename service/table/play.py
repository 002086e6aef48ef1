"""A move: judged, stored, answered, in this order."""

from typing import Any

import msgspec

from service.store.port import Remember
from service.table.change import ATTEMPTS, Change, back_off
from service.table.errors import (
    Busy,
    IdempotencyMismatch,
    MatchOver,
    MatchWaiting,
    StaleVersion,
)
from service.table.feed import events, since
from service.table.look import LegalMoves, legal_moves_at
from service.table.records import Record, seal, unseal
from service.table.replay import position
from service.table.seats import Sitting
from service.table.table import Table
from service.table.takeover import take_back

STALE_EVENTS = 100
"""The most events that a stale move's refusal carries."""


class Played(msgspec.Struct, frozen=True):
    """What a move came to: all that its seat needs for the next one."""

    version: int
    events: list[msgspec.Raw]
    to_move: tuple[int, ...]
    view: Any
    legal_moves: LegalMoves
    outcome: Any


class Applied(msgspec.Struct, frozen=True, array_like=True):
    """What is remembered of an accepted move: enough to give its answer again, byte for byte."""

    body: bytes
    version: int
    first_seq: int
    last_seq: int


_APPLIED = msgspec.msgpack.Decoder(Applied)


def play(
    table: Table, sitting: Sitting, move: Any, expected_version: int | None, body_hash: bytes
) -> tuple[Played, bool]:
    """Make a move for the seat: (what it came to, whether this is a repeat of an answer given before).

    A seat that was left to others is taken back by its player's move.

    Raises, in this order: `IdempotencyMismatch`, `MatchWaiting`, `MatchOver`, `StaleVersion`, `SeatGivenUp`,
    `NotYourTurn`, `IllegalMove`; `Busy` after `ATTEMPTS` lost races; `StoreUnavailable`, `OutcomeUnknown`.
    """
    for attempt in range(ATTEMPTS):
        if attempt:
            back_off(table.edge, attempt)
            sitting = sitting.again(table)
        record = sitting.record
        if record.remembered is not None:
            return _repeat(table, sitting, record.remembered, body_hash), True
        _check_open(record)
        _check_version(table, record, move, expected_version)
        change = Change(record, table)
        take_back(change, sitting.seat)
        change.play(sitting.seat, move, "player")
        change.play_for_the_absent()
        if change.store(_remember(table, sitting, change, body_hash)):
            return _played(record, sitting.seat, change.version, change.state, change.events), False
    raise Busy


def _check_open(record: Record) -> None:
    if record.live.status == "waiting":
        raise MatchWaiting("The match has not started: it does so when the last seat is claimed.")
    if record.live.status != "playing":
        raise MatchOver("The match is over: nothing more can be played. Its replay is open.")


def _check_version(table: Table, record: Record, move: Any, expected: int | None) -> None:
    anytime = move.__struct_config__.tag in record.game.anytime
    if expected is None or anytime or expected == record.live.version:
        return
    events, truncated = since(table, record, expected, STALE_EVENTS)
    raise StaleVersion(record.live.version, events, truncated)


def _remember(table: Table, sitting: Sitting, change: Change, body_hash: bytes) -> Remember | None:
    if sitting.key is None:
        return None
    applied = Applied(body_hash, change.version, sitting.record.live.seq + 1, change.seq)
    return Remember(f"move:{sitting.seat}:{sitting.key}", seal(applied), 1000 * table.lifetimes.move_key_s)


def _repeat(table: Table, sitting: Sitting, remembered: bytes, body_hash: bytes) -> Played:
    """The first answer again: the position after that move is replayed, and its events are read from the feed."""
    applied = unseal(_APPLIED, remembered)
    if applied.body != body_hash:
        raise IdempotencyMismatch
    record = sitting.record
    told = events(table, record, applied.first_seq - 1, applied.last_seq - applied.first_seq + 1)
    state = position(table, record, applied.version)
    return _played(record, sitting.seat, applied.version, state, told)


def _played(record: Record, seat: int, version: int, state: Any, events: list[bytes]) -> Played:
    game = record.game
    to_move = game.to_move(state)
    return Played(
        version=version,
        events=[msgspec.Raw(event) for event in events],
        to_move=to_move,
        view=game.view_for(state, seat),
        legal_moves=legal_moves_at(record, seat, version, state, to_move),
        outcome=game.outcome(state),
    )
