"""What bounds a match: its length, the bytes of its state and of its moves."""

import random

import msgspec
import pytest

from engines.wave import GAME
from engines.wave.cards import CODES, FITS, RANKS
from engines.wave.options import WaveOptions
from engines.wave.state import WaveHand, WaveState
from tests.engines.walks import Table, walk
from tests.engines.wave.build import card, position, propose


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_state_stays_small(seats: int) -> None:
    table = Table(GAME, seats, WaveOptions())
    for n in range(40):
        played = walk(table, f"size/{n}", anytime=0.3)
        sizes = [len(msgspec.msgpack.encode(state)) for state in played.states()]
        assert max(sizes) < 700, f"size/{n}"
        moves = [[turn.seat, turn.move] for turn in played.turns[:60]]
        log = len(msgspec.msgpack.encode(moves))
        assert sizes[min(60, len(sizes) - 1)] + log < 3000, f"size/{n}"


def test_max_moves_is_33_cards_of_at_most_six_moves_each() -> None:
    assert GAME.max_moves == 33 * 6


def test_a_seat_tries_at_most_four_misfits_before_a_card() -> None:
    state = position("r4", "| w1 w2 w3 w4 b1", "t1 |", "t2 |", pile="b2")
    for code in ("w1", "w2", "w3", "w4"):
        state = GAME.apply(state, 0, GAME.legal_moves(state, 0)[0]).state
        assert state.misfits[-1] == card(state, code)
    assert [move.card for move in GAME.legal_moves(state, 0)] == [card(state, "b1")]


def test_silver_takes_at_most_six_proposals() -> None:
    state = position("y1", "r1 |", "r3 |", silver="o1 o2 o3 |", turn=2)
    for seat, code in ((0, "o1"), (1, "o2"), (0, "o3"), (0, "o1"), (1, "o3")):
        state = propose(state, seat, code).state
        assert state.silver_turn
    assert not propose(state, 1, "o2").state.silver_turn


def test_the_longest_matches_of_a_stubborn_table_stay_within_max_moves() -> None:
    """Always the first card that will not fit, and never an agreement on Silver while there is a choice."""
    longest = 0
    for n in range(150):
        rng = random.Random(f"stubborn/{n}")
        table = Table(GAME, 2 + n % 3, WaveOptions())
        state, moves = table.start(f"stubborn/{n}").state, 0
        while movers := GAME.to_move(state):
            seat = rng.choice(movers)
            legal = list(GAME.legal_moves(state, seat))
            state = GAME.apply(state, seat, min(legal, key=lambda move: _stubbornness(state, seat, move.card))).state
            moves += 1
        assert moves <= GAME.max_moves, f"stubborn/{n}"
        longest = max(longest, moves)
    assert longest > 60


def _stubbornness(state: WaveState, seat: int, card_id: int) -> tuple[bool, bool, int]:
    """Small is more stubborn: a misfit first, then anything but what the other seat proposes, then the lowest rise."""
    hand: WaveHand = state.hands[seat]
    fits = FITS[state.top][state.deck[card_id - 1]]
    agrees = state.silver is not None and state.silver.proposals[1 - seat] == card_id
    return fits and card_id in hand, agrees, sum(RANKS[CODES[state.deck[card_id - 1]]])
