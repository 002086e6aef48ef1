"""The safe move for an absent seat (RULES.md §9)."""

from engines.wave import GAME
from engines.wave.cards import CODES
from engines.wave.moves import WavePlay, WaveProposeSilver
from engines.wave.state import WaveState
from tests.engines.wave.build import play, position, propose


def default(state: WaveState, seat: int) -> str:
    """The face of the card that the default move names."""
    move: WavePlay | WaveProposeSilver = GAME.default_move(GAME.view_for(state, seat), GAME.legal_moves(state, seat))
    return CODES[state.deck[move.card - 1]]


def test_the_lowest_number_that_the_seat_sees_and_that_fits() -> None:
    assert default(position("r3", "b4 t2 w1 | y5", "o1 |", "o2 |"), 0) == "t2"


def test_of_equal_numbers_the_lower_suit() -> None:
    assert default(position("r1", "b2 t2 o2 y3 | y5", "o1 |", "o3 |"), 0) == "o2"


def test_an_unseen_card_only_if_no_seen_one_fits_and_then_the_oldest() -> None:
    assert default(position("r3", "w1 y2 | w2 b1 w3", "o1 |", "o2 |"), 0) == "w2"


def test_not_a_misfit() -> None:
    state = play(position("r3", "w1 y2 | w2 b1 w3", "o1 |", "o2 |"), 0, "w2").state
    assert default(state, 0) == "b1"


def test_for_silver_the_lowest_id_that_fits() -> None:
    state = position("r3", "b1 |", "b2 |", silver="w1 t2 b3 t1 |", turn=2)
    assert default(state, 0) == default(state, 1) == "t2"


def test_for_silver_never_the_proposal_that_stands() -> None:
    state = position("r3", "b1 |", "b2 |", silver="w1 t2 b3 t1 |", turn=2)
    state = propose(propose(state, 0, "t2").state, 1, "b3").state
    assert default(state, 0) == "b3"
    assert default(state, 1) == "t2"
