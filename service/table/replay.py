"""The past of a match: every position again, and, once it is over, everything that was secret."""

from typing import Any

import msgspec

from engines.kit.errors import RulesError
from service.table.edge import rfc3339
from service.table.errors import Invalid, MatchNotFinished, MatchUnreadable
from service.table.records import DAMAGED, Cause, Kind, Record, read_log
from service.table.table import Table


class ReplaySeat(msgspec.Struct, frozen=True):
    """Who sat on a seat, and what its player gave to the deal."""

    seat: int
    name: str | None
    kind: Kind
    nonce: str


class ReplayMove(msgspec.Struct, frozen=True):
    """One accepted move. `cause` says who made it."""

    version: int
    seat: int
    move: Any
    at: str
    cause: Cause


class Replay(msgspec.Struct, frozen=True):
    """Everything: who has it can deal and play the match again, and check the commitment."""

    match: str
    game: str
    rules_version: int
    options: Any
    seats: list[ReplaySeat]
    fixed_deal: bool
    secret: str | None
    seed: str | None
    commitment: str | None
    outcome: Any
    moves: list[ReplayMove]


def replay(table: Table, record: Record) -> Replay:
    """All of a match that is over. Raises `MatchNotFinished`."""
    _check_over(record)
    head, started_ms = record.head, record.live.started_ms or 0
    log = read_log(record.game, table.store.moves(record.match), record.live.version)
    return Replay(
        match=record.match,
        game=head.game,
        rules_version=head.rules_version,
        options=head.all_options,
        seats=[ReplaySeat(n, seat.name, seat.kind, seat.nonce) for n, seat in enumerate(head.seats)],
        fixed_deal=head.fixed is not None,
        secret=None if head.fixed is not None else head.secret.hex(),
        seed=head.fixed,
        commitment=head.commitment,
        outcome=record.outcome,
        moves=[
            ReplayMove(number, entry.seat, move, rfc3339(started_ms + entry.after_ms), entry.cause)
            for number, (entry, move) in enumerate(log, start=1)
        ],
    )


def knew(table: Table, record: Record, seat: int, version: int) -> Any:
    """The view that a seat had at a version (0: just after the start); None if the match never started.

    Raises `MatchNotFinished`, then `Invalid` for a version that the match did not reach.
    """
    _check_over(record)
    if version > record.live.version:
        raise Invalid("$.version", f"This match has the versions 0 to {record.live.version}.")
    if record.state is None:
        return None
    return record.game.view_for(position(table, record, version), seat)


def position(table: Table, record: Record, version: int) -> Any:
    """The state that the match had at a version, played again from the deal. Raises `MatchUnreadable`."""
    game, head = record.game, record.head
    if version == record.live.version:
        return record.state
    state = game.setup(record.options, len(head.seats), head.chance(record.match)).state
    log = read_log(game, table.store.moves(record.match, version), version)
    try:
        for entry, move in log:
            state = game.apply(state, entry.seat, move).state
    except RulesError as impossible:
        raise MatchUnreadable(DAMAGED) from impossible
    return state


def _check_over(record: Record) -> None:
    if record.live.finished_ms is None:
        raise MatchNotFinished("The replay holds every secret of the match, so it opens once the match is over.")
