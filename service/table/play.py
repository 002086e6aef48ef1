"""A move: judged, stored, answered, in this order; the answer is made while the store is at work.

A match that this process has seen lately is not loaded first: the write compares its id, so that a move on what is
behind is lost there, and judged anew (docs/decisions/0015-moves-in-one-trip.md).
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

from engines.kit.errors import RulesError
from engines.kit.game import Game
from service.store.errors import TooFast
from service.store.port import Pace, Remember
from service.table.change import ATTEMPTS, Change, back_off
from service.table.errors import (
    Busy,
    IdempotencyMismatch,
    MatchOver,
    MatchWaiting,
    RateLimited,
    Refusal,
    StaleVersion,
)
from service.table.feed import events, since
from service.table.look import LegalMoves, legal_moves_at
from service.table.records import Record, seal, unseal
from service.table.replay import position
from service.table.seats import Sitting, find, seated
from service.table.table import Table
from service.table.takeover import take_back

T = TypeVar("T")

STALE_EVENTS = 100
"""The most events that a stale move's refusal carries."""

MINUTE_MS = 60_000


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


class Asked(Protocol):
    """The body of a request for a move. `expected_version` None: whatever the version is."""

    @property
    def move(self) -> Any: ...

    @property
    def expected_version(self) -> int | None: ...


class Ask(msgspec.Struct, frozen=True):
    """A request for a move. `read` gives what it asks for, or raises what is wrong with it: who asks is judged first.

    `body_hash` is the same for bodies that ask for the same.
    """

    game: Game
    match: str
    seat: str
    token: str | None
    read: Callable[[], Asked]
    key: str | None = None
    body_hash: bytes = b""

    @property
    def scoped_key(self) -> str | None:
        """The name under which the answer is remembered in the match."""
        return None if self.key is None else f"move:{self.seat}:{self.key}"


def play(table: Table, ask: Ask, tell: Callable[[Played], T]) -> tuple[T, bool]:
    """Make a move for the seat: (what `tell` makes of what it came to, whether this repeats an answer given before).

    `tell` is called before it is known whether the move is stored: nothing may come of it but its answer.
    A seat that was left to others is taken back by its player's move.

    Raises, in this order: `UnknownMatch`, `UnknownSeat`, `Unauthenticated`, `WrongSeat`, what `ask.read` raises,
    `IdempotencyMismatch`, `MatchWaiting`, `MatchOver`, `StaleVersion`, `SeatGivenUp`, `NotYourTurn`, `IllegalMove`,
    `RateLimited`; `Busy` after `ATTEMPTS` lost races; `MatchUnreadable`, `StoreUnavailable`, `OutcomeUnknown`.
    """
    recent = table.recent.get(ask.match)
    if recent is not None:
        told = _play_on(table, ask, recent, tell)
        if told is not None:
            return told, False
    for attempt in range(ATTEMPTS):
        back_off(table.edge, attempt)
        record = find(table, ask.game, ask.match, ask.scoped_key)
        sitting = seated(record, ask.seat, ask.token)
        asked = ask.read()
        if record.remembered is not None:
            return tell(_repeat(table, sitting, record.remembered, ask.body_hash)), True
        _check_open(record)
        if _stale(record, asked):
            assert asked.expected_version is not None
            raise StaleVersion(record.live.version, *since(table, record, asked.expected_version, STALE_EVENTS))
        told = _store(table, ask, sitting, _decide(table, sitting, asked.move), tell)
        if told is not None:
            return told, False
    raise Busy


def _play_on(table: Table, ask: Ask, record: Record, tell: Callable[[Played], T]) -> T | None:
    """Make the move in one trip, on a record that may be behind. None: it was, or the move is refused on it; whatever
    is to be said of that is judged on the match as it is."""
    try:
        if record.game.key != ask.game.key:
            return None
        sitting = seated(record, ask.seat, ask.token)
        asked = ask.read()
        _check_open(record)
        if _stale(record, asked):
            return None
        change = _decide(table, sitting, asked.move)
    except (Refusal, RulesError):
        return None
    return _store(table, ask, sitting, change, tell)


def _check_open(record: Record) -> None:
    if record.live.status == "waiting":
        raise MatchWaiting("The match has not started: it does so when the last seat is claimed.")
    if record.live.status != "playing":
        raise MatchOver("The match is over: nothing more can be played. Its replay is open.")


def _stale(record: Record, asked: Asked) -> bool:
    """Whether the move was chosen on another version, and of a kind to which that matters."""
    if asked.expected_version is None or asked.expected_version == record.live.version:
        return False
    return asked.move.__struct_config__.tag not in record.game.anytime


def _decide(table: Table, sitting: Sitting, move: Any) -> Change:
    """What the move comes to. Raises `SeatGivenUp`, `NotYourTurn`, `IllegalMove`."""
    change = Change(sitting.record, table)
    take_back(change, sitting.seat)
    change.play(sitting.seat, move, "player")
    change.play_for_the_absent()
    return change


def _store(table: Table, ask: Ask, sitting: Sitting, change: Change, tell: Callable[[Played], T]) -> T | None:
    """Write it, and what its key stands for; what is told of it. None: another write came first.

    Raises `RateLimited` for a seat that has made its moves of this minute.
    """
    remember = None
    if ask.scoped_key is not None:
        applied = Applied(ask.body_hash, change.version, sitting.record.live.seq + 1, change.seq)
        remember = Remember(ask.scoped_key, seal(applied), 1000 * table.lifetimes.move_key_s)
    minute, into_it_ms = divmod(change.now_ms, MINUTE_MS)
    pace = Pace(str(sitting.seat), minute, table.moves_a_minute) if table.moves_a_minute else None

    told: list[T] = []

    def make() -> None:
        if not told:
            told.append(tell(_played(sitting.record, sitting.seat, change.version, change.state, change.events)))

    try:
        if not change.store(remember, pace, meanwhile=make):
            return None
    except TooFast as fast:
        wait_s = -(-(MINUTE_MS - into_it_ms) // 1000)
        raise RateLimited(
            f"A seat may make {table.moves_a_minute} moves a minute. Go on in {wait_s} s.", "moves", wait_s
        ) from fast
    make()  # if the store has not called for it
    return told[0]


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
