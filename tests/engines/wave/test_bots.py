"""The built-in players: what they see, that they always answer, that what they say is true, and that they are good."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from engines.kit.chance import Chance, fixed_seed
from engines.kit.errors import IllegalMove
from engines.kit.game import Bot
from engines.wave import GAME
from engines.wave.cards import CODES, FITS
from engines.wave.ease import BIT, EASY, OVER
from engines.wave.moves import WaveMove, WavePlay, WaveProposeSilver, WaveTip
from engines.wave.reading import GRADES, meaning, possible
from engines.wave.ride import WaveWater, ride
from engines.wave.silver import PROPOSALS_PER_TURN
from engines.wave.state import WaveState
from engines.wave.story import turns
from engines.wave.surfer import remark
from engines.wave.view import WaveView
from tests.engines.walks import Table, tables, walk
from tests.engines.wave.hooks import redeal

SEATS = (2, 3, 4)
TABLES = tables(GAME)
RANDOM, SURFER = GAME.bots["random"], GAME.bots["surfer"]


def sees(state: WaveState, seat: int) -> WaveView:
    """What a client would: the view after a journey through JSON."""
    return msgspec.json.decode(msgspec.json.encode(GAME.view_for(state, seat)), type=WaveView)


def offered(state: WaveState, seat: int) -> list[WaveMove]:
    return msgspec.json.decode(msgspec.json.encode(GAME.legal_moves(state, seat)), type=list[WaveMove])


def chosen(bot: Bot, state: WaveState, seat: int, chance: str = "a call") -> WaveMove:
    move: WaveMove = bot.choose(sees(state, seat), offered(state, seat), Chance(fixed_seed(chance)))
    return move


def said(bot: Bot, state: WaveState, seat: int) -> WaveTip | None:
    tip: WaveTip | None = bot.remark(sees(state, seat), Chance(fixed_seed("a call"))) if bot.remark else None
    return tip


def after_remarks(state: WaveState, seats: int, bot: Bot = SURFER) -> WaveState:
    """The position when every seat has said what it has to say, as the server asks for it."""
    for seat in range(seats):
        for _ in range(99):
            if (tip := said(bot, state, seat)) is None:
                break
            if state.told[seat] == state.tips_per_turn:
                with pytest.raises(IllegalMove):  # which the view could not tell: the server stops asking then
                    GAME.apply(state, seat, tip)
                break
            state = GAME.apply(state, seat, tip).state
        else:
            pytest.fail(f"seat {seat} does not stop talking")
    return state


def match(seats: int, deal: str, bot: Bot = SURFER, **options: Any) -> Iterator[WaveState]:
    """The positions of a match between bots of one kind, each after the remarks."""
    state = GAME.setup(GAME.options(**options), seats, Chance(fixed_seed(deal))).state
    while True:
        state = after_remarks(state, seats, bot)
        yield state
        movers = GAME.to_move(state)
        if not movers:
            return
        move = chosen(bot, state, movers[0], f"{deal} {state.version}")
        state = GAME.apply(state, movers[0], move).state


def test_the_weakest_comes_first_and_the_strongest_last() -> None:
    assert list(GAME.bots) == ["random", "surfer"]


@pytest.mark.parametrize("table", TABLES, ids=str)
@pytest.mark.parametrize("name", list(GAME.bots))
def test_a_bot_plays_on_legally_from_wherever_others_left_off_and_knows_no_more_than_its_seat(
    table: Table, name: str
) -> None:
    bot, rng = GAME.bots[name], random.Random(f"{table}")
    states = [state for state in walk(table, "bots").states() if GAME.to_move(state)]
    for state in rng.sample(states, min(8, len(states))):
        where = f"{table}, walk 'bots', version {state.version}"
        for seat in range(table.seats):
            other = redeal(state, seat, rng)
            if seat in GAME.to_move(state):
                move = chosen(bot, state, seat)
                assert move in GAME.legal_moves(state, seat), where
                assert chosen(bot, other, seat) == move, where
            assert said(bot, state, seat) == said(bot, other, seat), where
        after_remarks(state, table.seats, bot)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_nobody_speaks_when_the_match_is_over(table: Table) -> None:
    over = walk(table, "over").states()[-1]
    assert [said(SURFER, over, seat) for seat in range(table.seats)] == [None] * table.seats


def test_random_is_uniform() -> None:
    state = GAME.setup(GAME.options(), 3, Chance(fixed_seed("uniform"))).state
    moves = GAME.legal_moves(state, 0)
    counts = [0] * len(moves)
    for call in range(2000):
        counts[moves.index(chosen(RANDOM, state, 0, f"call {call}"))] += 1
    assert all(abs(count - 2000 / len(moves)) < 150 for count in counts), counts


@pytest.mark.parametrize("seats", SEATS)
def test_every_tip_is_true_and_the_reader_never_excludes_the_real_face(seats: int) -> None:
    known = 0
    for deal in range(3):
        for state in match(seats, f"true {deal}"):
            if not GAME.to_move(state) or state.silver_turn:
                continue
            view, where = sees(state, state.turn), f"deal 'true {deal}', version {state.version}"
            story = turns(view)
            for card in state.hands[state.turn].team:
                face = CODES[state.deck[card - 1]]
                last = [tip.says for tip in view.tips if tip.about == card][-1]
                assert (last != "cannot_play") == FITS[state.top][state.deck[card - 1]], where
                faces = possible(view, story, card, state.turn)
                assert faces & BIT[face], where
                known += faces.bit_count() == 1
    assert known, "no card was ever told wholly: the convention carries nothing from turn to turn"


@pytest.mark.parametrize("seats", SEATS)
def test_what_can_be_said_divides_the_unplayed_faces(seats: int) -> None:
    for state in match(seats, "divided", RANDOM):
        view = GAME.view_for(state, 0)
        turn = len(view.discard) - 1
        sets = [meaning(view, turn, says) for says in GRADES]
        unplayed = sum(BIT[code] for code in CODES if code not in view.discard)
        assert sum(sets) == unplayed, f"turn {turn}"
        assert [sum(sets[:at]) & sets[at] for at in range(4)] == [0] * 4, f"turn {turn}"


def test_one_who_comes_late_catches_up_and_is_believed_for_this_turn_only() -> None:
    late = 0
    for deal in range(12):
        for state in match(3, f"late {deal}", RANDOM):
            if not GAME.to_move(state):
                continue
            state = after_remarks(state, 3)
            view = sees(state, state.turn)
            for card in state.hands[state.turn].team:
                late += sum(tip.about == card for tip in view.tips) > 1
                assert possible(view, turns(view), card, state.turn) & BIT[CODES[state.deck[card - 1]]], f"late {deal}"
    assert late, "nobody ever had to catch up"


def test_nothing_is_said_twice_and_lies_do_not_stop_the_surfer() -> None:
    state = after_remarks(GAME.setup(GAME.options(), 4, Chance(fixed_seed("lies"))).state, 4)
    assert [(tip.seat, tip.about) for tip in state.tips] == [(1, card) for card in state.hands[0].team]
    for _ in range(4):
        for card in state.hands[0].team:
            state = GAME.apply(state, 2, WaveTip(card, "cannot_play")).state
            state = GAME.apply(state, 2, WaveTip(card, "should_play")).state
    assert chosen(SURFER, state, 0) in GAME.legal_moves(state, 0)
    assert after_remarks(state, 4) == state


def test_without_tips_and_with_few_it_plays_all_the_same() -> None:
    for limit in (0, 1):
        for seats in SEATS:
            *_, last = match(seats, "few words", tips_per_turn=limit)
            assert last.termination is not None, (limit, seats)


@pytest.mark.parametrize("first_seat", [0, 1])
def test_two_surfers_agree_for_silver_within_three_proposals(first_seat: int) -> None:
    settled = 0
    for deal in range(4):
        for state in match(2, f"silver {deal}", first_seat=first_seat):
            assert state.silver is not None
            if state.silver_turn:
                settled += 1
                assert sum(state.silver.used) < PROPOSALS_PER_TURN, f"silver {deal}, version {state.version}"
    assert settled


@pytest.mark.parametrize("surfer", [0, 1])
@pytest.mark.parametrize("insists", [True, False], ids=["a partner who insists", "a partner who always proposes anew"])
def test_a_surfer_gives_way_to(insists: bool, surfer: int) -> None:
    rng, partner, gave_way = random.Random(f"{surfer} {insists}"), 1 - surfer, 0
    for deal in range(6):
        state = GAME.setup(GAME.options(), 2, Chance(fixed_seed(f"partner {deal}"))).state
        while movers := GAME.to_move(state):
            silver = state.silver
            assert silver is not None
            both = state.silver_turn and None not in silver.proposals
            seat = movers[0] if len(movers) == 1 else surfer if both and insists else partner
            move = chosen(SURFER, state, seat)
            if seat == partner and state.silver_turn:
                move = rng.choice(offered(state, seat))
            elif both:
                assert move == WaveProposeSilver(silver.proposals[partner] or 0), f"partner {deal}, {state.version}"
                gave_way += 1
            state = GAME.apply(state, seat, move).state
    assert gave_way, "they never differed"


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_story_that_a_view_tells_is_what_happened(table: Table) -> None:
    for seed in range(3):
        played = walk(table, f"story {seed}")
        places: list[int] = []
        for state in played.states():
            if len(places) < len(state.discard):
                places.append(state.turn)
            if GAME.to_move(state):
                assert turns(sees(state, 0)) == tuple(places), f"{table}, walk 'story {seed}', {state.version}"


@pytest.mark.parametrize("seats", SEATS)
def test_a_ride_is_what_the_rules_make_of_it(seats: int) -> None:
    for deal in range(25):
        state = GAME.setup(GAME.options(), seats, Chance(fixed_seed(f"ride {deal}"))).state
        if not GAME.to_move(state):
            continue
        water, place, first = _water(state), state.turn, _easiest(state)
        remaining = ride(water, place, 1, BIT[CODES[state.deck[first - 1]]], state.remaining)
        while movers := GAME.to_move(state):
            card = _easiest(state)
            for seat in movers:
                move = WaveProposeSilver(card) if state.silver_turn and state.silver else WavePlay(card)
                state = GAME.apply(state, seat, move).state
        assert remaining == state.remaining, f"ride {deal}"


def _water(state: WaveState) -> WaveWater:
    def faces(cards: tuple[int, ...]) -> list[int]:
        return [BIT[CODES[state.deck[card - 1]]] for card in cards]

    hands = [sum(faces(hand.ids())) for hand in state.hands]
    pile = faces(tuple(range(len(state.deck), state.drawn, -1)))
    if state.silver is None:
        return WaveWater(hands, [], pile, -1)
    down = faces(state.silver.face_down[::-1])
    return WaveWater([*hands, sum(faces(state.silver.face_up))], down, pile, len(hands))


def _easiest(state: WaveState) -> int:
    place = state.silver.face_up if state.silver and state.silver_turn else state.hands[state.turn].ids()
    fitting = [card for card in place if FITS[state.top][state.deck[card - 1]]]
    return min(fitting, key=lambda card: EASY.index(CODES[state.deck[card - 1]]))


def test_sets_of_faces_know_what_goes_over_what() -> None:
    for top, row in zip(CODES, FITS, strict=True):
        for code, fits in zip(CODES, row, strict=True):
            assert bool(OVER[BIT[top]] & BIT[code]) == fits, (top, code)


@pytest.mark.parametrize("seats", SEATS)
def test_surfers_leave_less_than_half_of_what_random_leaves(seats: int) -> None:
    def left(bot: Bot) -> int:
        return sum(list(match(seats, f"strength {deal}", bot))[-1].remaining for deal in range(8))

    assert left(SURFER) * 2 < left(RANDOM)


def test_a_surfer_speaks_of_others_cards_in_their_turn_only() -> None:
    state = GAME.setup(GAME.options(), 3, Chance(fixed_seed("whose"))).state
    assert remark(sees(state, 0), Chance(fixed_seed("a call"))) is None
    for seat in (1, 2):
        tip = said(SURFER, state, seat)
        assert tip is not None
        assert tip.about in state.hands[0].team
