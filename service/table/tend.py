"""What happens when nobody calls: warnings, timeouts, bots' turns, rematches that nobody came to. Called by workers.

Any number of workers may tend the same match at once: each step is one compare-and-set, and who loses looks again.
"""

from typing import Any

from engines.kit.chance import SECRET_BYTES, Chance
from engines.kit.errors import RulesError
from service.table import clock, due
from service.table.change import ATTEMPTS, Change
from service.table.errors import MatchUnreadable
from service.table.records import read_record
from service.table.table import Table

STEPS = 50
"""How much is done for one match before the others have their turn."""


def tend(table: Table, match: str) -> int | None:
    """Do whatever is due in a match, and answer when to look at it next, in wall time (None: not by itself).

    Raises `StoreUnavailable`, `OutcomeUnknown`: then look again.
    """
    lost = 0
    for _ in range(STEPS):
        stored = table.store.load(match)
        if stored is None:
            return None
        try:
            record = read_record(match, stored)
        except MatchUnreadable:
            return None  # a server that can read it schedules it again with its next write
        change = Change(record, table)
        _act(change)
        if not change.events:
            return due.of_time(change)
        if not change.store():
            lost += 1
            if lost == ATTEMPTS:
                break
    return table.edge.now_ms()


def _act(change: Change) -> None:
    """The next thing that is due, if anything is: then the change has events."""
    if change.status == "waiting":
        if change.head.rematch_of is not None and change.now_ms >= change.head.created_ms + due.REMATCH_MS:
            change.abort("nobody_came")
    elif change.status == "playing":
        _time(change) or _remark(change) or _choose(change)


def _time(change: Change) -> bool:
    """Warnings, and seats whose time is up. True if there was something."""
    settings = change.head.clock
    if settings is None:
        return False
    now_ms = change.played_ms
    for seat in clock.to_warn(settings, change.times, now_ms):
        if change.head.seats[seat].bot is not None:
            continue
        time = clock.warned(settings, change.times[seat], now_ms)
        change.times = (*change.times[:seat], time, *change.times[seat + 1 :])
        left_ms = max(0, (clock.deadline_ms(settings, time) or now_ms) - now_ms)
        change.tell("clock_warning", seat, {"left_s": round(left_ms / 1000, 3)})
    for seat in clock.overdue(settings, change.times, now_ms):
        if change.status == "playing" and seat in change.to_move and change.head.seats[seat].bot is None:
            _time_out(change, seat, settings.on_timeout)
    return bool(change.events)


def _time_out(change: Change, seat: int, policy: clock.Policy) -> None:
    change.tell("timed_out", seat, {"on_timeout": policy})
    if policy == "abort":
        change.abort("timed_out")
    elif policy == "bot":
        change.hand_to_bot(seat)
    else:
        change.play_safe(seat)
        change.play_for_the_absent()


def _remark(change: Change) -> bool:
    """One anytime move of one bot that has something to say."""
    for number, bot in _bots(change):
        if bot.remark is None:
            continue
        move = bot.remark(_view(change, number), _chance(change))
        if move is None:
            continue
        try:
            change.play(number, move, "bot")
        except RulesError:  # no view tells how much more may be said: a refusal is how a bot learns it
            continue
        return True
    return False


def _choose(change: Change) -> bool:
    """The move of one bot that is to move."""
    for number, bot in _bots(change):
        if number in change.to_move:
            moves = change.record.game.legal_moves(change.state, number)
            change.play(number, bot.choose(_view(change, number), moves, _chance(change)), "bot")
            change.play_for_the_absent()
            return True
    return False


def _bots(change: Change) -> list[tuple[int, Any]]:
    bots = change.record.game.bots
    return [(number, bots[seat.bot]) for number, seat in enumerate(change.head.seats) if seat.bot is not None]


def _view(change: Change, seat: int) -> Any:
    return change.record.game.view_for(change.state, seat)


def _chance(change: Change) -> Chance:
    """Chance for a bot: fresh, and nothing to do with the deal."""
    return Chance(change.table.edge.random_bytes(SECRET_BYTES))
