"""A seat that was left to others (resigned, or handed to a bot by the clock), and its player who comes back."""

from engines.kit.game import Game
from service.table.change import ATTEMPTS, Change, back_off
from service.table.errors import Busy, MatchOver, MatchWaiting, SeatGivenUp
from service.table.limits import count_change
from service.table.records import Record
from service.table.seats import sit
from service.table.table import Table


def take_over(table: Table, game: Game, match: str, seat: str, token: str | None) -> Record:
    """Play one's seat oneself again. Changes nothing for a seat that its player plays.

    Raises, in this order: `UnknownMatch`, `UnknownSeat`, `Unauthenticated`, `WrongSeat`, `RateLimited`,
    `MatchWaiting`, `MatchOver`,
    `SeatGivenUp` where the match forbids it; `Busy`; `StoreUnavailable`, `OutcomeUnknown`.
    """
    for attempt in range(ATTEMPTS):
        back_off(table.edge, attempt)
        sitting = sit(table, game, match, seat, token)
        record = sitting.record
        if attempt == 0:
            count_change(table, match, sitting.seat)
        if record.live.status == "waiting":
            raise MatchWaiting("The match has not started: nobody has left a seat to others yet.")
        if record.live.finished_ms is not None:
            raise MatchOver("The match is over: there is nothing left to play.")
        change = Change(record, table)
        take_back(change, sitting.seat)
        if not change.events:
            return record
        if change.store():
            return change.record_after()
    raise Busy


def take_back(change: Change, seat: int) -> None:
    """Let the player of a seat play it again, if it was left to others. Raises `SeatGivenUp`."""
    if not change.head.seats[seat].left_to_others:
        return
    if not change.head.takeover:
        raise SeatGivenUp("This seat was given up, and the match was created without `takeover`. You can still watch.")
    change.hand_back(seat)
