"""Counted move trees: how many ways there are to go on from fixed positions, 1, 2 and 3 moves deep.

A count that changes means that the rules have changed, or the deal: say why in the commit.
"""

import pytest

from engines.onda import GAME
from engines.onda.state import OndaState
from tests.engines.onda.positions import fresh


def leaves(state: OndaState, depth: int) -> int:
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


def after_defaults(seats: int, seed: str, moves: int) -> OndaState:
    """The position after so many moves, each the safe default of the lowest seat to move."""
    state = fresh(seats, seed)
    for _ in range(moves):
        seat = GAME.to_move(state)[0]
        state = GAME.apply(
            state, seat, GAME.default_move(GAME.view_for(state, seat), GAME.legal_moves(state, seat))
        ).state
    return state


@pytest.mark.parametrize(
    ("seats", "seed", "moves", "counts"),
    [
        (2, "perft/a", 0, [161, 12696]),
        (2, "perft/a", 2, [97, 6548, 100001]),
        (3, "perft/b", 3, [179, 5368, 194342]),
        (4, "perft/c", 4, [223, 13194]),
        (5, "perft/d", 5, [179, 8344, 213133]),
        (4, "perft/e", 40, [9, 513, 10890, 229437]),
        (5, "perft/f", 60, [1, 2, 582, 134976]),
    ],
)
def test_counted_move_trees(seats, seed, moves, counts):
    state = after_defaults(seats, seed, moves)
    assert [leaves(state, depth + 1) for depth in range(len(counts))] == counts
