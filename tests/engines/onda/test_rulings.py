"""Every ruling, O1 to O21, by its id."""

import pytest

from engines.kit.errors import InvalidOptions, NotYourTurn
from engines.onda import GAME
from engines.onda.cards import pile_of
from engines.onda.options import OndaOptions
from tests.engines.onda.positions import as_move, do, event_types, events, fresh, legal, position, refusal, view


def test_o1_the_leader_may_not_pass():
    state = position("g4 g5", "g1")
    assert refusal(state, 0, "pass") == "O1"
    assert {"type": "pass"} not in legal(state, 0)


def test_o2_the_leader_may_turn_the_tide_and_any_formation_follows():
    state = position("g4 g5 g15", "g1 g2", face_down=("b9", "b8"))
    laid = [move["cards"] for move in legal(state, 0, "turn_tide")]
    assert laid == [["g4"], ["g5"], ["g15"], ["b9"], ["g4", "g5"]]
    after = do(state, 0, "turn_tide", take="b9", cards="g4 g5").state
    assert view(after, None)["status"] == "blocked"
    assert refusal(after, 1, "turn_tide", take="b8", cards="g1 g2") == "O-blocked"


def test_o3_the_bombs_shape_led_is_an_ordinary_lead_and_the_bomb_card_stays():
    state = position("g4 g5 g15", "g1 g2", bomb="A")
    assert not legal(state, 0, "bomb")
    assert refusal(state, 0, "bomb", cards="g4 g5") == "O3"
    step = do(state, 0, "follow", cards="g4 g5")
    assert event_types(step) == ["followed"]
    assert view(step.state, None)["bomb_played"] is False
    assert view(step.state, None)["table"]["bomb"] is False
    assert events(do(step.state, 1, "pass"))[-1] == ("trick_ended", None, {"winner": 0, "bomb": "A"})


def test_o4_no_bomb_over_the_bombs_own_shape_but_over_any_other():
    own = position("g4 g5 g15", "g1", table=(1, "b7 b8"), bomb="A")
    assert refusal(own, 0, "bomb", cards="g4 g5") == "O4"
    for other in ("b8", "b7 g7", "b7 b8 b9", "b7 g7 b7", "b7 b8 b9 b10", "b7 b7 g7 g7"):
        state = position("g4 g5 g15", "g1", table=(1, other), bomb="A")
        assert do(state, 0, "bomb", cards="g4 g5").events[0].type == "bombed"


def test_o5_the_tide_stays_at_the_end_of_a_trick_and_of_a_round():
    trick = position("g1 g2", "g9 b9", table=(1, "g8"), high=False)
    assert view(do(trick, 0, "pass").state, None)["tide"] == "low"
    round_ = position("g2", "g9 b9", table=(1, "g8"), high=False)
    assert view(do(round_, 0, "follow", cards="g2").state, None)["tide"] == "low"


def test_o6_the_card_taken_back_is_public_and_known_until_it_is_played_or_the_round_ends():
    state = position("g3 b3 b10", "g2 b15 g12", table=(1, "g14"), face_down=("b9 b13", ""))
    step = do(state, 0, "turn_tide", take="b9", cards="g3")
    assert events(step)[0][2]["take"] == "b9"
    assert view(step.state, 1)["seats"][0]["known"] == ["b9"]
    assert view(step.state, None)["seats"][0]["hand_size"] == 3
    state = do(step.state, 1, "pass").state
    assert view(state, 1)["seats"][0]["known"] == ["b9"]
    played = do(state, 0, "follow", cards="b9").state
    assert view(played, 1)["seats"][0]["known"] == []
    ended = do(do(do(played, 1, "follow", cards="g2").state, 0, "pass").state, 1, "follow", cards="b15").state
    assert view(ended, 1)["seats"][0]["known"] == []


def test_o6_the_card_taken_back_and_played_at_once_is_not_known_any_more():
    state = position("g3 b3 b10", "g2 b15", table=(1, "g14"), face_down=("b9 b13", ""))
    assert view(do(state, 0, "turn_tide", take="b9", cards="b9").state, 1)["seats"][0]["known"] == []


def test_o6_of_two_copies_the_known_one_counts_as_played():
    state = position("b9 b3 b10", "g2 b15", table=(1, "g14"), face_down=("b9 b13", ""))
    state = do(state, 0, "turn_tide", take="b9", cards="b9").state
    assert view(state, 0)["hand"] == ["b3", "b9", "b10"]
    assert view(state, 1)["seats"][0]["known"] == []


def test_o6_both_copies_can_be_known():
    state = position("b9 b3", "g2", table=(1, "g14"), face_down=("b9", ""), known=(pile_of(["b9"]), 0))
    state = do(state, 0, "turn_tide", take="b9", cards="b3").state
    assert view(state, 1)["seats"][0]["known"] == ["b9", "b9"]


def test_o6_known_cards_are_forgotten_with_the_round():
    state = position("g9 ", "g2 b15", table=(1, "g8"), known=(0, pile_of(["b15"])))
    assert view(do(state, 0, "follow", cards="g9").state, 0)["seats"][1]["known"] == []


def test_o7_the_real_face_of_a_wild_is_its_owners_alone_until_the_round_ends():
    state = position("g4 g15", "g1", "g2", face_down=("b9 b10", "", ""))
    step = do(state, 0, "follow", cards="g4", wild="b9 as g5")
    assert "b9" not in str(events(step))
    assert view(step.state, 0)["wilds_used"] == ["b9"]
    assert view(step.state, 1)["wilds_used"] == []
    assert view(step.state, None)["wilds_used"] is None
    assert view(step.state, 1)["table"]["wild_as"] == "g5"
    for viewer in (1, 2, None):
        assert "b9" not in str(view(step.state, viewer))
    state = do(do(step.state, 1, "pass").state, 2, "pass").state
    ended = events(do(state, 0, "follow", cards="g15"))[1][2]
    assert ended["wilds_used"] == [["b9"], [], []]
    assert ended["face_down"] == [["b10"], [], []]
    assert ended["hands"] == [[], ["g1"], ["g2"]]


def test_o8_stronger_is_the_same_kind_and_size_and_strictly_beyond_in_number():
    state = position("g8 b8 g9 b9 b10 g10 g1", "g2", table=(1, "g8 g9"), bomb="F")
    assert [move["cards"] for move in legal(state, 0, "follow")] == [["g9", "g10"], ["b9", "b10"]]
    assert refusal(state, 0, "follow", cards="b8 b9") == "O8"
    assert refusal(state, 0, "follow", cards="g10 b10") == "O8"
    assert refusal(state, 0, "follow", cards="g10") == "O8"


def test_o8_sequences_compare_their_lowest_number_and_a_low_tide_turns_it_round():
    state = position("g2 g3 g4 b3 b4 b5 g15", "g1", table=(1, "b3 b4 b5"), high=False, bomb="F")
    assert [move["cards"] for move in legal(state, 0, "follow")] == [["g2", "g3", "g4"]]


def test_o8_fifteen_and_one_are_no_neighbours():
    state = position("g15 g1 g2 g14", "b1", face_down=("b9", ""))
    assert refusal(state, 0, "follow", cards="g15 g1") == "O-formation"
    assert refusal(state, 0, "follow", cards="g14 g15", wild="b9 as g1") == "O9"


def test_o8_a_pair_and_a_sequence_of_two_are_different_kinds():
    state = position("g9 b9 g10", "b1", table=(1, "b8 g8"), bomb="F")
    assert [move["cards"] for move in legal(state, 0, "follow")] == [["g9", "b9"]]


def test_o9_a_wild_stands_for_any_card_even_one_that_was_seen_twice():
    state = position("g4 g15", "g1", played=(), table=(1, "g5 g5"), face_down=("b9", ""), bomb="A")
    assert {"type": "bomb", "cards": ["g4"], "wild": {"card": "b9", "as": "g5"}} in legal(state, 0)


def test_o9_the_move_declares_the_wild_and_either_suit_is_accepted_where_it_makes_no_difference():
    single = position("g4 g15", "g1", face_down=("b9", ""))
    for named in ("g7", "b7"):
        step = do(single, 0, "follow", cards=[], wild=f"b9 as {named}")
        assert events(step)[0][2] == {"cards": [], "wild_as": "g7", "kind": "single", "size": 1, "number": 7}
    for named in ("g4", "b4"):
        step = do(single, 0, "follow", cards="g4", wild=f"b9 as {named}")
        assert events(step)[0][2] == {"cards": ["g4"], "wild_as": "g4", "kind": "set", "size": 2, "number": 4}
        assert view(step.state, 1)["table"]["wild_as"] == "g4"
        assert view(step.state, 1)["played"] == [{"seat": 0, "cards": ["g4"], "wild_as": "g4"}]
    step = do(single, 0, "follow", cards="g4", wild="b9 as g5")
    assert events(step)[0][2] == {"cards": ["g4"], "wild_as": "g5", "kind": "sequence", "size": 2, "number": 4}
    assert refusal(single, 0, "follow", cards="g4", wild="b9 as b5") == "O9"


def test_o9_the_wild_is_a_card_that_lies_face_down():
    state = position("g4 g15", "g1", face_down=("b9", "b8"))
    assert refusal(state, 0, "follow", cards=[], wild="b8 as g7") == "O-face-down"
    assert refusal(state, 0, "follow", cards="g4", wild="g15 as g4") == "O-face-down"


def test_o10_turning_the_tide_is_one_move_and_the_follow_is_stronger_under_the_new_tide():
    state = position("g8 g12", "g1", table=(1, "b10"), face_down=("b9 b11", ""))
    assert refusal(state, 0, "turn_tide", take="b9", cards="g12") == "O10"
    assert refusal(state, 0, "turn_tide", take="b9", cards="b11") == "O-cards"
    assert refusal(state, 0, "turn_tide", take="g8", cards="g8") == "O-face-down"
    step = do(state, 0, "turn_tide", take="b9", cards="b9")
    assert event_types(step) == ["tide_turned"]
    assert view(step.state, 0)["face_down"] == ["b11"]
    assert view(step.state, 0)["hand"] == ["g8", "g12"]


def test_o10_a_formation_may_join_the_card_taken_back_with_the_hand():
    state = position("g8 g12", "g1", table=(1, "b10 b11"), face_down=("g9 b11", ""))
    assert legal(state, 0, "turn_tide") == [{"type": "turn_tide", "take": "g9", "cards": ["g8", "g9"]}]


def test_o11_the_tide_may_be_turned_after_a_bomb_following_its_shape():
    state = position("g2 g3 b2", "g1", table=(1, "b4 b5"), bombed=True, bomb="A", face_down=("b9", ""))
    assert legal(state, 0, "turn_tide") == [{"type": "turn_tide", "take": "b9", "cards": ["g2", "g3"]}]
    after = do(state, 0, "turn_tide", take="b9", cards="g2 g3").state
    assert view(after, None)["bomb_played"] is True
    assert view(after, None)["table"]["bomb"] is False


def test_o11_no_bomb_in_the_move_that_turns_the_tide():
    state = position("g4 g5 b15", "g1", table=(1, "b10"), bomb="A", face_down=("b9", ""))
    assert refusal(state, 0, "turn_tide", take="b9", cards="g4 g5") == "O10"


def test_o11_a_bomb_after_a_turned_tide_by_another_or_oneself():
    state = position("g4 g5 b5 b15", "g2 g3 b13", table=(1, "b10"), bomb="A", face_down=("b9", ""))
    turned = do(state, 0, "turn_tide", take="b9", cards="b5").state
    assert do(turned, 1, "bomb", cards="g2 g3").events[0].type == "bombed"
    beaten = do(turned, 1, "follow", cards="g2").state
    assert do(beaten, 0, "bomb", cards="g4 g5").events[0].type == "bombed"


def test_o12_an_empty_hand_ends_the_round_in_mid_trick_whatever_lies_face_down():
    state = position("g9", "g1", "g15", table=(2, "g8"), face_down=("b1 b2", "b3 b4", ""))
    step = do(state, 0, "follow", cards="g9")
    assert event_types(step) == ["followed", "round_ended", "round_started"]
    ended = events(step)[1][2]
    assert ended["went_out"] == 0
    assert ended["change"] == [3, -3 - 6, -3]
    assert ended["face_down"] == [["b1", "b2"], ["b3", "b4"], []]


def test_o12_going_out_with_a_lead():
    state = position("g9 b9", "g1")
    assert event_types(do(state, 0, "follow", cards="g9 b9"))[:2] == ["followed", "round_ended"]


def test_o12_going_out_by_turning_the_tide():
    state = position("g9", "g1", table=(1, "g10 b10"), face_down=("b9", ""))
    assert event_types(do(state, 0, "turn_tide", take="b9", cards="g9 b9"))[:2] == ["tide_turned", "round_ended"]


def test_o12_a_wild_alone_leaves_the_hand_as_it_is():
    state = position("g9", "g1", face_down=("b9", ""))
    assert event_types(do(state, 0, "follow", cards=[], wild="b9 as g3")) == ["followed"]


@pytest.mark.parametrize("earlier", [True, False])
def test_o12_the_bomb_card_moves_on_if_a_bomb_was_played_in_that_trick(earlier):
    if earlier:
        state = position("g9 g10", "g1", table=(1, "g7 g8"), bombed=True, bomb="A")
        step = do(state, 0, "follow", cards="g9 g10")
    else:
        state = position("g9 g10", "g1", table=(1, "g15"), bomb="A")
        step = do(state, 0, "bomb", cards="g9 g10")
    assert events(step)[-1][0] == "round_started"
    assert events(step)[-1][2]["bomb"] == "B"
    assert view(step.state, None)["bomb_played"] is False


def test_o12_no_bomb_no_move_of_the_bomb_card():
    state = position("g9 g10", "g1", table=(1, "g7 g8"), bomb="A")
    assert events(do(state, 0, "follow", cards="g9 g10"))[-1][2]["bomb"] == "A"


def test_o13_the_trick_ends_when_all_but_one_have_passed_and_nobody_beats_himself():
    state = position("g9 g10", "g1", "g2", table=(0, "g7"), turn=1)
    state = do(state, 1, "pass").state
    step = do(state, 2, "pass")
    assert event_types(step) == ["passed", "trick_ended"]
    assert events(step)[1][2]["winner"] == 0


def test_o13_a_bomb_that_was_beaten_still_counts_at_the_end_of_the_trick():
    state = position("g9 g10 g15", "g1", table=(1, "g7 g8"), bombed=True, bomb="A")
    state = do(state, 0, "follow", cards="g9 g10").state
    assert view(state, None)["table"]["bomb"] is False
    assert events(do(state, 1, "pass"))[1] == ("trick_ended", None, {"winner": 0, "bomb": "B"})


@pytest.mark.parametrize(
    ("points", "out", "starter"),
    [
        ((50, 50, 30, 50), 0, 2),
        ((30, 30, 30, 30), 1, 2),  # everybody is level: the seat after the one that went out
        ((30, 50, 30, 50), 1, 2),
        ((30, 50, 50, 30), 3, 0),
        ((50, 20, 20, 50), 1, 2),  # the seat that went out counts last
        ((50, 20, 50, 50), 1, 1),  # but can be alone with the fewest
        ((20, 50, 50, 20), 0, 3),
    ],
)
def test_o14_fewest_points_start_and_ties_go_clockwise_from_after_the_one_that_went_out(points, out, starter):
    # Each hand is one card of one point, so that before the count all but `out` have one more, and `out` three less.
    before = tuple(now - 3 if seat == out else now + 1 for seat, now in enumerate(points))
    hands = ["g9", "b9", "g10", "b10"]
    state = position(*hands, turn=out, points=before)
    step = do(state, out, "follow", cards=hands[out])
    assert events(step)[1][2]["points"] == list(points)
    assert events(step)[2] == ("round_started", None, {"round": 2, "starter": starter, "bomb": "A"})
    assert GAME.to_move(step.state) == (starter,)
    assert view(step.state, None)["leader"] == starter


def test_o15_seat_0_starts_unless_first_seat_says_otherwise():
    assert view(fresh(4), None)["leader"] == 0
    state = fresh(4, first_seat=2)
    for seat in range(4):
        state = GAME.apply(state, seat, GAME.legal_moves(state, seat)[0]).state
    assert GAME.to_move(state) == (2,)
    with pytest.raises(InvalidOptions) as refused:
        GAME.check_options(OndaOptions(first_seat=2), 2)
    assert refused.value.path == "$.options.first_seat"


def _second_round():
    return do(position("g9", "g1", table=(1, "g8")), 0, "follow", cards="g9").state


def test_o16_from_round_2_on_the_starting_seat_keeps_or_skips_before_cards_are_set_aside():
    state = _second_round()
    assert view(state, None)["phase"] == "choose_bomb"
    assert [seat["has_set_aside"] for seat in view(state, None)["seats"]] == [False, False]
    assert GAME.to_move(state) == (1,)
    assert legal(state, 1) == [{"type": "keep_bomb"}, {"type": "skip_bomb"}]
    with pytest.raises(NotYourTurn):
        do(state, 0, "keep_bomb")
    hand = view(state, 1)["hand"]
    assert refusal(state, 1, "set_aside", cards=hand[:2]) == "O-phase"
    kept, skipped = do(state, 1, "keep_bomb"), do(state, 1, "skip_bomb")
    assert events(kept) == [("bomb_kept", 1, {"bomb": "A"})]
    assert events(skipped) == [("bomb_skipped", 1, {"bomb": "B"})]
    assert (view(kept.state, 0)["bomb"], view(skipped.state, 0)["bomb"]) == ("A", "B")
    assert GAME.to_move(kept.state) == (0, 1)


def test_o16_once_only_and_never_in_round_1():
    again = do(_second_round(), 1, "skip_bomb").state
    assert refusal(again, 1, "skip_bomb") == "O16"
    assert refusal(fresh(2), 0, "keep_bomb") == "O16"
    assert refusal(position("g1 g2", "g3"), 0, "keep_bomb") == "O16"


def test_o17_two_cards_face_down_chosen_by_all_at_once_and_hidden():
    state = fresh(3)
    assert GAME.to_move(state) == (0, 1, 2)
    before = [view(state, viewer) for viewer in (0, 2, None)]
    one = GAME.apply(state, 1, GAME.legal_moves(state, 1)[0])
    other = GAME.apply(state, 1, GAME.legal_moves(state, 1)[-1])
    assert events(one) == [("set_aside", 1, {})]
    assert GAME.to_move(one.state) == (0, 2)
    for viewer, old in zip((0, 2, None), before, strict=True):
        assert view(one.state, viewer) == view(other.state, viewer)
        assert view(one.state, viewer)["seats"][1] == {
            **old["seats"][1],
            "hand_size": 13,
            "face_down": 2,
            "has_set_aside": True,
        }
    with pytest.raises(NotYourTurn):
        GAME.apply(one.state, 1, as_move("set_aside", cards=view(one.state, 1)["hand"][:2]))
    assert legal(one.state, 1) == []


def test_o17_any_two_cards_of_the_hand_can_be_set_aside():
    state = fresh(2)
    hand = view(state, 0)["hand"]
    missing = next(card.code for card in GAME.cards if card.code not in hand)
    assert refusal(state, 0, "set_aside", cards=[hand[0], missing]) == "O-cards"
    single = next(code for code in hand if hand.count(code) == 1)
    assert refusal(state, 0, "set_aside", cards=[single, single]) == "O-cards"
    assert refusal(state, 0, "pass") == "O-phase"
    turned_round = do(state, 0, "set_aside", cards=[hand[3], hand[1]])
    assert view(turned_round.state, 0)["face_down"] == [hand[1], hand[3]]


def test_o18_points_have_no_floor():
    state = position("g9", "g1 b1", table=(1, "g8"), points=(50, 2))
    assert events(do(state, 0, "follow", cards="g9"))[1][2]["points"] == [53, -4]


@pytest.mark.parametrize(
    ("points", "went_out", "winners"),
    [
        ((60, 50, 40), (1, 2, 1), [0]),
        ((50, 50, 40), (1, 2, 1), [1]),
        ((50, 50, 40), (2, 2, 0), [0, 1]),
        ((50, 50, 50), (2, 1, 2), [0, 2]),
    ],
)
def test_o19_points_then_rounds_gone_out_then_shared(points, went_out, winners):
    # The last card of the match is laid by seat 0; the others keep one card of one point.
    before = (points[0] - 3, points[1] + 1, points[2] + 1)
    out_before = (went_out[0] - 1, went_out[1], went_out[2])
    state = position("g9", "b9", "g10", round=4, points=before, went_out=out_before)
    outcome = events(do(state, 0, "follow", cards="g9"))[-1][2]["outcome"]
    assert outcome["points"] == list(points)
    assert outcome["went_out"] == list(went_out)
    assert outcome["winners"] == winners


def test_o20_a_seat_that_can_only_pass_is_asked_all_the_same():
    state = position("g1 g2", "g3", "g4 g5", table=(2, "g15"), bomb="F")
    assert legal(state, 0) == [{"type": "pass"}]
    assert GAME.to_move(state) == (0,)
    after = do(state, 0, "pass").state
    assert GAME.to_move(after) == (1,)
    assert legal(after, 1) == [{"type": "pass"}]


def test_o21_the_first_round_begins_with_a_and_the_bomb_moves_on_in_it():
    assert view(fresh(2), None)["bomb"] == "A"
    state = position("g1 g2", "g9 b9", table=(1, "g8"), bombed=True, bomb="A", round=1)
    assert view(do(state, 0, "pass").state, None)["bomb"] == "B"
