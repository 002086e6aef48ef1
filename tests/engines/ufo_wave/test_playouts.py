"""What holds in every match, whatever is played: cards, hands, the compulsory action, the length, the legal list."""

import random
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest

from engines.kit.chance import Chance, fixed_seed
from engines.kit.game import Step
from engines.ufo_wave import GAME
from engines.ufo_wave.cards import HOUSE
from engines.ufo_wave.length import max_moves
from engines.ufo_wave.moves import UfoWaveEndAction, UfoWaveLead, UfoWavePerform, UfoWavePlayPower
from engines.ufo_wave.state import UfoWaveState
from tests.engines.ufo_wave.build import lay
from tests.engines.ufo_wave.hooks import ALL_CARDS, cards_of

TABLES = [("solo", 1), *((mode, seats) for mode in ("standard", "covert", "equal") for seats in range(2, 7))]


def playout(mode: str, seats: int, seed: int, eager: float = 0.0) -> Iterator[tuple[UfoWaveState, int, object, Step]]:
    """A random match: (position, seat, move, what came of it). `eager` is how often Powers are preferred."""
    rng = random.Random(f"{mode}/{seats}/{seed}")
    state = GAME.setup(GAME.options(mode=mode), seats, Chance(fixed_seed(f"playout {seed}"))).state
    while movers := GAME.to_move(state):
        seat = rng.choice(movers)
        legal = GAME.legal_moves(state, seat)
        powers = [move for move in legal if isinstance(move, UfoWavePlayPower)]
        move = rng.choice(powers if powers and rng.random() < eager else legal)
        step = GAME.apply(state, seat, move)
        yield state, seat, move, step
        state = step.state


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_every_card_is_somewhere_once_after_every_move(mode: str, seats: int) -> None:
    everything = Counter(ALL_CARDS(GAME.options(mode=mode), seats))
    assert sum(everything.values()) == (84 if mode == "solo" else 112)
    for seed in range(6):
        for state, seat, move, step in playout(mode, seats, seed, eager=0.5):
            assert Counter(cards_of(step.state)) == everything, f"seed {seed}: {seat} {move} at {state}"


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_hands_are_within_their_limit_when_a_turn_ends_and_sorted_always(mode: str, seats: int) -> None:
    for seed in range(6):
        for state, _, _, step in playout(mode, seats, seed, eager=0.5):
            after = step.state
            assert all(list(about.hand) == sorted(about.hand) for about in after.seats), seed
            for about in after.seats:
                assert not Counter(about.known) - Counter(about.hand), seed
            turns = [event.data.active for event in step.events if event.type == "phase" and event.data.phase == "draw"]
            if turns and state.phase == "discard":
                view = GAME.view_for(after, None).seats[state.active]
                assert view.hand_size <= max(view.hand_limit, 6), seed


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_the_action_is_compulsory(mode: str, seats: int) -> None:
    """No turn goes by without a take but one that is skipped by Paralysis or finds nothing that it may take."""
    for seed in range(6):
        taken = False
        for state, _, move, step in playout(mode, seats, seed):
            taken = taken or (state.phase == "action" and isinstance(move, UfoWavePerform | UfoWaveLead))
            if isinstance(move, UfoWaveEndAction):
                assert taken, seed
            if state.phase == "action" and state.agenda == ():
                assert UfoWaveEndAction() not in GAME.legal_moves(state, state.active) or taken, seed
            if any(event.type == "phase" and event.data.phase == "draw" for event in step.events):
                taken = False


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_matches_end_in_time_and_add_up(mode: str, seats: int) -> None:
    for seed in range(6):
        steps = list(playout(mode, seats, seed))
        ending = GAME.outcome(steps[-1][3].state)
        assert len(steps) < 1_000 < GAME.max_moves, seed
        assert ending.points == ending.returns, seed
        assert max(ending.points) == ending.points[ending.winners[0]], seed
        assert (ending.medal is None) or mode == "solo", seed


def test_who_plays_for_time_gets_no_further_than_max_moves() -> None:
    """A player who never takes more than he must, moves Believers about for ever, and counters all he can."""
    for seed in range(10):
        rng, moves = random.Random(seed), 0
        state = GAME.setup(GAME.options(mode="equal"), 2, Chance(fixed_seed(f"slow {seed}"))).state
        while movers := GAME.to_move(state):
            legal = GAME.legal_moves(state, movers[0])
            plays = [move for move in legal if isinstance(move, UfoWavePlayPower)]
            state = GAME.apply(state, movers[0], rng.choice(plays or list(legal))).state
            moves += 1
        assert moves < GAME.max_moves, seed


def test_two_mind_controls_and_believers_feed_each_other_but_not_for_ever() -> None:
    """The Greys move two Believers to and fro as long as they find a Mind Control: the case that RULES.md bounds."""
    hands = (("mind_control",) * 4, ())
    table = lay(hands=hands, mode="standard", species=("greys", "hybrids"), watching=((), ("believer", "believer")))
    plays = 0
    while table.phase == "preparation" and table.state.active == 0:
        moves = [move for move in table.legal(0) if isinstance(move, UfoWavePlayPower) and move.level == "advanced"]
        to_self = [move for move in moves if move.target and move.target.to_seat == 0]
        if not moves:
            table.end_preparation()
            break
        table.do(0, (to_self or moves)[0]).do(1, GAME.legal_moves(table.state, 1)[0])
        plays += 1
    assert 4 <= plays <= 7 * 56


def test_max_moves_is_the_number_that_the_proof_gives() -> None:
    assert GAME.max_moves == max_moves(HOUSE)


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_states_are_small_and_survive_their_codec(mode: str, seats: int) -> None:
    largest = 0
    for seed in range(3):
        for _, _, _, step in playout(mode, seats, seed, eager=0.3):
            packed = msgspec.msgpack.encode(step.state)
            assert msgspec.msgpack.decode(packed, type=UfoWaveState) == step.state, seed
            largest = max(largest, len(packed))
    assert largest < 480


@pytest.mark.slow
def test_the_legal_list_stays_below_600_in_every_position_of_10_000_random_games(
    capsys: pytest.CaptureFixture[str],
) -> None:
    largest = (0, "")
    for number in range(10_000):
        mode, seats = TABLES[number % len(TABLES)]
        for state, seat, _, _ in playout(mode, seats, number, eager=(number % 3) / 4):
            count = len(GAME.legal_moves(state, seat))
            if count > largest[0]:
                largest = (count, f"{mode}, {seats} seats, game {number}")
    with capsys.disabled():
        print(f"\nUFO Wave: the largest legal list of 10,000 random games has {largest[0]} moves ({largest[1]})")
    assert largest[0] < 600
