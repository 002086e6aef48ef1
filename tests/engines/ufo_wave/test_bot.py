"""The solo player: it plays by the view alone, and how often it wins each medal with the house set."""

import random
from collections import Counter

import msgspec
import pytest

from engines.kit.chance import Chance, fixed_seed
from engines.ufo_wave import GAME
from engines.ufo_wave.bot import choose
from engines.ufo_wave.view import UfoWaveView
from tests.engines.ufo_wave.hooks import redeal


def medal(number: int) -> tuple[str | None, int]:
    """What the player wins in the deal of this number."""
    state = GAME.setup(GAME.options(mode="solo"), 1, Chance(fixed_seed(f"solo {number}"))).state
    while GAME.to_move(state):
        state = GAME.apply(state, 0, choose(GAME.view_for(state, 0), GAME.legal_moves(state, 0))).state
    ending = GAME.outcome(state)
    return ending.medal, ending.points[0]


@pytest.mark.slow
def test_the_medals_of_1000_deals() -> None:
    """RULES.md states these figures. Gold comes neither never nor nearly always: the thresholds stay as printed."""
    won = [medal(number) for number in range(1_000)]
    medals = Counter(kind for kind, _ in won)
    assert medals == {"gold": 574, "silver": 402, "bronze": 23, None: 1}
    assert min(points for _, points in won) == 74
    assert max(points for _, points in won) == 90
    assert 0.1 < medals["gold"] / 1_000 < 0.9


def test_a_hundred_deals_bring_some_gold_and_hardly_ever_nothing() -> None:
    medals = Counter(medal(number)[0] for number in range(100))
    assert 10 <= medals["gold"] <= 90
    assert medals[None] <= 5


def test_it_knows_no_more_than_the_view_and_the_list() -> None:
    rng = random.Random(5)
    state = GAME.setup(GAME.options(mode="solo"), 1, Chance(fixed_seed("blind"))).state
    while GAME.to_move(state):
        legal = list(GAME.legal_moves(state, 0))
        move = choose(GAME.view_for(state, 0), legal)
        assert move in legal
        view = msgspec.json.decode(msgspec.json.encode(GAME.view_for(redeal(state, 0, rng), 0)), type=UfoWaveView)
        assert choose(view, legal) == move
        state = GAME.apply(state, 0, move).state


@pytest.mark.parametrize(("mode", "seats"), [("standard", 3), ("covert", 2), ("equal", 4)])
def test_in_other_modes_it_plays_the_safe_move(mode: str, seats: int) -> None:
    state = GAME.setup(GAME.options(mode=mode), seats, Chance(fixed_seed("many"))).state
    while movers := GAME.to_move(state):
        legal = GAME.legal_moves(state, movers[0])
        move = choose(GAME.view_for(state, movers[0]), legal)
        assert move == GAME.default_move(GAME.view_for(state, movers[0]), legal)
        state = GAME.apply(state, movers[0], move).state
