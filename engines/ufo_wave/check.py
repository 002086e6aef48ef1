"""Why a move is refused: the rule, and a sentence that tells the seat nothing that it may not know.

`check` asks in this order: is the match running and the seat to move; is this the time for such a move; are the cards
there; does the rest fit. It asks the same questions as legal.py, so that what is listed is what is accepted.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

import msgspec

from engines.kit.errors import IllegalMove, NotYourTurn
from engines.ufo_wave import moves as m
from engines.ufo_wave.cards import Cards, cards_of
from engines.ufo_wave.claims import claim_for, leadable
from engines.ufo_wave.legal import (
    ADVANCED,
    BASIC,
    counters,
    crafts_for,
    free_species,
    to_be_set,
    to_move,
)
from engines.ufo_wave.position import barred, of_sort
from engines.ufo_wave.powers import targets
from engines.ufo_wave.state import UfoWaveState

CHANGES_A_TURN = 2

RULES: Mapping[str, str] = {
    "U-time": "Each move has its time: a phase of one's own turn, an open window, or a demand that has to be met.",
    "U-hand": "Only Plan cards that are in your hand can be played or discarded.",
    "U-row": "Only cards that lie in the row can be performed, led, moved or put in order.",
    "U-watching": "Only a Human that lies in front of the right seat can be discarded or moved.",
    "U-target": "A Power is aimed at exactly what its text names, and at nothing else.",
    "U6": "As long as an action is possible it is compulsory: it can be ended only after one take.",
    "U10": "Advanced takes exactly one Craft, unless it is your Species' own Power; Basic takes none.",
    "U11": "A Human is dismissed by two Craft of one type; a Shape Shifter pairs with every Craft.",
    "U12": "Missing Time is never played in Preparation, only in answer to a Power.",
    "U13": "A counter at Basic stops only Basic. Whether to be asked can be changed, but not more than twice a turn.",
    "U14": "An opponent's Aura keeps an Activity from being performed or moved, any Aura from being protected again.",
    "U18": "Each Species is taken once.",
    "U22": "The row is put in order from the left, each card once.",
    "U24": "A Power without a legal target cannot be played.",
    "U26": "The action, and each further claim, takes one card that fits it.",
    "U29": "With one card left in the Plan deck, that is the top card.",
}
"""Every rule that a refusal may name."""


def check(state: UfoWaveState, seat: int, move: Any) -> None:
    """Raises `NotYourTurn` or `IllegalMove` if the seat cannot make this move now; else does nothing."""
    if isinstance(move, m.UfoWaveSetReactions):
        _set_reactions(state, seat, move)
        return
    if seat not in to_move(state):
        raise NotYourTurn("The game waits for somebody else." if state.phase != "over" else "The game is over.")
    if type(move) not in _times(state):
        _refuse("U-time", "This move has another time; the legal moves show what can be decided now.")
    cards = cards_of(state.cards)
    match move:
        case m.UfoWaveChooseSpecies():
            _choose_species(state, cards, move)
        case m.UfoWaveDraw():
            if move.from_ == "bottom" and len(state.plan_deck) < 2:
                _refuse("U29", "The last card of the deck is the top one.")
        case m.UfoWavePlayPower():
            _play_power(state, cards, seat, move)
        case m.UfoWaveOrderScan():
            _order_scan(state, seat, move)
        case m.UfoWaveDismissHuman():
            _dismiss_human(state, cards, seat, move)
        case m.UfoWavePerform():
            _perform(state, cards, seat, move)
        case m.UfoWaveLead():
            _lead(state, cards, move)
        case m.UfoWaveEndAction():
            if not state.acted:
                _refuse("U6", "The action is compulsory: perform an Activity or lead a Human.")
        case m.UfoWaveDiscard():
            _held(state, cards, seat, move.card)
        case m.UfoWaveDiscardHuman():
            _watching(state, seat, move.human)
        case m.UfoWaveCounter():
            _counter(state, cards, seat, move)


def _times(state: UfoWaveState) -> tuple[type[msgspec.Struct], ...]:
    """The kinds of moves for which now is the time."""
    if state.window is not None:
        return (m.UfoWaveAllow, m.UfoWaveCounter)
    if state.agenda:
        return (_ERRANDS[state.agenda[-1].do],)
    if state.phase == "species":
        return (m.UfoWaveChooseSpecies,)
    if state.phase == "preparation":
        return (m.UfoWavePlayPower, m.UfoWaveDismissHuman, m.UfoWaveEndPreparation)
    return (m.UfoWavePerform, m.UfoWaveLead, m.UfoWaveEndAction)


_ERRANDS: Mapping[str, type[msgspec.Struct]] = {
    "draw": m.UfoWaveDraw,
    "discard": m.UfoWaveDiscard,
    "discard_human": m.UfoWaveDiscardHuman,
    "order_scan": m.UfoWaveOrderScan,
}


def _refuse(rule: str, sentence: str) -> NoReturn:
    raise IllegalMove(rule, sentence)


def _set_reactions(state: UfoWaveState, seat: int, move: m.UfoWaveSetReactions) -> None:
    if state.phase == "over":
        raise NotYourTurn("The game is over.")
    if state.seats[seat].asks == move.ask:
        _refuse("U13", "That is how it is set already.")
    if state.seats[seat].changes >= CHANGES_A_TURN:
        _refuse("U13", "You have changed this twice in this turn; wait for the next one.")


def _choose_species(state: UfoWaveState, cards: Cards, move: m.UfoWaveChooseSpecies) -> None:
    number = cards.species_number.get(move.species)
    if number is None:
        _refuse("U18", "There is no such Species.")
    if number not in free_species(state, cards):
        _refuse("U18", "Somebody has taken this Species.")


def _held(state: UfoWaveState, cards: Cards, seat: int, key: str) -> int:
    number = cards.plan_number.get(key)
    if number is None or number not in state.seats[seat].hand:
        _refuse("U-hand", "You do not hold this card.")
    return number


def _watching(state: UfoWaveState, seat: int, human: int) -> None:
    if human not in state.seats[seat].watching:
        _refuse("U-watching", "This Human is not watching you.")


def _craft(state: UfoWaveState, cards: Cards, seat: int, power: int, level: str, craft: str | None) -> None:
    if level == "basic":
        if craft is not None:
            _refuse("U10", "A Power at Basic is played without a Craft.")
        return
    number = _held(state, cards, seat, craft) if craft is not None else None
    if number not in crafts_for(state, cards, seat, power):
        _refuse("U10", "Advanced takes one Craft, unless it is your Species' own Power.")


def _play_power(state: UfoWaveState, cards: Cards, seat: int, move: m.UfoWavePlayPower) -> None:
    power = _held(state, cards, seat, move.power)
    levels = cards.plan[power].levels
    if levels is None:
        _refuse("U-target", "A Craft is no Power.")
    if power == cards.counter:
        _refuse("U12", "This Power only answers another one.")
    _craft(state, cards, seat, power, move.level, move.craft)
    listed = targets(state, cards, seat, levels[BASIC if move.level == "basic" else ADVANCED])
    if not listed:
        _refuse("U24", "This Power has no legal target now.")
    if plain_target(state, move.target) not in listed:
        _refuse(*_wrong_target(state, move.target, listed))


def plain_target(state: UfoWaveState, target: m.UfoWaveTarget | None) -> m.UfoWaveTarget | None:
    """The target in the one form that is listed: nothing at all is null, the two cards of a swap from the left."""
    if target is None or target == m.UfoWaveTarget():
        return None
    if target.first in state.row and target.second in state.row:
        first, second = sorted((target.first, target.second), key=state.row.index)
        return msgspec.structs.replace(target, first=first, second=second)
    return target


def _wrong_target(
    state: UfoWaveState,
    target: m.UfoWaveTarget | None,
    listed: list[m.UfoWaveTarget | None],
) -> tuple[str, str]:
    """The rule and the sentence for a target that is not among those listed."""
    example = listed[0]
    if example is None:
        return "U-target", "This Power is played without a target."
    given = target or m.UfoWaveTarget()
    for field in example.__struct_fields__:
        wanted, named = getattr(example, field), getattr(given, field)
        if (wanted is None) != (named is None):
            return "U-target", f"This Power's target {'needs' if named is None else 'has no'} {field!r}."
    for card in (given.activity, given.first, given.second):
        if card is not None and card not in state.row:
            return "U-row", "This card does not lie in the row."
        if card is not None and any(aura.activity == card for aura in state.auras):
            return "U14", "A Protective Aura lies on this Activity."
    if given.human is not None and not any(aim and aim.human == given.human for aim in listed):
        return "U-target", "No such Human lies where this Power can reach it."
    return "U-target", "This Power cannot be aimed at that."


def _order_scan(state: UfoWaveState, seat: int, move: m.UfoWaveOrderScan) -> None:
    if move.card not in state.row:
        _refuse("U-row", "This card does not lie in the row.")
    if barred(state, seat, move.card):
        _refuse("U14", "Another seat's Aura keeps this card in its place.")
    if move.card not in to_be_set(state, seat):
        _refuse("U22", "This card has its place already.")


def _dismiss_human(state: UfoWaveState, cards: Cards, seat: int, move: m.UfoWaveDismissHuman) -> None:
    _watching(state, seat, move.human)
    one, other = (_held(state, cards, seat, key) for key in move.craft)
    if one == other and state.seats[seat].hand.count(one) < 2:
        _refuse("U-hand", "You hold only one of these.")
    if not (cards.is_craft(one) and cards.is_craft(other) and cards.pairs(one, other)):
        _refuse("U11", "These are not two Craft of one type.")


def _perform(state: UfoWaveState, cards: Cards, seat: int, move: m.UfoWavePerform) -> None:
    if move.activity not in of_sort(state, cards, "activity", state.row):
        _refuse("U-row", "This is no Activity of the row.")
    if barred(state, seat, move.activity):
        _refuse("U14", "Another seat's Aura protects this Activity.")
    if claim_for(state, cards, move.activity) is None:
        _refuse("U26", "You have no claim left that this Activity fits.")


def _lead(state: UfoWaveState, cards: Cards, move: m.UfoWaveLead) -> None:
    if move.human not in of_sort(state, cards, "human", state.row):
        _refuse("U-row", "This is no Human of the row.")
    if move.human not in leadable(state, cards):
        _refuse("U26", "You have used your action; only Activities can be left to take.")
    if move.to_seat >= len(state.seats):
        _refuse("U-target", "There is no such seat.")


def _counter(state: UfoWaveState, cards: Cards, seat: int, move: m.UfoWaveCounter) -> None:
    if cards.counter is None or cards.counter not in state.seats[seat].hand:
        _refuse("U-hand", "You hold no card that counters.")
    _craft(state, cards, seat, cards.counter, move.level, move.craft)
    if move not in counters(state, cards, seat):
        _refuse("U13", "A counter at Basic stops only a Power played at Basic.")
