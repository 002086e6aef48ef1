"""The built-in players: what they see, that they always answer, that they are good, and why the pilot is."""

import random
import time
from typing import Any

import msgspec
import pytest

from engines.kit.bots import RANDOM
from engines.kit.chance import Chance, fixed_seed
from engines.kit.game import Bot, Game
from engines.ufo_wave import GAME
from engines.ufo_wave.moves import UfoWaveMove
from engines.ufo_wave.state import UfoWaveState
from engines.ufo_wave.view import UfoWaveView
from tests.engines.ufo_wave.build import lay
from tests.engines.ufo_wave.hooks import redeal
from tests.engines.ufo_wave.small_set import SMALL_TEXT
from tests.engines.walks import Table, tables, walk

PILOT = GAME.bots["pilot"]
TABLES = tables(GAME)
ANY_MOVE = list[UfoWaveMove]  # a union, at run time too


def sees(state: UfoWaveState, seat: int) -> UfoWaveView:
    """What a client would: the view after a journey through JSON."""
    return msgspec.json.decode(msgspec.json.encode(GAME.view_for(state, seat)), type=UfoWaveView)


def chosen(bot: Bot, state: UfoWaveState, seat: int, chance: str = "a call") -> Any:
    offered = msgspec.json.decode(msgspec.json.encode(GAME.legal_moves(state, seat)), type=ANY_MOVE)
    return bot.choose(sees(state, seat), offered, Chance(fixed_seed(chance)))


def flies(state: UfoWaveState, seat: int = 0) -> dict[str, Any]:
    """What the pilot does, as JSON without what is null."""
    move = msgspec.json.decode(msgspec.json.encode(chosen(PILOT, state, seat)))
    target = {name: value for name, value in (move.pop("target", None) or {}).items() if value is not None}
    told = {name: value for name, value in move.items() if value is not None}
    return {**told, **({"target": target} if target else {})}


def outcome(bots: list[Bot], deal: str, game: Game = GAME, **options: Any) -> Any:
    state, calls = game.setup(game.options(**options), len(bots), Chance(fixed_seed(deal))).state, 0
    while turn := game.to_move(state):
        calls += 1
        view, moves = game.view_for(state, turn[0]), game.legal_moves(state, turn[0])
        move = bots[turn[0]].choose(view, moves, Chance(fixed_seed(f"{deal} {calls}")))
        assert move in moves, f"deal {deal!r}, call {calls}"
        state = game.apply(state, turn[0], move).state
    return game.outcome(state)


def test_the_weakest_is_random_and_the_last_the_strongest() -> None:
    assert list(GAME.bots) == ["random", "pilot"]
    assert GAME.bots["random"] is RANDOM


@pytest.mark.parametrize("table", TABLES, ids=str)
@pytest.mark.parametrize("name", list(GAME.bots))
def test_a_bot_plays_on_legally_from_wherever_others_left_off_and_knows_no_more_than_its_seat(
    table: Table, name: str
) -> None:
    bot, rng = GAME.bots[name], random.Random(f"{table}")
    turns = walk(table, "bots").turns
    for turn in turns:
        state, where = turn.before, f"{table}, walk 'bots', version {turn.version - 1}"
        for seat in GAME.to_move(state):
            assert chosen(bot, state, seat) in GAME.legal_moves(state, seat), where
    for turn in rng.sample(turns, min(40, len(turns))):
        state, where = turn.before, f"{table}, walk 'bots', version {turn.version - 1}"
        for seat in GAME.to_move(state):
            move = chosen(bot, state, seat)
            for _ in range(2):
                assert chosen(bot, redeal(state, seat, rng), seat) == move, where


def test_it_answers_every_question_of_the_game() -> None:
    """Also those that only some Events ask."""
    questions = {"species", "preparation", "action", "window", "draw", "discard", "discard_human", "order_scan"}
    asked: set[str] = set()
    table = next(table for table in TABLES if table.seats == 4 and table.options == GAME.options())
    for seed in range(30):
        for turn in walk(table, f"question {seed}").turns:
            view = GAME.view_for(turn.before, turn.seat)
            question = "window" if view.window else view.pending.kind if view.pending else view.phase
            if question in ("draw", "discard_human", "order_scan"):
                seat = GAME.to_move(turn.before)[0]
                assert chosen(PILOT, turn.before, seat) in GAME.legal_moves(turn.before, seat), f"question {seed}"
            asked.add(question)
        if asked == questions:
            return
    raise AssertionError(f"never asked in 30 matches: {questions - asked}")


@pytest.mark.parametrize("options", [{"mode": mode} for mode in ("standard", "covert", "equal")], ids=str)
def test_it_plays_cards_that_it_was_not_made_for(options: dict[str, str]) -> None:
    assert GAME.extend is not None
    small = GAME.extend({"small.toml": SMALL_TEXT})
    for deal in range(5):
        assert outcome([PILOT, RANDOM], f"small {deal}", small, card_set="small", **options) is not None
    assert outcome([PILOT], "small alone", small, card_set="small", mode="solo") is not None


def test_the_pilot_leaves_nothing_to_chance() -> None:
    for turn in walk(TABLES[-1], "bots").turns:
        for seat in GAME.to_move(turn.before):
            one, another = (chosen(PILOT, turn.before, seat, chance) for chance in ("one call", "another"))
            assert one == another, f"{TABLES[-1]}, walk 'bots', version {turn.version - 1}"


def test_the_widest_choice_takes_far_less_than_a_tenth_of_a_second() -> None:
    positions = [turn.before for table in TABLES[-3:] for turn in walk(table, "bots").turns]
    state = max(positions, key=lambda state: len(GAME.legal_moves(state, state.active)))
    view, moves, times = sees(state, state.active), GAME.legal_moves(state, state.active), []
    assert len(moves) > 100
    for _ in range(5):
        begun = time.process_time()
        PILOT.choose(view, moves, Chance(fixed_seed("a call")))
        times.append(time.process_time() - begun)
    assert min(times) < 0.05, times


@pytest.mark.parametrize("seats", range(2, 7))
def test_a_pilot_wins_more_than_its_share_against_random(seats: int) -> None:
    won = 0.0
    for deal in range(6):
        seat = deal % seats
        end = outcome([PILOT if other == seat else RANDOM for other in range(seats)], f"strength {deal}")
        won += (seat in end.winners) / len(end.winners)
    assert won >= 4, f"{won} of 6"


def test_in_solo_it_wins_medals() -> None:
    medals = [outcome([PILOT], f"solo {deal}", mode="solo").medal for deal in range(5)]
    assert medals.count(None) <= 1, medals


MEN = "men_in_black"


def test_it_takes_what_is_worth_most_with_all_that_comes_along() -> None:
    row = ("contact4", MEN, "abduction2", "sampling1", "surge", "sabotage3", "police")
    assert flies(lay(row, phase="action").state) == {"type": "perform", "activity": 6}


def test_it_leads_a_human_to_whom_it_costs() -> None:
    row = (MEN, "surge", "police", "abduction1", "police", "sampling1", "police")
    assert flies(lay(row, phase="action").state) == {"type": "lead", "human": 1, "to_seat": 1}


def test_it_keeps_a_contactee_to_itself() -> None:
    row = ("contactee", "surge", "police", "abduction1", "police", "sampling1", "police")
    assert flies(lay(row, phase="action").state) == {"type": "lead", "human": 1, "to_seat": 0}


def test_it_passes_its_men_in_black_on() -> None:
    table = lay(hands=(("mind_control", "orb"), ("cloak",)), watching=((MEN,), ()))
    told = flies(table.state)
    assert (told["power"], told["level"], told["target"]["to_seat"]) == ("mind_control", "advanced", 1)


def test_it_paralyses_at_advanced() -> None:
    table = lay(hands=(("paralysis", "orb"), ("cloak", "orb", "saucer", "cigar")))
    assert flies(table.state) == {
        "type": "play_power",
        "power": "paralysis",
        "level": "advanced",
        "craft": "orb",
        "target": {"seat": 1},
    }


def test_it_dismisses_who_costs_most() -> None:
    table = lay(hands=(("orb", "orb"), ("cloak",)), watching=(("contactee", MEN), ()))
    humans = [card.id for card in sees(table.state, 0).seats[0].watching if card.key == MEN]
    assert flies(table.state) == {"type": "dismiss_human", "human": humans[0], "craft": ["orb", "orb"]}


def test_it_beams_a_second_activity_up() -> None:
    table = lay(
        ("contact4", "police", "abduction4", "police", "sampling4", "police", "sabotage4"),
        hands=(("tractor_beam", "orb"), ("cloak",)),
    )
    assert flies(table.state)["power"] == "tractor_beam"


def test_it_hides_what_it_takes_from_who_guards_it() -> None:
    row = (MEN, "contact4", MEN, MEN, "abduction4", MEN, "police")
    table = lay(row, hands=(("cloak", "orb"), (), (), (), (), ()))
    assert flies(table.state)["power"] == "cloak"
    assert flies(table.power("cloak").end_preparation().state)["type"] == "perform"
    assert flies(lay(row, hands=((), (), (), (), (), ()), phase="action").state)["type"] == "lead"


def test_it_counters_what_harms_it_and_nothing_else() -> None:
    hands = (("paralysis", "orb", "cloak"), ("missing_time", "saucer"), ("orb",))
    at_it = lay(hands=hands).announce("paralysis", "advanced", "orb", seat=1)
    assert flies(at_it.state, 1) == {"type": "counter", "level": "advanced", "craft": "saucer"}
    at_another = lay(hands=hands).announce("paralysis", "advanced", "orb", seat=2)
    assert flies(at_another.state, 1) == {"type": "allow"}


def test_it_lets_its_worst_card_go() -> None:
    hands = (("terrorize", "orb"), ("missing_time", "terrorize", "mind_control"))
    table = lay(hands=hands).power("terrorize", "basic", seat=1)
    assert flies(table.state, 1) == {"type": "discard", "card": "terrorize"}
