"""What the printed rules say, line by line, and their examples (RULES.md §1-§8)."""

import pytest

from engines.wave import GAME
from engines.wave.cards import CODES, FITS, REVERSES
from engines.wave.moves import WavePlay, WaveProposeSilver
from engines.wave.scoring import rate
from tests.engines.wave.build import card, dealt, faces_seen, kinds, offered, play, position, propose, refusal, told


def fits(face: str, top: str) -> bool:
    return FITS[CODES.index(top)][CODES.index(face)]


def test_the_deck_has_34_cards_without_white_0_and_blue_5() -> None:
    assert len(CODES) == len(set(CODES)) == 34
    assert "w0" not in CODES
    assert "b5" not in CODES
    assert [entry.code for entry in GAME.cards] == list(CODES)
    assert CODES[:7] == ("w1", "w2", "w3", "w4", "w5", "y0", "y1")


def test_a_higher_number_of_any_colour_fits() -> None:
    assert fits("w4", "b3")
    assert not fits("w3", "b3")


def test_a_higher_colour_with_any_number_fits() -> None:
    assert fits("b0", "t5")
    assert not fits("t4", "t5")
    assert not fits("r4", "t5")


def test_the_colours_rank_white_yellow_orange_red_turquoise_blue() -> None:
    for lower, higher in zip("wyort", "yortb", strict=True):
        assert fits(higher + "2", lower + "2")
        assert not fits(lower + "2", higher + "2")


def test_all_white_cards_and_every_0_change_the_direction() -> None:
    changing = {code for code, reverses in zip(CODES, REVERSES, strict=True) if reverses}
    assert changing == {"w1", "w2", "w3", "w4", "w5", "y0", "o0", "r0", "t0", "b0"}


def test_example_julia_plays_red_4_hardy_blue_0_and_it_is_julias_turn_again() -> None:
    julia, hardy = 0, 1
    state = position("y1", "r4 o1 | w1", "b0 y2 | w2", "w3 | w4", pile="t1 t2 t3")
    after_julia = play(state, julia, "r4").state
    assert GAME.to_move(after_julia) == (hardy,)
    step = play(after_julia, hardy, "b0")
    assert told(step)[0] == ("played", hardy, {"card": card(state, "b0"), "face": "b0", "reversed": True})
    assert GAME.to_move(step.state) == (julia,)
    assert GAME.view_for(step.state, hardy).direction == "counterclockwise"


def test_the_starting_hand_is_three_cards_facing_oneself_then_two_facing_the_team() -> None:
    state = dealt("y1 r1 r2 r3 t1 t2 t3 b1 b2 b3 o1 o2 y2 y3 w1 w2", 3).state
    assert faces_seen(state, 0, 0) == ["r1", "r2", "r3", None, None]
    assert faces_seen(state, 1, 0) == [None, None, None, "o1", "o2"]
    assert faces_seen(state, 1, 1) == ["t1", "t2", "t3", None, None]
    assert faces_seen(state, 0, 2) == [None, None, None, "w1", "w2"]
    assert GAME.view_for(state, 0).top.face == "y1"
    assert GAME.view_for(state, 0).draw_pile == 34 - 1 - 15


def test_exactly_one_card_is_played_and_one_drawn_then_the_next_person_plays() -> None:
    state = position("y1", "r1 r2 | w1", "r3 | w2", "t1 | w3", pile="b1 b2")
    step = play(state, 0, "r1")
    assert kinds(step) == ["played", "drew"]
    assert GAME.to_move(step.state) == (1,)
    assert step.state.pile == 1
    assert refusal(state, 0, WavePlay(card(state, "r3"))) == "W-hand"


def test_one_draws_opposite_after_a_card_that_faced_oneself() -> None:
    step = play(position("y1", "r1 | w1", "r3 | w2", pile="b1 b2", silver="b3 | b4"), 0, "r1")
    assert told(step)[1] == ("drew", 0, {"card": card(step.state, "b1"), "facing": "team"})
    assert faces_seen(step.state, 0, 0) == [None, None]
    assert faces_seen(step.state, 1, 0) == ["w1", "b1"]


def test_one_draws_opposite_after_a_card_that_faced_the_team() -> None:
    step = play(position("y1", "w1 | r1", "r3 | w2", pile="b1 b2", silver="b3 | b4"), 0, "r1")
    assert told(step)[1] == ("drew", 0, {"card": card(step.state, "b1"), "facing": "holder"})
    assert faces_seen(step.state, 0, 0) == ["w1", "b1"]
    assert faces_seen(step.state, 1, 0) == [None, None]


def test_without_a_draw_pile_one_plays_on_without_drawing() -> None:
    step = play(position("y1", "r1 r2 |", "r3 |", "t1 |"), 0, "r1")
    assert kinds(step) == ["played"]
    assert faces_seen(step.state, 0, 0) == ["r2"]


def test_who_has_no_cards_is_skipped() -> None:
    step = play(position("y1", "r1 r2 |", "", "t1 |"), 0, "r1")
    assert GAME.to_move(step.state) == (2,)


def test_the_last_card_of_all_wins() -> None:
    step = play(position("y1", "r1 |", "", ""), 0, "r1")
    assert told(step)[-1] == (
        "match_finished",
        None,
        {"outcome": {"termination": "all_played", "remaining": 0, "rating": "perfect", "returns": [0, 0, 0]}},
    )
    assert GAME.to_move(step.state) == ()


def test_who_cannot_play_ends_the_game() -> None:
    step = play(position("b1", "b2 b3 |", "w1 | y1", "t1 |"), 0, "b2")
    assert told(step)[-1] == (
        "match_finished",
        None,
        {"outcome": {"termination": "stuck", "remaining": 4, "rating": "good", "returns": [-4, -4, -4]}},
    )


@pytest.mark.parametrize(
    ("remaining", "rating"),
    [(0, "perfect"), (1, "super"), (2, "super"), (3, "good"), (5, "good"), (6, "fair"), (10, "fair"), (11, "wipeout")],
)
def test_the_table_of_results(remaining: int, rating: str) -> None:
    assert rate(remaining) == rating
    assert rate(33) == "wipeout"


def test_silver_is_dealt_two_cards_face_down_and_three_face_up_after_both_hands() -> None:
    state = dealt("y1 r1 r2 r3 t1 t2 t3 o1 o2 y2 y3 w1 w2 b1 b2 b3", 2).state
    silver = GAME.view_for(state, 0).silver
    assert silver is not None
    assert [(open_card.card, open_card.face) for open_card in silver.face_up] == [(14, "b1"), (15, "b2"), (16, "b3")]
    assert silver.face_down == 2
    assert GAME.view_for(state, 0).draw_pile == 34 - 1 - 10 - 5
    assert GAME.view_for(dealt("", 3).state, 0).silver is None


def test_silver_plays_only_one_of_his_face_up_cards() -> None:
    state = position("y1", "r1 |", "r2 |", silver="b1 w1 b2 | b3 b4", turn=2)
    assert offered(state, 0) == ["b1", "b2"]
    assert refusal(state, 0, WaveProposeSilver(card(state, "b3"))) == "W9"


def test_silver_draws_face_up_into_the_empty_space() -> None:
    state = position("y1", "r1 |", "r2 |", silver="o1 o2 o3 | b3 b4", pile="t1 t2", turn=2)
    step = propose(propose(state, 0, "o1").state, 1, "o1")
    assert told(step)[1:] == [
        ("played", None, {"card": card(state, "o1"), "face": "o1", "reversed": False}),
        ("drew", None, {"card": card(state, "t1"), "face": "t1"}),
    ]
    silver = GAME.view_for(step.state, None).silver
    assert silver is not None
    assert [open_card.face for open_card in silver.face_up] == ["o2", "o3", "t1"]


def test_silver_without_cards_is_skipped() -> None:
    step = play(position("y1", "r1 |", "r2 |", silver="", turn=1), 1, "r2")
    assert step.state.turn == 0
