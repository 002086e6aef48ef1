"""The built-in players: what they see, that they always answer, that they are good, and why the rider is."""

import random
import time
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from engines.kit.bots import RANDOM
from engines.kit.chance import Chance, fixed_seed
from engines.kit.game import Bot
from engines.onda import GAME
from engines.onda.cards import CATALOGUE, pile_of
from engines.onda.formations import FORMATIONS, Formation
from engines.onda.moves import OndaMove
from engines.onda.odds import OndaOdds, bomb_shape
from engines.onda.plan import OndaPlans
from engines.onda.state import OndaState
from engines.onda.view import OndaView
from tests.engines.onda.hooks import redeal
from tests.engines.onda.positions import ANY_MOVE, as_json, fresh, position, random_position
from tests.engines.walks import Table, tables, walk

TABLES = tables(GAME)
SEATS = (2, 3, 4, 5)
RIDER = GAME.bots["rider"]


def sees(state: OndaState, seat: int) -> OndaView:
    """What a client would: the view after a journey through JSON."""
    return msgspec.json.decode(msgspec.json.encode(GAME.view_for(state, seat)), type=OndaView)


def offered(state: OndaState, seat: int) -> list[OndaMove]:
    return msgspec.json.decode(msgspec.json.encode(GAME.legal_moves(state, seat)), type=list[ANY_MOVE])


def chosen(bot: Bot, state: OndaState, seat: int, chance: str = "a call") -> OndaMove:
    move: OndaMove = bot.choose(sees(state, seat), offered(state, seat), Chance(fixed_seed(chance)))
    return move


def rides(state: OndaState, seat: int = 0) -> dict[str, Any]:
    """What the rider does, as JSON."""
    move: dict[str, Any] = as_json(chosen(RIDER, state, seat))
    return move


def test_the_weakest_is_random_and_the_last_the_strongest() -> None:
    assert list(GAME.bots) == ["random", "rider"]
    assert GAME.bots["random"] is RANDOM


def test_random_is_uniform() -> None:
    state = position("g1 g5 b9", "b1 b2", table=(1, "g3"), face_down=("g2", "b3"))
    moves = GAME.legal_moves(state, 0)
    counts = [0] * len(moves)
    for call in range(2000):
        counts[moves.index(chosen(RANDOM, state, 0, f"call {call}"))] += 1
    assert all(abs(count - 2000 / len(moves)) < 90 for count in counts), counts


@pytest.mark.parametrize("table", TABLES, ids=str)
@pytest.mark.parametrize("name", list(GAME.bots))
def test_a_bot_plays_on_legally_from_wherever_others_left_off_and_knows_no_more_than_its_seat(
    table: Table, name: str
) -> None:
    bot, rng = GAME.bots[name], random.Random(f"{table}")
    turns = walk(table, "bots").turns
    for turn in rng.sample(turns, min(30, len(turns))):
        state, where = turn.before, f"{table}, walk 'bots', version {turn.version - 1}"
        for seat in GAME.to_move(state):
            move = chosen(bot, state, seat)
            assert move in GAME.legal_moves(state, seat), where
            for _ in range(2):
                assert chosen(bot, redeal(state, seat, rng), seat) == move, where


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_the_rider_answers_in_positions_that_play_seldom_meets(first: int) -> None:
    for seed in range(first, first + 100):
        state = random_position(seed)
        assert chosen(RIDER, state, state.turn) in GAME.legal_moves(state, state.turn), f"random_position({seed})"


def test_the_rider_leaves_nothing_to_chance() -> None:
    for seed in range(40):
        state = random_position(seed)
        one, another = (chosen(RIDER, state, state.turn, chance) for chance in ("one call", "another"))
        assert one == another, f"random_position({seed})"


@pytest.mark.parametrize("phase", ["set_aside", "choose_bomb", "trick"])
def test_the_widest_choice_takes_far_less_than_a_tenth_of_a_second(phase: str) -> None:
    runs = "g1 g2 g3 g4 b4 b5 b6 b7 g6 g7 g8 g9 g10" + ("" if phase == "trick" else " b8 b9")
    state = position(runs, "b1 b2 b3", face_down=("b8 b9", "") if phase == "trick" else None, phase=phase)
    view, moves, times = sees(state, 0), offered(state, 0), []
    for _ in range(5):
        begun = time.process_time()
        RIDER.choose(view, moves, Chance(fixed_seed("a call")))
        times.append(time.process_time() - begun)
    assert min(times) < 0.05, times


@pytest.mark.parametrize("seats", SEATS)
def test_riders_among_themselves_finish_a_match(seats: int) -> None:
    state = fresh(seats, "riders")
    while waiting := GAME.to_move(state):
        state = GAME.apply(state, waiting[0], chosen(RIDER, state, waiting[0])).state
    assert GAME.outcome(state) is not None


@pytest.mark.parametrize("seats", SEATS)
def test_a_rider_wins_more_than_its_share_against_random(seats: int) -> None:
    def wins(deal: int, seat: int) -> float:
        state, calls = fresh(seats, f"strength {deal}", rounds=3), 0
        while waiting := GAME.to_move(state):
            calls += 1
            bot = RIDER if waiting[0] == seat else RANDOM
            view, moves = GAME.view_for(state, waiting[0]), GAME.legal_moves(state, waiting[0])
            move = bot.choose(view, moves, Chance(fixed_seed(f"{deal} {calls}")))
            state = GAME.apply(state, waiting[0], move).state
        winners = GAME.outcome(state).winners
        return (seat in winners) / len(winners)

    won = [wins(deal, seat) for deal in range(3) for seat in range(seats)]
    assert sum(won) >= 0.7 * len(won), won


def test_it_goes_out_when_it_can() -> None:
    state = position("g9 g10", "b1 b2 b3", table=(1, "g4 g5"), bomb="B")
    assert rides(state) == {"type": "follow", "cards": ["g9", "g10"], "wild": None}


def test_it_bombs_to_go_out() -> None:
    state = position("g2 b2", "b5 b6 b8", table=(1, "g15"), bomb="B")
    assert rides(state)["type"] == "bomb"


def test_it_goes_out_with_a_wild() -> None:
    state = position("g2 b2", "b5 b6 b8", table=(1, "g1 g1 b1"), face_down=("b9", ""), bomb="F")
    assert rides(state) == {"type": "follow", "cards": ["g2", "b2"], "wild": {"card": "b9", "as": "g2"}}


def test_it_turns_the_tide_to_go_out() -> None:
    state = position("g1", "b5 b6 b8", table=(1, "g4 g5"), face_down=("g2", ""), bomb="F")
    assert rides(state) == {"type": "turn_tide", "take": "g2", "cards": ["g1", "g2"]}


def test_with_two_formations_left_it_leads_the_one_that_nobody_beats() -> None:
    state = position("g3 g15", "b4 b5 b6 b8", bomb="F")
    assert rides(state)["cards"] == ["g15"]


def test_it_passes_rather_than_break_what_belongs_together() -> None:
    state = position("g3 b3 g9 b9 g12 b12", "b4 b5 b6 b8 g5 g14 b14", table=(1, "b7"), blocked=True, bomb="F")
    assert rides(state) == {"type": "pass"}


def test_it_leads_several_cards_when_the_next_seat_has_one_left() -> None:
    state = position("g4 g6 b6 b9 b12", "b15", bomb="D")
    assert rides(state)["cards"] == ["g6", "b6"]


def test_it_sets_aside_what_fits_nowhere() -> None:
    fits = "g5 g6 g7 g8 b10 b11 b12 b13 g14 b14 g15 g15 b15"
    state = position(f"{fits} b3 g1", "b1 b2", phase="set_aside")
    assert rides(state) == {"type": "set_aside", "cards": ["g1", "b3"]}


@pytest.mark.parametrize(("bomb", "choice"), [("B", "keep_bomb"), ("A", "skip_bomb")])
def test_it_wants_the_bomb_that_its_hand_makes(bomb: str, choice: str) -> None:
    pairs = "g2 b2 g4 b4 g6 b6 g8 b8 g10 b10 g12 b12 g14 b14"
    state = position(pairs, "b1 b3", phase="choose_bomb", bomb=bomb, round=2)
    assert rides(state) == {"type": choice}


def test_a_plan_cuts_a_hand_into_the_fewest_formations() -> None:
    rng, plans = random.Random("plan"), OndaPlans(lambda _: 1.0)
    for _ in range(60):
        cards = rng.sample([code for code in CATALOGUE for _ in range(2)], 7)
        pieces = plans.pieces(pile_of(cards))
        assert sorted(card for piece in pieces for card in piece.cards) == sorted(cards), cards
        assert plans.cost(pile_of(cards)) == len(pieces) == _fewest(tuple(cards)), cards


def _fewest(cards: tuple[Any, ...]) -> int:
    """By trying every subset that holds the first card."""
    if not cards:
        return 0
    least = len(cards)
    for chosen_ones in range(1 << (len(cards) - 1)):
        piece = [cards[0], *(card for i, card in enumerate(cards[1:]) if chosen_ones >> i & 1)]
        if len(piece) <= 4 and _is_formation(piece):
            rest = [card for i, card in enumerate(cards[1:]) if not chosen_ones >> i & 1]
            least = min(least, 1 + _fewest(tuple(rest)))
    return least


def _is_formation(piece: list[Any]) -> bool:
    numbers = sorted(int(card[1:]) for card in piece)
    run = len({card[0] for card in piece}) == 1 and all(b == a + 1 for a, b in pairwise(numbers))
    return run or len(set(numbers)) == 1


@pytest.mark.parametrize("seats", SEATS)
def test_odds_are_probabilities_and_better_for_stronger_formations(seats: int) -> None:
    for deal in range(3):
        view = GAME.view_for(fresh(seats, f"odds {deal}"), 0)
        odds = OndaOdds(view)
        for shape in {formation.shape for formation in FORMATIONS}:
            by_number = [_stays(odds, formation) for formation in FORMATIONS if formation.shape == shape]
            by_number.sort()
            assert all(0 <= stays <= 1 for _, stays in by_number), (deal, shape)
            assert all(a[1] <= b[1] + 1e-12 for a, b in pairwise(by_number)), (deal, shape)


def _stays(odds: OndaOdds, formation: Formation) -> tuple[int, float]:
    stays = odds.stays(
        formation.shape, formation.number, high=True, can_turn=False, bomb=None, rivals=odds.rivals_in_trick
    )
    return formation.number, stays


def test_odds_know_what_nobody_can_beat() -> None:
    view = sees(position("g15", "b15 g14 g3", bomb="A"), 0)
    odds = OndaOdds(view)
    assert odds.stays(("single", 1), 15, high=True, can_turn=True, bomb=None, rivals=1) == 1
    assert odds.stays(("set", 4), 2, high=True, can_turn=True, bomb=None, rivals=1) == 1, "three cards make no four"
    assert odds.stays(("single", 1), 15, high=True, can_turn=True, bomb=bomb_shape(view), rivals=1) < 1


def test_odds_count_what_lies_there() -> None:
    def alone(**more: Any) -> float:
        view = sees(position("g14", "b1 b2 b3", **more), 0)
        return OndaOdds(view).stays(("single", 1), 14, high=True, can_turn=False, bomb=None, rivals=1)

    assert alone() < 1
    all_fifteens = tuple(position("g1", "b1", table=(1, "g15 b15 g15 b15")).played)
    assert alone(played=all_fifteens) == 1
