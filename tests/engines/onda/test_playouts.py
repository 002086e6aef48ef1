"""What holds in every match: it ends in time, cards and points add up, states are small, and nothing is ever odd."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.kit.errors import IllegalMove
from engines.onda import GAME
from engines.onda.cards import dots
from engines.onda.state import OndaState
from tests.engines.onda.hooks import ALL_CARDS, cards_of, listed_form, probes, redeal
from tests.engines.onda.positions import fresh, random_game, random_position

SEATS = [2, 3, 4, 5]


def longest_round(seats: int) -> int:
    """RULES.md §11: n seats with c cards make at most nL + 1 moves, L = n(c - 1) + 1, and one about the bomb."""
    cards = 12 if seats == 5 else 15
    return seats * (seats * (cards - 1) + 1) + 2


def test_the_stated_bound_is_the_one_that_the_rules_page_proves():
    assert GAME.max_moves == max(4 * longest_round(seats) - 1 for seats in SEATS) == 1127


@settings(max_examples=60, deadline=None)
@given(seats=st.sampled_from(SEATS), seed=st.integers(0, 10**9), rounds=st.sampled_from([3, 4]))
def test_random_matches_end_in_time_and_add_up(seats, seed, rounds):
    moves_of_round: dict[int, int] = {}
    step = None
    for state, _, _, step in random_game(seats, seed, rounds=rounds):
        moves_of_round[state.round] = moves_of_round.get(state.round, 0) + 1
        assert cards_of(step.state) == ALL_CARDS
        assert step.events
    assert sorted(moves_of_round) == list(range(1, rounds + 1))
    assert max(moves_of_round.values()) <= longest_round(seats)
    outcome = GAME.outcome(step.state)
    assert sum(outcome.went_out) == rounds
    assert outcome.returns == outcome.points
    assert max(outcome.points) == outcome.points[outcome.winners[0]]


def _laggard(state: OndaState, seat: int) -> msgspec.Struct:
    """As many moves as possible: single cards, so weak that all can follow, and passes by those that need not."""
    legal = GAME.legal_moves(state, seat)
    lays = [move for move in legal if move.__struct_config__.tag == "follow"]
    if state.phase == "trick" and lays:
        return lays[0] if state.on_table == "nothing" else legal[-1]
    return legal[-1]


@pytest.mark.parametrize("seats", SEATS)
def test_matches_that_dawdle_end_in_time_too(seats):
    state, moves = fresh(seats, 5), 0
    while waiting := GAME.to_move(state):
        state = GAME.apply(state, waiting[0], _laggard(state, waiting[0])).state
        moves += 1
    assert moves <= 4 * longest_round(seats) - 1
    assert moves > 100


@pytest.mark.parametrize("seats", SEATS)
def test_states_are_small_and_survive_their_codec(seats):
    largest = 0
    for seed in range(10):
        for _, _, _, step in random_game(seats, seed):
            packed = msgspec.msgpack.encode(step.state)
            assert msgspec.msgpack.decode(packed, type=GAME.state) == step.state
            largest = max(largest, len(packed))
    assert largest < 400


@pytest.mark.parametrize("seats", SEATS)
def test_state_and_move_log_after_60_moves_are_under_3_kb(seats):
    for seed in range(5):
        log, state = [], None
        for number, (_, seat, move, step) in enumerate(random_game(seats, seed)):
            log.append((seat, move))
            state = step.state
            if number == 59:
                break
        stored = msgspec.msgpack.encode((state, log))
        assert len(stored) < 3_000, f"random_game({seats}, {seed}): {len(stored)} bytes"


@pytest.mark.parametrize("seed", range(40))
def test_what_is_accepted_is_listed_in_its_canonical_form(seed):
    state = random_position(seed)
    seat = state.turn
    listed = GAME.legal_moves(state, seat)
    assert len(set(listed)) == len(listed)
    for move in probes(state, seat, random.Random(seed)):
        try:
            step = GAME.apply(state, seat, move)
        except IllegalMove:
            assert move not in listed, f"random_position({seed}): {move}"
            continue
        form = listed_form(state, seat, move)
        assert form in listed, f"random_position({seed}): {move}"
        assert GAME.apply(state, seat, form) == step, f"random_position({seed}): {move} is not made canonical"


@pytest.mark.parametrize("seed", range(40))
def test_a_new_deal_of_what_is_hidden_leaves_all_that_a_viewer_sees(seed):
    rng = random.Random(seed)
    state = random_position(seed)
    for viewer in (None, *range(len(state.hands))):
        other = redeal(state, viewer, rng)
        assert cards_of(other) == cards_of(state)
        assert GAME.view_for(other, viewer) == GAME.view_for(state, viewer)
        if viewer is not None:
            assert GAME.legal_moves(other, viewer) == GAME.legal_moves(state, viewer)


def test_every_rule_that_is_published_is_the_reason_of_some_refusal():
    seen = set()
    for seed in range(60):
        rng = random.Random(seed)
        state = random_position(seed)
        states = [state, fresh(3, seed), msgspec.structs.replace(fresh(3, seed), phase="choose_bomb", round=2)]
        for each in states:
            for seat in GAME.to_move(each):
                for move in probes(each, seat, rng):
                    try:
                        GAME.check(each, seat, move)
                    except IllegalMove as refused:
                        seen.add(refused.rule)
    assert seen == set(GAME.rules)


def test_the_whole_deck_bears_100_dots():
    assert sum(card.points * card.count for card in GAME.cards) == 100
    assert sum(4 * dots(number) for number in range(1, 16)) == 100
