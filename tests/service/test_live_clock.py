"""Clocks: pure arithmetic of played time."""

import pytest

from service.table.clock import (
    AWAY_AFTER_MS,
    Clock,
    Pulse,
    Time,
    bank_ms,
    begin,
    deadline_ms,
    next_ms,
    overdue,
    settle,
    to_warn,
    warned,
    warnings_ms,
)

THIRTY = Clock(turn_s=30, bank_s=120)


def test_a_decision_begins_when_a_seat_enters_to_move_and_has_its_turn_and_its_bank() -> None:
    times = settle(THIRTY, begin(THIRTY, 2), (1,), 1_000)
    assert times == (Time(120_000), Time(120_000, 1_000))
    assert deadline_ms(THIRTY, times[0]) is None
    assert deadline_ms(THIRTY, times[1]) == 151_000


def test_who_stays_in_to_move_is_not_given_more_time() -> None:
    times = settle(THIRTY, begin(THIRTY, 2), (1,), 1_000)
    assert settle(THIRTY, times, (0, 1), 9_000)[1] == times[1]


def test_who_decides_within_the_turn_keeps_the_bank() -> None:
    times = settle(THIRTY, begin(THIRTY, 1), (0,), 0)
    assert settle(THIRTY, times, (), 30_000) == (Time(120_000),)


def test_what_goes_beyond_the_turn_is_taken_from_the_bank_and_never_below_nothing() -> None:
    times = settle(THIRTY, begin(THIRTY, 1), (0,), 0)
    assert settle(THIRTY, times, (), 45_500) == (Time(104_500),)
    assert settle(THIRTY, times, (), 900_000) == (Time(0),)


def test_the_bank_runs_down_while_one_decides() -> None:
    time = Time(120_000, 0)
    assert [bank_ms(THIRTY, time, now) for now in (0, 30_000, 31_000, 200_000)] == [120_000, 120_000, 119_000, 0]
    assert bank_ms(THIRTY, time, None) == 120_000


def test_a_seat_is_warned_at_half_of_its_turn_and_ten_seconds_before_the_end() -> None:
    time = Time(120_000, 0)
    assert warnings_ms(THIRTY, time) == [15_000, 140_000]
    assert to_warn(THIRTY, (time,), 14_999) == []
    assert to_warn(THIRTY, (time,), 15_000) == [0]
    once = warned(THIRTY, time, 15_000)
    assert to_warn(THIRTY, (once,), 139_999) == []
    assert to_warn(THIRTY, (once,), 140_000) == [0]
    assert to_warn(THIRTY, (warned(THIRTY, once, 140_000),), 149_999) == []


def test_who_has_less_than_ten_seconds_in_all_is_warned_once() -> None:
    assert warnings_ms(Clock(turn_s=8), Time(0, 0)) == [4_000]


def test_the_next_moment_is_a_warning_or_a_deadline_whichever_is_first() -> None:
    assert next_ms(THIRTY, (Time(0),)) is None
    assert next_ms(THIRTY, (Time(0, 0), Time(0, 5_000))) == 15_000
    assert next_ms(THIRTY, (Time(0, 0, 2),)) == 30_000


def test_a_seat_is_overdue_from_its_deadline_on() -> None:
    assert overdue(THIRTY, (Time(0, 0), Time(0)), 29_999) == []
    assert overdue(THIRTY, (Time(0, 0), Time(0)), 30_000) == [0]


@pytest.mark.parametrize("silent", [0, 1_000, AWAY_AFTER_MS])
def test_played_time_runs_with_the_wall_clock_while_workers_beat(silent: int) -> None:
    assert Pulse(50_000, 7_000).played_ms(50_000 + silent) == 43_000 + silent


def test_played_time_stands_still_while_nothing_lives() -> None:
    pulse = Pulse(50_000, 7_000)
    assert pulse.played_ms(50_000 + AWAY_AFTER_MS + 1) == 43_000
    assert pulse.played_ms(500_000) == 43_000
