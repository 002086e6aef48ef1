"""Clocks: how long each seat has, counted in the time during which the store was there.

All times here are milliseconds of *played time*: the wall clock less what the service itself was away (`Pulse`). A
decision begins when a seat enters `to_move` and ends when it leaves it; first its turn time runs, then its bank.
"""

from typing import Annotated, Literal

import msgspec

LAST_S = 10
"""A seat is warned at half of its turn time, and when so many seconds are left."""

AWAY_AFTER_MS = 3_000
"""Workers show each second that they and the store live. After a longer silence time has stood still."""

Policy = Literal["move", "bot", "abort"]


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a seat may think: `turn_s` for each decision, then its bank, then `on_timeout`."""

    turn_s: Annotated[int, msgspec.Meta(ge=1, le=604_800, description="For each decision.")]
    bank_s: Annotated[
        int, msgspec.Meta(ge=0, le=604_800, description="For the whole match, once a turn is used up.")
    ] = 0
    on_timeout: Policy = "move"


class Time(msgspec.Struct, frozen=True, array_like=True):
    """One seat's time: what is left in its bank, since when it decides (None: it does not), how often it was warned."""

    bank_ms: int
    since_ms: int | None = None
    warned: int = 0


class Pulse(msgspec.Struct, frozen=True):
    """When a worker last showed that the store lives, and how long, in all, nothing lived."""

    last_ms: int
    away_ms: int

    def played_ms(self, now_ms: int) -> int:
        """Now, in played time. It stands still while nothing lives."""
        silent = now_ms - self.last_ms
        return now_ms - self.away_ms - (silent if silent > AWAY_AFTER_MS else 0)


Times = tuple[Time, ...]


def begin(clock: Clock, seats: int) -> Times:
    """Everybody's time at the start."""
    return (Time(1000 * clock.bank_s),) * seats


def settle(clock: Clock, times: Times, to_move: tuple[int, ...], now_ms: int) -> Times:
    """The times once the match waits for these seats: who left is charged, who entered begins to decide."""
    return tuple(_settled(clock, time, seat in to_move, now_ms) for seat, time in enumerate(times))


def _settled(clock: Clock, time: Time, decides: bool, now_ms: int) -> Time:
    if decides == (time.since_ms is not None):
        return time
    if time.since_ms is None:
        return Time(time.bank_ms, now_ms)
    return Time(bank_ms(clock, time, now_ms))


def deadline_ms(clock: Clock, time: Time) -> int | None:
    """When this seat's time is up; None while it does not decide."""
    return None if time.since_ms is None else time.since_ms + 1000 * clock.turn_s + time.bank_ms


def bank_ms(clock: Clock, time: Time, now_ms: int | None) -> int:
    """What is left in a seat's bank now (None: nothing runs)."""
    if time.since_ms is None or now_ms is None:
        return time.bank_ms
    return max(0, time.bank_ms - max(0, now_ms - time.since_ms - 1000 * clock.turn_s))


def warnings_ms(clock: Clock, time: Time) -> list[int]:
    """When this seat is to be warned, in order: at half of its turn, and ten seconds before its time is up."""
    deadline = deadline_ms(clock, time)
    if deadline is None or time.since_ms is None:
        return []
    moments = {time.since_ms + 500 * clock.turn_s}
    if deadline - 1000 * LAST_S > time.since_ms:
        moments.add(deadline - 1000 * LAST_S)
    return sorted(moments)


def next_ms(clock: Clock, times: Times) -> int | None:
    """When something is next to be done about somebody's time: a warning or a timeout. None: nobody decides."""
    moments = [moment for time in times for moment in [*_unwarned(clock, time), *_deadline(clock, time)]]
    return min(moments, default=None)


def _unwarned(clock: Clock, time: Time) -> list[int]:
    return warnings_ms(clock, time)[time.warned :]


def _deadline(clock: Clock, time: Time) -> list[int]:
    deadline = deadline_ms(clock, time)
    return [] if deadline is None else [deadline]


def overdue(clock: Clock, times: Times, now_ms: int) -> list[int]:
    """The seats whose time is up."""
    return [seat for seat, time in enumerate(times) if any(moment <= now_ms for moment in _deadline(clock, time))]


def to_warn(clock: Clock, times: Times, now_ms: int) -> list[int]:
    """The seats that are to be warned now."""
    return [seat for seat, time in enumerate(times) if any(moment <= now_ms for moment in _unwarned(clock, time))]


def warned(clock: Clock, time: Time, now_ms: int) -> Time:
    """The same time, with all warnings up to now given."""
    given = sum(moment <= now_ms for moment in warnings_ms(clock, time))
    return msgspec.structs.replace(time, warned=given)
