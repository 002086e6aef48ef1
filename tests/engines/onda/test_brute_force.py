"""The engine against the plain account of the rules in brute_force.py, move for move and in order."""

import random

import pytest

from engines.kit.errors import IllegalMove
from engines.onda import GAME
from tests.engines.onda import brute_force
from tests.engines.onda.hooks import probes
from tests.engines.onda.positions import as_json, legal, random_game, random_position, view

BATCHES = 30
POSITIONS = 100


@pytest.mark.parametrize("batch", range(BATCHES))
def test_legal_moves_are_those_of_the_brute_force_in_its_order(batch):
    for seed in range(batch * POSITIONS, (batch + 1) * POSITIONS):
        state = random_position(seed)
        assert legal(state, state.turn) == brute_force.legal_moves(view(state, state.turn)), f"random_position({seed})"


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_legal_moves_are_those_of_the_brute_force_through_whole_matches(seats, seed):
    for number, (state, seat, _, _) in enumerate(random_game(seats, seed)):
        expected = brute_force.legal_moves(view(state, seat))
        assert legal(state, seat) == expected, f"random_game({seats}, {seed}), move {number}"


@pytest.mark.parametrize("seed", range(60))
def test_a_move_is_accepted_exactly_if_the_brute_force_lists_it_up_to_the_named_equivalences(seed):
    state = random_position(seed)
    listed = brute_force.legal_moves(view(state, state.turn))
    for move in probes(state, state.turn, random.Random(seed)):
        try:
            GAME.check(state, state.turn, move)
            accepted = True
        except IllegalMove:
            accepted = False
        assert accepted == (brute_force.listed_form(as_json(move)) in listed), f"random_position({seed}), {move}"


def test_random_positions_cover_what_can_lie_on_a_table():
    """The proof above is worth as much as the positions: each case must come often."""
    met: dict[object, int] = {}
    for seed in range(BATCHES * POSITIONS):
        state = random_position(seed)
        shown = view(state, state.turn)
        table = shown["table"]
        facts = [
            ("seats", len(shown["seats"])),
            ("tide", shown["tide"]),
            ("status", shown["status"]),
            ("bomb", shown["bomb"]),
            ("bomb_played", shown["bomb_played"]),
            ("wilds", len(shown["face_down"])),
            ("twins face down", len(shown["face_down"]) > len(set(shown["face_down"]))),
            ("table", table and (table["kind"], table["size"])),
        ]
        for fact in facts:
            met[fact] = met.get(fact, 0) + 1
    assert {fact[1] for fact in met if fact[0] == "seats"} == {2, 3, 4, 5}
    assert {fact[1] for fact in met if fact[0] == "bomb"} == set("ABCDEF")
    assert len([fact for fact in met if fact[0] == "table"]) == 8
    assert {fact[1] for fact in met if fact[0] == "wilds"} == {0, 1, 2}
    assert min(met.values()) >= 100, met
