"""The safe move for an absent seat, from its view and its legal moves alone."""

import msgspec
import pytest

from engines.onda import GAME
from engines.onda.cards import pile_of
from tests.engines.onda.positions import as_json, do, fresh, position


def default(state, seat):
    return as_json(GAME.default_move(GAME.view_for(state, seat), GAME.legal_moves(state, seat)))


@pytest.mark.parametrize(
    ("hand", "chosen"),
    [
        ("g1 g2 b7 g15 b12", ["g2", "b7"]),  # 1 point and, of the 2s, the first in catalogue order
        ("g5 b5 g11 b4", ["g5", "g11"]),  # green before blue, whatever the number
        ("b5 b5 g11 g1", ["b5", "g11"]),  # green 11 comes before blue 5; listed by number
        ("g6 g6 g7 g5", ["g5", "g6"]),
        ("g6 g6 g7 b5", ["g6", "g6"]),
        ("g1 b1 g15 b15", ["g1", "g15"]),
    ],
)
def test_the_two_cheapest_cards_are_set_aside(hand, chosen):
    state = msgspec.structs.replace(fresh(2), hands=(pile_of(hand.split()), 0))
    assert default(state, 0) == {"type": "set_aside", "cards": chosen}


def test_the_bomb_is_kept():
    state = do(position("g9", "g1", table=(1, "g8")), 0, "follow", cards="g9").state
    assert default(state, 1) == {"type": "keep_bomb"}


def test_it_passes_where_it_may():
    assert default(position("g9 g10", "g1", table=(1, "g8")), 0) == {"type": "pass"}


def test_leading_it_lays_the_first_single():
    assert default(position("b2 g3 g4", "g1"), 0) == {"type": "follow", "cards": ["g3"], "wild": None}
    assert default(position("b2 g3 g4", "g1", face_down=("b9 g5", "")), 0) == {
        "type": "follow",
        "cards": [],
        "wild": {"card": "g5", "as": "g1"},
    }


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_match_of_absent_seats_ends(seats):
    state = fresh(seats)
    while waiting := GAME.to_move(state):
        seat = waiting[-1]
        move = GAME.default_move(GAME.view_for(state, seat), GAME.legal_moves(state, seat))
        assert move in GAME.legal_moves(state, seat)
        state = GAME.apply(state, seat, move).state
    assert sum(GAME.outcome(state).went_out) == 4
