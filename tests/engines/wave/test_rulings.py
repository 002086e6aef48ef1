"""What Shorebreak rules where the printed rules are open: W1 to W12, one by one."""

import pytest

from engines.kit.errors import InvalidOptions, NotYourTurn
from engines.wave import GAME
from engines.wave.moves import SAYS, WavePlay, WaveProposeSilver, WaveTip
from engines.wave.state import WaveState
from tests.engines.wave.build import (
    as_json,
    card,
    dealt,
    faces_seen,
    kinds,
    offered,
    play,
    position,
    propose,
    refusal,
    tip,
    told,
)


def test_w1_a_starting_discard_with_the_symbol_leaves_the_direction_clockwise() -> None:
    for first in ("w3", "o0"):
        state = dealt(f"{first} b1 b2 b3", 3).state
        assert GAME.view_for(state, None).direction == "clockwise"
        assert GAME.to_move(play(state, 0, "b1").state) == (1,)


# W2: cards that their holder can't see

UNSEEN = position("r3", "r4 w1 | w2 t1 r2", "b1 |", "b2 |", pile="b3 b4 t5")


def test_w2_every_team_facing_card_is_offered_whether_it_fits_or_not() -> None:
    assert offered(UNSEEN, 0) == ["r4", "w2", "t1", "r2"]


def test_w2_a_misfit_is_an_accepted_move_with_a_public_event_that_does_not_show_the_face() -> None:
    step = play(UNSEEN, 0, "w2")
    assert told(step) == [("misfit", 0, {"card": card(UNSEEN, "w2")})]
    assert step.state.version == 1


def test_w2_the_misfit_goes_back_to_its_place_and_the_turn_stays() -> None:
    after = play(UNSEEN, 0, "w2").state
    assert after.hands == UNSEEN.hands
    assert after.discard == UNSEEN.discard
    assert GAME.to_move(after) == (0,)
    assert faces_seen(after, 0, 0) == ["r4", "w1", None, None, None]


def test_w2_a_misfit_is_not_offered_and_refused_until_the_top_changes() -> None:
    after = play(play(UNSEEN, 0, "r2").state, 0, "w2").state
    assert GAME.view_for(after, 1).misfits == [card(after, "r2"), card(after, "w2")]
    assert offered(after, 0) == ["r4", "t1"]
    assert refusal(after, 0, WavePlay(card(after, "w2"))) == "W2"
    later = play(after, 0, "t1").state
    assert GAME.view_for(later, 1).misfits == []
    later = play(play(later, 1, "b1").state, 2, "b2").state
    assert "w2" in offered(later, 0)


def test_w2_an_unseen_card_that_fits_is_simply_played() -> None:
    assert kinds(play(UNSEEN, 0, "t1")) == ["played", "drew"]


def test_w2_a_card_facing_its_holder_that_does_not_fit_is_refused_as_w_fit() -> None:
    assert refusal(UNSEEN, 0, WavePlay(card(UNSEEN, "w1"))) == "W-fit"


def test_w2_strict_a_misfit_ends_the_game_and_the_card_counts_as_remaining() -> None:
    state = position("r3", "r4 w1 | w2 t1 r2", "b1 |", "b2 |", pile="b3 b4 t5", strict=True)
    step = play(state, 0, "w2")
    assert told(step) == [
        ("misfit", 0, {"card": card(state, "w2")}),
        (
            "match_finished",
            None,
            {"outcome": {"termination": "misfit", "remaining": 10, "rating": "fair", "returns": [-10] * 3}},
        ),
    ]
    assert GAME.to_move(step.state) == ()
    assert faces_seen(step.state, 0, 0) == ["r4", "w1", "w2", "t1", "r2"]
    assert GAME.view_for(step.state, 0).misfits == [card(state, "w2")]


def test_w2_strict_does_not_mind_a_card_that_fits() -> None:
    state = position("r3", "r4 | t1", "b1 |", "b2 |", strict=True)
    assert kinds(play(state, 0, "t1")) == ["played"]


# W3: stuck


def test_w3_the_whole_hand_counts_so_one_unseen_card_that_fits_keeps_the_game_alive() -> None:
    step = play(position("r3", "r4 |", "w1 w2 | w3 t1", "b2 |"), 0, "r4")
    assert kinds(step) == ["played"]
    assert offered(step.state, 1) == ["w3", "t1"]


def test_w3_the_game_ends_when_the_turn_of_a_stuck_seat_begins() -> None:
    step = play(position("r3", "r4 r5 |", "w1 w2 | w3 r2", "b2 |"), 0, "r4")
    assert kinds(step) == ["played", "match_finished"]
    assert GAME.view_for(step.state, 0).turn is None


def test_w3_the_first_seat_may_be_stuck_at_once() -> None:
    step = dealt("b4 w1 w2 w3 w4 y1 y2 y3 y4 o1 o2 o3", 3)
    assert kinds(step) == ["match_finished"]
    assert GAME.to_move(step.state) == ()
    assert as_json(GAME.outcome(step.state)) == {
        "termination": "stuck",
        "remaining": 33,
        "rating": "wipeout",
        "returns": [-33, -33, -33],
    }


# W4: who sees a card


def test_w4_each_card_has_one_audience_and_a_spectator_is_none() -> None:
    state = position("r3", "r4 | t1", "b1 | y1", "b2 | o1")
    assert [faces_seen(state, viewer, 0) for viewer in (0, 1, 2, None)] == [
        ["r4", None],
        [None, "t1"],
        [None, "t1"],
        [None, None],
    ]


def test_w4_the_finished_match_shows_every_face_to_everyone() -> None:
    over = play(position("r3", "r4 | t1", "w1 | y1", silver="w2 | w4 w5", turn=0, clockwise=False), 0, "r4").state
    assert over.termination == "stuck"
    for viewer in (None, 0, 1):
        view = GAME.view_for(over, viewer)
        assert [shown.face for hand in view.hands for shown in hand.cards] == ["t1", "w1", "y1"]
        assert view.silver is not None
        assert view.silver.face_down_faces == ["w4", "w5"]


# W5 and W11: what remains


def test_w5_hands_draw_pile_and_all_of_silvers_cards_remain() -> None:
    state = position("b3", "b4 w1 |", "w2 |", silver="w3 w4 w5 | y1 y2", pile="y3 y4")
    over = play(state, 0, "b4").state
    assert as_json(GAME.outcome(over))["remaining"] == 1 + 1 + 1 + 5 + 1  # hands 2, drawn 1, Silver 5, pile 1


def test_w11_an_end_without_remaining_cards_is_perfect_and_any_other_is_rated_by_what_remains() -> None:
    won = play(position("r3", "r4 |", "", ""), 0, "r4").state
    assert as_json(GAME.outcome(won)) == {
        "termination": "all_played",
        "remaining": 0,
        "rating": "perfect",
        "returns": [0, 0, 0],
    }
    stuck = play(position("r3", "r4 |", "w1 |", ""), 0, "r4").state
    assert as_json(GAME.outcome(stuck)) == {
        "termination": "stuck",
        "remaining": 1,
        "rating": "super",
        "returns": [-1, -1, -1],
    }


# W6: whose turn comes next


def test_w6_first_the_direction_turns_then_the_turn_steps() -> None:
    step = play(position("w1", "o0 |", "r1 |", "r2 |", "r3 |"), 0, "o0")
    assert GAME.to_move(step.state) == (3,)


def test_w6_seats_without_cards_are_skipped_in_the_new_direction() -> None:
    step = play(position("w1", "o0 |", "r1 |", "r2 |", ""), 0, "o0")
    assert GAME.to_move(step.state) == (2,)


def test_w6_silver_is_skipped_without_cards_and_played_for_with_cards() -> None:
    with_cards = play(position("w1", "o0 |", "r1 |", silver="r2 |"), 0, "o0").state
    assert GAME.view_for(with_cards, 0).turn is not None
    assert as_json(GAME.view_for(with_cards, 0).turn) == {"silver": True}
    without = play(position("w1", "o0 |", "r1 |", silver=""), 0, "o0").state
    assert GAME.to_move(without) == (1,)


def test_w6_the_only_place_with_cards_plays_again() -> None:
    step = play(position("w1", "o1 r0 |", "", ""), 0, "o1")
    assert GAME.to_move(step.state) == (0,)
    step = play(position("w1", "o0 r0 |", "", ""), 0, "o0")
    assert GAME.to_move(step.state) == (0,)


def test_w6_silver_turns_the_direction_too() -> None:
    state = position("w1", "r1 |", "r2 |", silver="y0 b1 |", turn=2)
    after = propose(propose(state, 0, "y0").state, 1, "y0").state
    assert GAME.to_move(after) == (1,)


# W7: tips

TALK = position("r3", "r4 w1 | w2 t1", "b1 |", "", silver=None, pile="t5")


def test_w7_every_seat_may_tip_at_any_time_the_empty_handed_too() -> None:
    for seat in (0, 1, 2):
        step = tip(TALK, seat, "t1")
        assert told(step) == [("tipped", seat, {"about": card(TALK, "t1"), "says": "should_play", "mine": None})]
        assert step.state.version == 1
        assert GAME.to_move(step.state) == (0,)


def test_w7_about_any_card_in_a_hand_ones_own_too_but_no_other() -> None:
    assert refusal(TALK, 0, WaveTip(card(TALK, "w1"), "can_play")) is None
    assert refusal(TALK, 0, WaveTip(card(TALK, "b1"), "cannot_play")) is None
    for elsewhere in (card(TALK, "r3"), card(TALK, "t5"), 0, 99):
        assert refusal(TALK, 0, WaveTip(elsewhere, "can_play")) == "W7"


def test_w7_about_silvers_face_up_cards_but_not_his_face_down_ones() -> None:
    state = position("r3", "r4 |", "b1 |", silver="w3 | w4")
    assert refusal(state, 0, WaveTip(card(state, "w3"), "should_not_play")) is None
    assert refusal(state, 0, WaveTip(card(state, "w4"), "should_not_play")) == "W7"


def test_w7_if_played_speaks_of_a_card_of_the_teller() -> None:
    about, mine, foreign = card(TALK, "b1"), card(TALK, "w1"), card(TALK, "b1")
    for says in ("if_played_i_can", "if_played_i_cannot"):
        assert refusal(TALK, 0, WaveTip(about, says, mine)) is None
        assert refusal(TALK, 0, WaveTip(about, says, None)) == "W7"
        assert refusal(TALK, 0, WaveTip(about, says, foreign)) == "W7"
        assert refusal(TALK, 2, WaveTip(about, says, mine)) == "W7"
    assert refusal(TALK, 0, WaveTip(about, "can_play", mine)) == "W7"


def test_w7_tips_are_not_checked_for_truth_or_sense() -> None:
    assert refusal(TALK, 1, WaveTip(card(TALK, "w1"), "can_play")) is None
    own = card(TALK, "w1")
    assert refusal(TALK, 0, WaveTip(own, "if_played_i_can", own)) is None


def test_w7_tips_are_shown_until_one_of_their_cards_is_played() -> None:
    state = tip(TALK, 1, "t1", "can_play").state
    state = tip(state, 1, "r4", "if_played_i_can", "b1").state
    state = tip(state, 2, "w2", "should_not_play").state
    shown = as_json(GAME.view_for(state, None).tips)
    t1, r4, b1, w2 = (card(state, code) for code in ("t1", "r4", "b1", "w2"))
    assert shown == [
        {"seat": 1, "about": t1, "says": "can_play", "mine": None, "version": 1},
        {"seat": 1, "about": r4, "says": "if_played_i_can", "mine": b1, "version": 2},
        {"seat": 2, "about": w2, "says": "should_not_play", "mine": None, "version": 3},
    ]
    assert as_json(GAME.view_for(play(state, 0, "r4").state, None).tips) == [shown[0], shown[2]]
    assert as_json(GAME.view_for(play(state, 0, "w2").state, None).tips) == shown  # a misfit is back in the hand
    after_b1 = play(play(state, 0, "t1").state, 1, "b1").state
    assert as_json(GAME.view_for(after_b1, None).tips) == [shown[2]]


def test_w7_a_seat_has_tips_per_turn_until_the_top_changes() -> None:
    state = position("r3", "r4 | w2 t1", "b1 |", "b2 |", tips_per_turn=2)
    spent = tip(tip(state, 1, "t1").state, 1, "t1").state
    assert refusal(spent, 1, WaveTip(card(state, "t1"), "can_play")) == "W-tips"
    assert refusal(spent, 2, WaveTip(card(state, "t1"), "can_play")) is None
    after_misfit = play(spent, 0, "w2").state
    assert refusal(after_misfit, 1, WaveTip(card(state, "r4"), "can_play")) == "W-tips"
    after_card = play(after_misfit, 0, "t1").state
    assert refusal(after_card, 1, WaveTip(card(state, "r4"), "can_play")) is None


def test_w7_tips_per_turn_0_allows_none() -> None:
    state = position("r3", "r4 |", "b1 |", "b2 |", tips_per_turn=0)
    assert refusal(state, 1, WaveTip(card(state, "r4"), "can_play")) == "W-tips"


def test_w7_no_tips_after_the_end() -> None:
    over = play(position("r3", "r4 |", "w1 |", ""), 0, "r4").state
    assert refusal(over, 1, WaveTip(card(over, "w1"), "can_play")) == "not_your_turn"


def test_w7_the_vocabulary_is_closed() -> None:
    assert SAYS == (
        "can_play",
        "cannot_play",
        "should_play",
        "should_not_play",
        "if_played_i_can",
        "if_played_i_cannot",
    )


# W8: who begins


def test_w8_seat_0_begins_unless_the_option_says_otherwise() -> None:
    assert GAME.to_move(dealt("w1", 4).state) == (0,)
    for seat in range(4):
        assert GAME.to_move(dealt("w1", 4, first_seat=seat).state) == (seat,)
    with pytest.raises(InvalidOptions) as refused:
        dealt("w1", 3, first_seat=3)
    assert refused.value.path == "$.options.first_seat"
    assert "0 to 2" in refused.value.sentence


# W9: deciding for Silver

SILVER = position("y1", "r1 r2 |", "r3 | b4", silver="o1 o2 w1 o3 | b1 b2", pile="t1 t2 t3", turn=2)


def test_w9_silver_sits_between_the_last_seat_and_seat_0() -> None:
    state = position("y1", "o1 r1 |", "o2 r2 |", silver="o3 | b1 b2", pile="t1 t2 t3")
    state = play(play(state, 0, "o1").state, 1, "o2").state
    assert as_json(GAME.view_for(state, 0).turn) == {"silver": True}
    state = propose(propose(state, 1, "o3").state, 0, "o3").state
    assert as_json(GAME.view_for(state, 0).turn) == {"seat": 0}


def test_w9_both_seats_propose_cards_that_fit_in_any_order() -> None:
    assert GAME.to_move(SILVER) == (0, 1)
    assert offered(SILVER, 0) == offered(SILVER, 1) == ["o1", "o2", "o3"]
    assert refusal(SILVER, 0, WaveProposeSilver(card(SILVER, "w1"))) == "W-fit"


def test_w9_either_order_of_the_proposals_leads_to_the_same_position() -> None:
    one = propose(propose(SILVER, 0, "o1").state, 1, "o2").state
    other = propose(propose(SILVER, 1, "o2").state, 0, "o1").state
    assert one == other


def test_w9_a_seat_with_a_proposal_waits_for_the_other() -> None:
    after = propose(SILVER, 1, "o2").state
    assert GAME.to_move(after) == (0,)
    assert offered(after, 1) == []
    assert refusal(after, 1, WaveProposeSilver(card(SILVER, "o1"))) == "not_your_turn"
    assert as_json(GAME.view_for(after, None).silver)["proposals"] == {"0": None, "1": card(SILVER, "o2")}


def test_w9_equal_proposals_are_played_at_once() -> None:
    step = propose(propose(SILVER, 1, "o2").state, 0, "o2")
    assert kinds(step) == ["proposed", "played", "drew"]
    assert told(step)[0] == ("proposed", 0, {"card": card(SILVER, "o2")})
    assert [event.seat for event in step.events] == [0, None, None]
    assert as_json(GAME.view_for(step.state, None).silver)["proposals"] == {"0": None, "1": None}


def test_w9_after_different_proposals_both_may_propose_anew_but_not_the_same_card() -> None:
    after = propose(propose(SILVER, 1, "o2").state, 0, "o1").state
    assert GAME.to_move(after) == (0, 1)
    assert offered(after, 0) == ["o2", "o3"]
    assert offered(after, 1) == ["o1", "o3"]
    assert refusal(after, 0, WaveProposeSilver(card(SILVER, "o1"))) == "W9"


def differing(clockwise: bool, hand_0: str = "r1 r2 |") -> WaveState:
    """Seat 0 has used its three proposals, seat 1 two of them; o1 and o2 stand."""
    state = position(
        "y1", hand_0, "r3 | b4", silver="o1 o2 w1 o3 | b1 b2", pile="t1 t2 t3", turn=2, clockwise=clockwise
    )
    for seat, code in ((0, "o1"), (1, "o2"), (0, "o3"), (0, "o1"), (1, "o3")):
        state = propose(state, seat, code).state
    return state


def test_w9_a_seat_has_three_proposals_a_turn() -> None:
    state = differing(clockwise=True)
    assert GAME.to_move(state) == (1,)
    assert refusal(state, 0, WaveProposeSilver(card(state, "o2"))) == "not_your_turn"
    with pytest.raises(NotYourTurn, match="no proposal left"):
        propose(state, 0, "o2")


@pytest.mark.parametrize(("clockwise", "played"), [(True, "o1"), (False, "o2")])
def test_w9_if_they_still_differ_the_first_seat_after_silver_prevails(clockwise: bool, played: str) -> None:
    step = propose(differing(clockwise), 1, "o2")
    assert kinds(step) == ["proposed", "played", "drew"]
    assert told(step)[1][2]["face"] == played


def test_w9_it_prevails_though_it_holds_no_cards() -> None:
    step = propose(differing(clockwise=True, hand_0=""), 1, "o2")
    assert told(step)[1][2]["face"] == "o1"


def test_w9_the_third_proposal_may_still_agree() -> None:
    assert told(propose(differing(clockwise=False), 1, "o1"))[1][2]["face"] == "o1"


def test_w9_seats_without_cards_decide_too_when_only_silver_plays() -> None:
    state = position("y1", "", "", silver="o1 b2 |", turn=2)
    assert GAME.to_move(state) == (0, 1)
    state = propose(propose(state, 0, "o1").state, 1, "o1").state
    assert GAME.to_move(state) == (0, 1)
    assert as_json(GAME.view_for(state, 0).turn) == {"silver": True}
    step = propose(propose(state, 0, "b2").state, 1, "b2")
    assert as_json(GAME.outcome(step.state))["termination"] == "all_played"


def test_w9_the_wrong_kind_of_move_is_refused() -> None:
    assert refusal(SILVER, 0, WavePlay(card(SILVER, "r1"))) == "W9"
    own_turn = position("y1", "r1 |", "r3 |", silver="o1 |")
    assert refusal(own_turn, 0, WaveProposeSilver(card(own_turn, "o1"))) == "W9"
    assert refusal(own_turn, 1, WaveProposeSilver(card(own_turn, "o1"))) == "not_your_turn"
    three = position("y1", "r1 |", "r3 |", "t1 |")
    assert refusal(three, 0, WaveProposeSilver(card(three, "r1"))) == "W9"


# W10: Silver's cards


def test_w10_everyone_sees_his_face_up_cards_nobody_the_face_down_ones() -> None:
    for viewer in (None, 0, 1):
        silver = as_json(GAME.view_for(SILVER, viewer).silver)
        assert [shown["face"] for shown in silver["face_up"]] == ["o1", "o2", "w1", "o3"]
        assert silver["face_down"] == 2
        assert silver["face_down_faces"] is None


def test_w10_when_a_seat_draws_the_last_card_one_is_turned_up_and_after_silvers_next_turn_the_second() -> None:
    state = position("y1", "y2 r1 |", "y3 r2 |", silver="o1 o2 o3 | b1 b2", pile="t1", turn=1)
    step = play(state, 1, "y3")
    assert kinds(step) == ["played", "drew", "turned_up"]
    assert told(step)[2] == ("turned_up", None, {"card": card(state, "b1"), "face": "b1"})
    silver = as_json(GAME.view_for(step.state, 0).silver)
    assert len(silver["face_up"]) == 4
    assert silver["face_down"] == 1
    step = propose(propose(step.state, 0, "o1").state, 1, "o1")
    assert kinds(step) == ["proposed", "played", "turned_up"]
    assert told(step)[2] == ("turned_up", None, {"card": card(state, "b2"), "face": "b2"})
    silver = as_json(GAME.view_for(step.state, 0).silver)
    assert len(silver["face_up"]) == 4
    assert silver["face_down"] == 0


def test_w10_the_second_waits_for_silvers_turn_not_for_a_seats() -> None:
    state = position("y1", "y2 r1 |", "y3 r2 |", silver="o1 o2 o3 | b1 b2", pile="t1", turn=0)
    step = play(state, 0, "y2")
    assert kinds(step) == ["played", "drew", "turned_up"]
    assert kinds(play(step.state, 1, "y3")) == ["played"]


def test_w10_the_turn_in_which_silver_draws_the_last_card_does_not_count() -> None:
    state = position("y1", "r1 b2 |", "r3 b3 |", silver="o1 o2 o3 | w4 w5", pile="t1", turn=2)
    step = propose(propose(state, 0, "o1").state, 1, "o1")
    assert kinds(step) == ["proposed", "played", "drew", "turned_up"]
    assert as_json(GAME.view_for(step.state, 0).silver)["face_down"] == 1
    step = play(play(step.state, 0, "r1").state, 1, "r3")
    assert kinds(step) == ["played"]
    step = propose(propose(step.state, 0, "t1").state, 1, "t1")
    assert kinds(step) == ["proposed", "played", "turned_up"]
    assert as_json(GAME.view_for(step.state, 0).silver)["face_down"] == 0


def test_w10_if_he_has_only_face_down_cards_on_his_turn_the_next_is_turned_up_first() -> None:
    state = position("y1", "r1 |", "r2 r3 |", silver="| b1 w1", turn=1)
    step = play(state, 1, "r2")
    assert kinds(step) == ["played", "turned_up"]
    assert offered(step.state, 0) == ["b1"]
    stuck = play(position("y1", "r1 |", "r2 r3 |", silver="| w1 b1", turn=1), 1, "r2")
    assert kinds(stuck) == ["played", "turned_up", "match_finished"]


def test_w10_if_no_face_up_card_fits_on_his_turn_the_game_ends() -> None:
    state = position("y1", "r1 |", "r2 b3 |", silver="w1 o1 | b1 b2", pile="t1 t2", turn=1)
    step = play(state, 1, "r2")
    assert kinds(step) == ["played", "drew", "match_finished"]
    assert as_json(GAME.outcome(step.state))["termination"] == "stuck"


# W12: the draw pile is empty


def test_w12_play_goes_on_without_drawing_and_empty_hands_are_skipped() -> None:
    state = position("y1", "o1 |", "o2 |", "o3 r1 |", pile="t1")
    step = play(state, 0, "o1")
    assert kinds(step) == ["played", "drew"]
    step = play(step.state, 1, "o2")
    assert kinds(step) == ["played"]
    step = play(step.state, 2, "o3")
    step = play(step.state, 0, "t1")
    assert step.state.turn == 2  # seat 1 has no cards
    assert step.state.termination == "stuck"
