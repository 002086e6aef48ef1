"""How long Onda's legal list takes: in the mean, at its worst, and by the number of cards in the hand."""

import random
import time
from statistics import mean

from msgspec.structs import replace

from bench.results import Goal, Result, Say, table
from engines.kit.chance import Chance, fixed_seed
from engines.onda import GAME
from engines.onda.cards import FULL_DECK, codes, pile_of
from engines.onda.state import OndaState, replace_at

SEATS = 4
REPEATS = 5
"""The best of so many: what else the machine does makes a run slower, never faster."""
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 15)


def measure_all(matches: int, say: Say) -> Result:
    """The mean over all positions of random matches, and means over positions of one kind."""
    say(f"Legal lists: positions from {matches} matches")
    met = [position for number in range(matches) for position in positions(random.Random(number), number)]
    leads = [_opening(random.Random(number), number) for number in range(200)]
    met_us, leads_us = mean_us(met), mean_us(leads)
    rows = []
    for size in SIZES:
        say(f"Legal lists: hands of {size}")
        lead = [_with_hand(state, size, number) for number, (state, _) in enumerate(leads)]
        follow = [_with_hand(state, size, number) for number, (state, _) in enumerate(_under_a_lay(leads))]
        rows.append([str(size), *_row(lead), *_row(follow)])
    heads = ["cards in hand", "empty table, us", "moves", "over a single, us", "moves"]
    body = (
        f"Mean over {len(met):,} positions met in random play: {met_us:.1f} us; over {len(leads)} leads of 13 cards "
        f"with two wilds on an empty table: {leads_us:.1f} us. By hand size, always with two cards face down:\n\n"
        + table(heads, rows)
    )
    goals = [
        Goal("Onda's legal list in the mean", met_us, 20, "us", less=True),
        Goal("Onda's legal list, empty table, 13 cards, two wilds", leads_us, 100, "us", less=True),
    ]
    return Result("Onda's legal list", body, goals)


Position = tuple[OndaState, int]
"""A state, and the seat that is to move."""


def positions(rng: random.Random, seed: int) -> list[Position]:
    """Every position of a match played at random."""
    found = []
    state = GAME.setup(GAME.options(), SEATS, Chance(fixed_seed(f"list {seed}"))).state
    while turn := GAME.to_move(state):
        seat = turn[0]
        found.append((state, seat))
        state = GAME.apply(state, seat, rng.choice(GAME.legal_moves(state, seat))).state
    return found


def mean_us(met: list[Position]) -> float:
    """Microseconds of CPU time for each list."""
    legal_moves = GAME.legal_moves
    best = float("inf")
    for _ in range(REPEATS):
        begun = time.process_time()
        for state, seat in met:
            legal_moves(state, seat)
        best = min(best, time.process_time() - begun)
    return 1e6 * best / len(met)


def _row(met: list[Position]) -> list[str]:
    return [f"{mean_us(met):.1f}", f"{mean(len(GAME.legal_moves(state, seat)) for state, seat in met):.0f}"]


def _opening(rng: random.Random, seed: int) -> Position:
    """The first lead of a match: all have set two cards aside, and have 13 left."""
    state = GAME.setup(GAME.options(), SEATS, Chance(fixed_seed(f"lead {seed}"))).state
    for seat in range(SEATS):
        state = GAME.apply(state, seat, rng.choice(GAME.legal_moves(state, seat))).state
    return state, GAME.to_move(state)[0]


def _under_a_lay(leads: list[Position]) -> list[Position]:
    """The positions after the lead of a single card."""
    found = []
    for state, seat in leads:
        after = GAME.apply(state, seat, GAME.legal_moves(state, seat)[0]).state
        found.append((after, GAME.to_move(after)[0]))
    return found


def _with_hand(state: OndaState, size: int, seed: int) -> Position:
    """The position with another hand of so many cards, drawn from those that do not lie face down before the seat."""
    seat = GAME.to_move(state)[0]
    deck = list(codes(FULL_DECK))
    for card in codes(state.face_down[seat]):
        deck.remove(card)
    hand = random.Random(f"{size} {seed}").sample(deck, size)
    return replace(state, hands=replace_at(state.hands, seat, pile_of(hand))), seat
