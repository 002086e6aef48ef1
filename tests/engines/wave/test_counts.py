"""Counted move trees from fixed deals: any change of the rules changes these numbers.

Tips are left out. A leaf is a position at the depth, or one where the match has ended before.
"""

from copy import deepcopy

import pytest

from engines.wave import GAME
from engines.wave.options import WaveOptions
from engines.wave.state import WaveState
from tests.engines.walks import Table
from tests.engines.wave.plain import PlainWave, shuffled

COUNTS = {
    (2, "tree/1", False): (5, 18, 57, 143, 515, 1865, 5595, 14779),
    (2, "tree/2", True): (5, 14, 35, 71, 231, 783, 2335, 7443),
    (3, "tree/1", False): (5, 20, 73, 263, 915, 3045, 10643),
    (3, "tree/2", True): (5, 19, 71, 258, 865, 3192, 10479),
    (4, "tree/1", False): (5, 18, 68, 206, 729, 2394, 8258),
    (4, "tree/3", True): (2, 4, 11, 30, 89, 266, 762, 1971),
}
"""Seats, seed, strict -> leaves at depth 1, 2, ..."""


def leaves(state: WaveState, depth: int) -> int:
    """How many positions the tree has at this depth, by the engine; all seats that are to move move."""
    movers = GAME.to_move(state)
    if depth == 0 or not movers:
        return 1
    return sum(
        leaves(GAME.apply(state, seat, move).state, depth - 1)
        for seat in movers
        for move in GAME.legal_moves(state, seat)
    )


def plain_leaves(match: PlainWave, depth: int) -> int:
    """The same, by the plain account."""
    if depth == 0 or not match.to_move():
        return 1
    total = 0
    for seat in match.to_move():
        for move in match.legal(seat):
            after = deepcopy(match)
            after.play(seat, move)
            total += plain_leaves(after, depth - 1)
    return total


@pytest.mark.parametrize(("seats", "seed", "strict"), COUNTS)
def test_the_tree_has_as_many_leaves_as_ever(seats: int, seed: str, strict: bool) -> None:
    state = Table(GAME, seats, WaveOptions(strict=strict)).start(seed).state
    counts = COUNTS[seats, seed, strict]
    assert tuple(leaves(state, depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize(("seats", "seed", "strict"), COUNTS)
def test_the_plain_account_counts_the_same(seats: int, seed: str, strict: bool) -> None:
    match = PlainWave(shuffled(seed), seats, strict, 0, 20)
    assert tuple(plain_leaves(match, depth) for depth in (1, 2, 3, 4)) == COUNTS[seats, seed, strict][:4]
