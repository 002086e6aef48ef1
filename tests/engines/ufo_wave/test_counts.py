"""Counted move trees: how many ways there are to go on from fixed positions, 1, 2, … moves deep.

A count that changes means that the rules have changed, or the deal: say why in the commit.
"""

import pytest

from engines.ufo_wave import GAME
from engines.ufo_wave.state import UfoWaveState
from tests.engines.ufo_wave.build import start


def leaves(state: UfoWaveState, depth: int) -> int:
    """How many lines of `depth` moves there are, any seat that may move moving."""
    movers = GAME.to_move(state)
    if depth == 0 or not movers:
        return 1
    if depth == 1:
        return sum(len(GAME.legal_moves(state, seat)) for seat in movers)
    return sum(
        leaves(GAME.apply(state, seat, move).state, depth - 1)
        for seat in movers
        for move in GAME.legal_moves(state, seat)
    )


def after_defaults(seats: int, mode: str, seed: str, moves: int) -> UfoWaveState:
    """The position after so many moves, each the safe default of the lowest seat to move."""
    state = start(seats, mode, seed).state
    for _ in range(moves):
        seat = GAME.to_move(state)[0]
        legal = GAME.legal_moves(state, seat)
        state = GAME.apply(state, seat, GAME.default_move(GAME.view_for(state, seat), legal)).state
    return state


@pytest.mark.parametrize(
    ("seats", "mode", "seed", "moves", "counts"),
    [
        (2, "standard", "perft/a", 0, [6, 30, 940, 4750]),
        (2, "standard", "perft/a", 2, [31, 157, 4498, 9823]),
        (3, "covert", "perft/b", 10, [6, 252, 750, 1278]),
        (6, "standard", "perft/c", 31, [5, 22, 462, 7964]),
        (4, "equal", "perft/d", 21, [56, 186, 423, 528]),
        (1, "solo", "perft/e", 0, [8, 46, 223, 1073, 6441]),
        (1, "solo", "perft/e", 41, [49, 1240, 8932, 59577]),
    ],
)
def test_counted_move_trees(seats: int, mode: str, seed: str, moves: int, counts: list[int]) -> None:
    state = after_defaults(seats, mode, seed, moves)
    assert [leaves(state, depth + 1) for depth in range(len(counts))] == counts
