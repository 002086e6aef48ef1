"""A viewer's state: the match as it may be seen, and the clock."""

from engines.kit.game import Viewer
from service.api.shapes import SeatClock, State, StateClock
from service.table.clock import bank_ms, deadline_ms
from service.table.edge import rfc3339
from service.table.look import LegalMoves, legal_moves
from service.table.records import Record
from service.table.table import Table
from service.table.watch import Sight, sight


def state_of(table: Table, record: Record, viewer: Viewer, seen: Sight | None = None) -> State:
    """What a viewer may know of the match now."""
    seen = seen or sight(table, record, viewer)
    return State(
        match=record.match,
        seat=viewer,
        version=seen.version,
        status=record.live.status,
        to_move=seen.to_move,
        view=None if seen.state is None else record.game.view_for(seen.state, viewer),
        outcome=seen.outcome,
        clock=_clock(table, record, seen),
    )


def moves_of(record: Record, viewer: Viewer) -> LegalMoves | None:
    """What `legal-moves` says now; None for a spectator."""
    return None if viewer is None else legal_moves(record, viewer)


def _clock(table: Table, record: Record, seen: Sight) -> StateClock | None:
    """The clock as it stands. A spectator who is kept behind sees nobody's deadline: it would tell who is to move."""
    settings = record.head.clock
    if settings is None:
        return None
    now_ms = table.edge.now_ms()
    times = record.live.times if seen.seq == record.live.seq else ()
    running = record.live.finished_ms is None
    played_ms = table.pulse(record.match).played_ms(now_ms)
    seats = []
    for number, time in enumerate(times):
        deadline = deadline_ms(settings, time) if running else None
        at = None if deadline is None else rfc3339(deadline + now_ms - played_ms)
        seats.append(SeatClock(number, at, bank_ms(settings, time, played_ms if running else None) / 1000))
    return StateClock(rfc3339(now_ms), seats)
