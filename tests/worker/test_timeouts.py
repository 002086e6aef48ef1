"""Deadlines: who does not move is warned, then the policy decides; time in which nothing lived is nobody's fault."""

import pytest

from engines import GAMES as GAMES_BY_KEY
from service.table.tend import tend
from tests.support.contract import begun, facts, told
from tests.support.server import RedisServer
from tests.support.tending import Tended, times

GAMES = ["onda", "wave"]


@pytest.fixture
def tended(own_redis: RedisServer) -> Tended:
    return Tended(own_redis)


def clock(turn_s: int = 30, bank_s: int = 0, on_timeout: str = "move") -> dict[str, object]:
    return {"turn_s": turn_s, "bank_s": bank_s, "on_timeout": on_timeout}


def types(match: object) -> list[str]:
    return [event["type"] for event in told(match)]


@pytest.mark.parametrize("game", GAMES)
def test_only_seats_that_are_to_move_have_deadlines(tended: Tended, game: str) -> None:
    match = begun(tended.client, game, clock=clock(30, 60))
    state = match.seat(0, "state")
    to_move = state["to_move"]
    assert state["clock"]["server_time"] == "2027-01-15T08:00:00.000Z"
    deadline = "2027-01-15T08:01:30.000Z"
    assert times(state) == [(seat, deadline if seat in to_move else None, 60.0) for seat in range(2)]


@pytest.mark.parametrize("game", GAMES)
def test_the_safe_move_is_played_when_time_is_up_and_says_so(tended: Tended, game: str) -> None:
    match = begun(tended.client, game, clock=clock(30))
    seat = match.seat(0, "state")["to_move"][0]
    tended.pass_time(31)
    happened = [(type, who) for type, who, _ in facts(match)]
    assert ("timed_out", seat) in happened
    assert match.seat(seat, "state")["version"] > 0


@pytest.mark.parametrize("game", GAMES)
def test_warnings_come_at_half_of_the_turn_and_ten_seconds_before_the_end(tended: Tended, game: str) -> None:
    match = begun(tended.client, game, clock=clock(30, 20))
    seat = match.seat(0, "state")["to_move"][0]
    tended.pass_time(45)
    warnings = [data["left_s"] for type, who, data in facts(match) if type == "clock_warning" and who == seat]
    assert warnings == [35.0, 10.0]


@pytest.mark.parametrize("game", GAMES)
def test_the_bank_runs_down_after_the_turn_and_stays_used(tended: Tended, game: str) -> None:
    match = begun(tended.client, game, clock=clock(30, 60))
    seat = match.seat(0, "state")["to_move"][0]
    tended.pass_time(50)
    assert times(match.seat(seat, "state"))[seat][2] == 40.0
    assert match.move(seat, match.seat(seat, "legal-moves")["moves"][0]).status_code == 201
    assert times(match.seat(seat, "state"))[seat][2] == 40.0


@pytest.mark.parametrize("game", GAMES)
def test_a_timed_out_move_has_the_clock_as_its_cause(tended: Tended, game: str) -> None:
    match = begun(tended.client, game, clock=clock(30), host_can_abort=True)
    tended.pass_time(31)
    assert tended.client.delete(match.path, headers=match.host).status_code == 200
    causes = [move["cause"] for move in tended.client.get(f"{match.path}/replay").json["moves"]]
    assert causes
    assert set(causes) == {"clock"}


@pytest.mark.parametrize("game", GAMES)
def test_the_policy_bot_hands_the_seat_to_a_bot_and_its_player_takes_it_back(tended: Tended, game: str) -> None:
    match = begun(tended.client, game, clock=clock(30, 0, "bot"))
    seat = match.seat(0, "state")["to_move"][0]
    tended.pass_time(31)
    taken_over = [(who, data["by"]) for type, who, data in facts(match) if type == "seat_taken_over"]
    assert (seat, "bot") in taken_over
    left = {entry["seat"]: entry for entry in tended.client.get(match.path).json["left"]}
    assert left[seat] == {"seat": seat, "resigned": False, "played_by": list(GAMES_BY_KEY[game].bots)[-1]}
    back = tended.client.post(f"{match.path}/seats/{seat}/takeover", headers=match.auth(seat))
    if back.status_code == 200:  # a match whose seats all went to bots may be over by now
        assert seat not in [entry["seat"] for entry in back.json["left"]]
        assert facts(match)[-1] == ("seat_taken_over", seat, {"by": "player", "bot": None})
    else:
        assert back.json["code"] == "match_over"


@pytest.mark.parametrize("game", GAMES)
def test_the_policy_abort_ends_the_match(tended: Tended, game: str) -> None:
    match = begun(tended.client, game, clock=clock(30, 0, "abort"))
    tended.pass_time(31)
    assert tended.client.get(match.path).json["status"] == "aborted"
    assert facts(match)[-1] == ("match_aborted", None, {"reason": "timed_out"})


@pytest.mark.parametrize("game", GAMES)
def test_time_in_which_nothing_lived_is_charged_to_nobody(tended: Tended, game: str) -> None:
    match = begun(tended.client, game, clock=clock(30, 10))
    seat = match.seat(0, "state")["to_move"][0]
    tended.pass_time(10)
    tended.be_away(3_600)
    state = match.seat(seat, "state")
    assert times(state)[seat][1] == "2027-01-15T09:00:40.000Z"
    assert "timed_out" not in types(match)
    assert match.move(seat, match.seat(seat, "legal-moves")["moves"][0]).status_code == 201
    assert times(match.seat(seat, "state"))[seat][2] == 10.0
    tended.beat()
    tended.work()
    assert "timed_out" not in types(match)


def test_the_host_aborts_a_match_in_which_somebody_is_past_the_deadline(tended: Tended) -> None:
    match = begun(tended.client, "onda", clock=clock(30))
    assert tended.client.delete(match.path, headers=match.host).json["code"] == "match_started"
    for _ in range(31):  # the store is there all the while, but nobody works
        tended.wall.ms += 1_000
        tended.beat()
    assert tended.client.delete(match.path, headers=match.host).status_code == 200


def test_many_workers_at_once_time_out_a_seat_once(tended: Tended) -> None:
    match = begun(tended.client, "onda", clock=clock(30))
    for _ in range(31):
        tended.wall.ms += 1_000
        tended.beat()
    for _ in range(5):
        tend(tended.table, match.id)
    assert [seat for type, seat, _ in facts(match) if type == "timed_out"] == [0, 1]
