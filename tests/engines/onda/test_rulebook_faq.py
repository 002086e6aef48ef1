"""Every question and answer of the rulebook's FAQ."""

import msgspec
import pytest

from tests.engines.onda.positions import do, event_types, legal, position, refusal, view


def test_faq_no_turning_the_tide_and_bombing_in_the_same_turn():
    # Seat 0 could turn the tide, and could bomb with 4-5; turning, it must follow the single.
    state = position("g4 g5 g15", "g1", table=(1, "b13"), face_down=("b9 b2", ""), bomb="A")
    assert {"type": "bomb", "cards": ["g4", "g5"], "wild": None} in legal(state, 0, "bomb")
    assert all("take" not in move for move in legal(state, 0, "bomb"))
    assert refusal(state, 0, "turn_tide", take="b9", cards="g4 g5") == "O10"
    assert all(len(move["cards"]) == 1 for move in legal(state, 0, "turn_tide"))


def test_faq_no_sequence_of_five():
    state = position("g4 g5 g6 g7 g8 g15", "g1")
    assert refusal(state, 0, "follow", cards="g4 g5 g6 g7 g8") == "O-formation"
    assert max(len(move["cards"]) for move in legal(state, 0)) == 4


def test_faq_no_five_of_a_number_with_a_wild():
    state = position("g4 g4 b4 b4 g15", "g1", face_down=("g9 b9", ""))
    assert refusal(state, 0, "follow", cards="g4 g4 b4 b4", wild="g9 as g4") == "O9"
    assert (
        refusal(
            position("g4 g5 g6 g7 g15", "g1", face_down=("g9", "")), 0, "follow", cards="g4 g5 g6 g7", wild="g9 as g8"
        )
        == "O9"
    )


def test_faq_no_wild_right_after_turning_the_tide():
    state = position("g3 g15", "g1", table=(1, "b13"), face_down=("b9 b2", ""))
    with pytest.raises(msgspec.ValidationError, match="wild"):
        do(state, 0, "turn_tide", take="b9", cards="g3", wild="b2 as g3")


def test_faq_after_turning_the_tide_any_hand_card_may_be_used_also_the_returned_one():
    state = position("g15 g11", "g1", table=(1, "b13"), face_down=("b9 b2", ""))
    assert legal(state, 0, "turn_tide") == [
        {"type": "turn_tide", "take": "b2", "cards": ["g11"]},
        {"type": "turn_tide", "take": "b2", "cards": ["b2"]},
        {"type": "turn_tide", "take": "b9", "cards": ["g11"]},
        {"type": "turn_tide", "take": "b9", "cards": ["b9"]},
    ]
    assert view(do(state, 0, "turn_tide", take="b9", cards="b9").state, 0)["hand"] == ["g11", "g15"]


def test_faq_no_two_wilds_in_a_combination():
    # The move has room for one wild; the other face-down card is no hand card.
    state = position("g4 g15", "g1", face_down=("b5 b6", ""))
    assert refusal(state, 0, "follow", cards="g4 b5", wild="b6 as g4") == "O9"
    assert refusal(state, 0, "follow", cards="b5", wild="b6 as b6") == "O-cards"
    assert max(len(move["cards"]) + bool(move["wild"]) for move in legal(state, 0, "follow")) == 2


def test_faq_a_wild_beats_no_15_under_high_and_no_1_under_low():
    high = position("g4 g14", "g1", table=(1, "b15"), face_down=("b5 b6", ""), bomb="B", blocked=True)
    assert not legal(high, 0, "follow")
    assert refusal(high, 0, "follow", cards=[], wild="b5 as g15") == "O8"
    low = position("g4 g14", "g2", table=(1, "b1"), face_down=("b5 b6", ""), bomb="B", blocked=True, high=False)
    assert not legal(low, 0, "follow")
    assert refusal(low, 0, "follow", cards=[], wild="b5 as g1") == "O8"


def test_faq_one_may_always_look_at_ones_face_down_cards():
    state = position("g4", "g1 g2", table=(0, "b15"), turn=1, face_down=("b5 b6", "b7 b8"))
    assert view(state, 0)["face_down"] == ["b5", "b6"]
    assert view(state, 1)["face_down"] == ["b7", "b8"]


def test_faq_the_tide_can_only_be_turned_with_a_valid_follow_under_the_new_tide():
    state = position("g14 b14", "g1", table=(1, "b13"), face_down=("b15", ""))
    assert not legal(state, 0, "turn_tide")
    assert refusal(state, 0, "turn_tide", take="b15", cards="g14") == "O10"
    assert refusal(state, 0, "turn_tide", take="b15", cards=[]) == "O-formation"
    assert event_types(do(state, 0, "pass"))[0] == "passed"
