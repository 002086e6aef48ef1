"""Every example of the rulebook, by the name of who plays in it, and what the rulebook says in plain numbers."""

import pytest

from engines.kit.errors import NotYourTurn
from engines.onda import GAME
from engines.onda.cards import pile_of
from tests.engines.onda.positions import as_move, do, event_types, events, fresh, legal, position, refusal, view


def test_ursula_beats_a_sequence_of_three_with_a_higher_one_of_the_other_suit():
    ursula = position(
        "g5 g6 g7 b9 b10 b11 b3 b4", "g15", table=(1, "g4 g5 g6"), face_down=("", ""), blocked=True, bomb="B"
    )
    step = do(ursula, 0, "follow", cards="b9 b10 b11")
    assert events(step) == [
        (
            "followed",
            0,
            {"cards": ["b9", "b10", "b11"], "wild_as": None, "kind": "sequence", "size": 3, "number": 9},
        )
    ]
    assert view(step.state, None)["table"]["number"] == 9
    assert [move["cards"] for move in legal(ursula, 0, "follow")] == [["g5", "g6", "g7"], ["b9", "b10", "b11"]]


def test_ursula_needs_at_least_5_6_7():
    ursula = position("g4 g5 g6 g1", "g15", table=(1, "b4 b5 b6"), bomb="B")
    assert legal(ursula, 0) == [{"type": "pass"}]
    assert refusal(ursula, 0, "follow", cards="g4 g5 g6") == "O8"


def test_patrick_can_beat_a_pair_of_2_under_low_with_the_pair_of_1_alone():
    patrick = position("g1 b1 g3 b3 b2 b15", "g15", table=(1, "g2 b2"), high=False, bomb="C")
    assert legal(patrick, 0, "follow") == [{"type": "follow", "cards": ["g1", "b1"], "wild": None}]
    assert view(do(patrick, 0, "follow", cards="b1 g1").state, 1)["table"]["number"] == 1
    assert refusal(patrick, 0, "follow", cards="g3 b3") == "O8"


def test_moana_fills_a_sequence_of_four_with_a_wild():
    moana = position("g3 g5 g6 b15", "g15", table=(1, "g1 g2 g3 g4"), face_down=("b9 b13", "g8 g9"))
    step = do(moana, 0, "follow", cards="g3 g5 g6", wild="b9 as g4")
    assert events(step) == [
        (
            "followed",
            0,
            {"cards": ["g3", "g5", "g6"], "wild_as": "g4", "kind": "sequence", "size": 4, "number": 3},
        )
    ]
    assert view(step.state, 0)["face_down"] == ["b13"]
    assert view(step.state, 0)["wilds_used"] == ["b9"]
    assert view(step.state, 0)["hand"] == ["b15"]


def test_kraken_turns_the_tide_to_beat_a_pair_of_14_with_a_pair_of_3():
    kraken = position("g3 b3 b10", "g15", table=(1, "g14 b14"), face_down=("b9 b13", "g8 g9"))
    assert not legal(kraken, 0, "follow")
    step = do(kraken, 0, "turn_tide", take="b9", cards="g3 b3")
    assert events(step) == [
        (
            "tide_turned",
            0,
            {"take": "b9", "cards": ["g3", "b3"], "tide": "low", "kind": "set", "size": 2, "number": 3},
        )
    ]
    shown = view(step.state, 0)
    assert (shown["tide"], shown["status"]) == ("low", "blocked")
    assert (shown["hand"], shown["face_down"]) == (["b9", "b10"], ["b13"])


def test_nemo_bombs_a_triplet_of_10_with_a_green_4_5():
    nemo = position("g4 g5 b15", "b4 b5 b6 b10", "g1 g2 b1", table=(2, "g10 b10 g10"), bomb="A")
    step = do(nemo, 0, "bomb", cards="g4 g5")
    assert events(step) == [
        ("bombed", 0, {"cards": ["g4", "g5"], "wild_as": None, "kind": "sequence", "size": 2, "number": 4})
    ]
    shown = view(step.state, 1)
    assert shown["bomb_played"] is True
    assert shown["table"] == {
        "seat": 0,
        "kind": "sequence",
        "size": 2,
        "number": 4,
        "cards": ["g4", "g5"],
        "wild_as": None,
        "bomb": True,
    }
    # "From now on, the other players must follow the bomb card combination."
    assert legal(step.state, 1) == [{"type": "follow", "cards": ["b5", "b6"], "wild": None}, {"type": "pass"}]


def test_sixty_cards_fifteen_each_or_twelve_among_five():
    assert sum(card.count for card in GAME.cards) == 60
    for seats, each, left in ((2, 15, 30), (3, 15, 15), (4, 15, 0), (5, 12, 0)):
        state = fresh(seats)
        assert [seat["hand_size"] for seat in view(state, None)["seats"]] == [each] * seats
        assert state.undealt.bit_count() == left


def test_set_up_is_high_allowed_bomb_a_fifty_points():
    shown = view(fresh(3), None)
    assert (shown["tide"], shown["status"], shown["bomb"]) == ("high", "allowed", "A")
    assert [seat["points"] for seat in shown["seats"]] == [50, 50, 50]


def test_play_goes_clockwise_from_the_leader():
    state = position("g1 g2", "g3 g4", "g5 g6", turn=2)
    state = do(state, 2, "follow", cards="g5").state
    assert GAME.to_move(state) == (0,)
    with pytest.raises(NotYourTurn):
        GAME.apply(state, 1, as_move("pass"))


def test_all_but_one_passing_ends_the_trick_and_the_winner_leads_with_everybody_in_again():
    state = position("g1 g2", "g9 b9", "g5 g6", table=(1, "g8"), turn=2, face_down=("b1 b2", "b3 b4", "b5 b6"))
    state = do(state, 2, "pass").state
    assert [seat["in_trick"] for seat in view(state, None)["seats"]] == [True, True, False]
    step = do(state, 0, "pass")
    assert events(step) == [("passed", 0, {}), ("trick_ended", None, {"winner": 1, "bomb": "A"})]
    shown = view(step.state, None)
    assert [seat["in_trick"] for seat in shown["seats"]] == [True, True, True]
    assert (shown["table"], shown["leader"], GAME.to_move(step.state)) == (None, 1, (1,))


def test_the_status_is_allowed_again_in_the_next_trick():
    state = position("g1 g2", "g9 b9", table=(1, "g8"), blocked=True, high=False)
    shown = view(do(state, 0, "pass").state, None)
    assert (shown["status"], shown["tide"]) == ("allowed", "low")


@pytest.mark.parametrize(("bomb", "following"), ["AB", "BC", "CD", "DE", "EF", "FA"])
def test_after_a_bombed_trick_the_next_bomb_comes_up_a_to_f_and_round_again(bomb, following):
    state = position("g1 g2", "g9 b9", table=(1, "g8"), bombed=True, bomb=bomb)
    step = do(state, 0, "pass")
    assert events(step)[-1] == ("trick_ended", None, {"winner": 1, "bomb": following})
    shown = view(step.state, None)
    assert (shown["bomb"], shown["bomb_played"]) == (following, False)


@pytest.mark.parametrize(
    ("bomb", "cards"),
    [
        ("A", "g4 g5"),
        ("B", "g4 b4"),
        ("C", "b5 b6 b7"),
        ("D", "g4 b4 b4"),
        ("E", "b4 b5 b6 b7"),
        ("F", "g4 g4 b4 b4"),
    ],
)
def test_each_bomb_has_its_own_shape(bomb, cards):
    state = position("g4 g4 g5 b4 b4 b5 b6 b7 g1", "g15", table=(1, "b14"), bomb=bomb)
    assert do(state, 0, "bomb", cards=cards).events[0].type == "bombed"
    others = {"A": "g4 b4", "B": "g4 g5"}.get(bomb, "g4")
    assert refusal(state, 0, "bomb", cards=others) == "O-bomb"


def test_no_other_bomb_in_the_same_trick():
    state = position("g4 b4 g15", "g15 g1", table=(1, "b1 b2"), bombed=True, bomb="B")
    assert refusal(state, 0, "bomb", cards="g4 b4") == "O-one-bomb"


def test_a_wild_can_be_in_a_bomb():
    state = position("g4 g15", "g15 g1", table=(1, "b13"), bomb="A", face_down=("b1 b2", ""))
    step = do(state, 0, "bomb", cards="g4", wild="b1 as g5")
    assert events(step)[0][2]["wild_as"] == "g5"


def test_turning_the_tide_is_only_for_the_allowed_status():
    state = position("g3 g15", "g15 g1", table=(1, "b13"), blocked=True, face_down=("b1 b2", ""))
    assert refusal(state, 0, "turn_tide", take="b1", cards="g3") == "O-blocked"
    assert not legal(state, 0, "turn_tide")


def test_a_seat_that_passed_is_skipped_until_the_trick_ends():
    state = position("g10 g11 g1", "g12 g13 g2", "g14 g15 g3", table=(0, "g9"), turn=1, out=(2,))
    state = do(state, 1, "follow", cards="g12").state
    assert GAME.to_move(state) == (0,)


def test_beaten_cards_stay_in_the_list_of_what_was_played():
    state = position("g10 g1", "g12 g2", table=(1, "g9"))
    shown = view(do(state, 0, "follow", cards="g10").state, None)
    assert shown["played"] == [
        {"seat": 1, "cards": ["g9"], "wild_as": None},
        {"seat": 0, "cards": ["g10"], "wild_as": None},
    ]


def test_going_out_ends_the_round_and_scores_by_the_table():
    # Seat 1 keeps 1 (3), 4 (2), 7 (1) and one card face down (3); seat 2 keeps 15 (3) and 12 (2).
    state = position("g9", "g1 g4 g7", "b15 b12", table=(2, "g8"), face_down=("b1 b2", "b3", ""))
    step = do(state, 0, "follow", cards="g9")
    assert event_types(step) == ["followed", "round_ended", "round_started"]
    ended = events(step)[1][2]
    assert ended["change"] == [3, -9, -5]
    assert ended["points"] == [53, 41, 45]
    assert ended["hands"] == [[], ["g1", "g4", "g7"], ["b12", "b15"]]


@pytest.mark.parametrize(
    ("card", "cost"),
    [
        (f"{suit}{n}", 3 if n in (1, 15) else 2 if n in (2, 3, 4, 12, 13, 14) else 1)
        for suit in "gb"
        for n in range(1, 16)
    ],
)
def test_each_card_costs_its_dots(card, cost):
    out = "g9" if card != "g9" else "b10"
    step = do(position(out, card, table=(1, "g8")), 0, "follow", cards=out)
    assert events(step)[1][2]["change"] == [3, -cost]
    assert next(each.points for each in GAME.cards if each.code == card) == cost


def test_the_match_ends_after_its_rounds_and_most_points_win():
    state = position("g9", "g1", table=(1, "g8"), round=3, rounds=3, points=(40, 60))
    step = do(state, 0, "follow", cards="g9")
    assert event_types(step) == ["followed", "round_ended", "match_finished"]
    outcome = {
        "termination": "rounds_played",
        "points": [43, 57],
        "went_out": [1, 0],
        "winners": [1],
        "returns": [43, 57],
    }
    assert events(step)[2] == ("match_finished", None, {"outcome": outcome})
    assert GAME.to_move(step.state) == ()
    with pytest.raises(NotYourTurn):
        do(step.state, 0, "pass")


def test_the_next_round_begins_afresh_but_for_tide_points_and_bomb():
    state = position(
        "g9 b9",
        "g1 b15",
        "g2",
        table=(2, "g7 b7"),
        bombed=True,
        bomb="B",
        out=(1,),
        face_down=("", "b1", ""),
        high=True,
        blocked=True,
        known=(0, pile_of(["b15"]), 0),
        wilds_used=(pile_of(["b3"]), 0, 0),
    )
    step = do(state, 0, "follow", cards="g9 b9")
    shown = view(step.state, 0)
    assert (shown["phase"], shown["round"], shown["tide"], shown["status"]) == ("choose_bomb", 2, "high", "allowed")
    assert (shown["bomb"], shown["bomb_played"], shown["table"], shown["played"]) == ("C", False, None, [])
    assert (shown["face_down"], shown["wilds_used"]) == ([], [])
    assert shown["seats"] == [
        {
            "seat": seat,
            "points": points,
            "went_out": went_out,
            "hand_size": 15,
            "face_down": 0,
            "in_trick": True,
            "has_set_aside": False,
            "known": [],
        }
        for seat, points, went_out in ((0, 53, 1), (1, 41, 0), (2, 48, 0))
    ]
