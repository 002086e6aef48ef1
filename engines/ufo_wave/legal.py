"""Every legal move of a seat, once, in the order of moves.MOVES; then by the order of what it names. Rules: whole page.

Hands are looked through in catalogue order, the row from left to right, seats ascending. Two Craft of a pair and the
two cards of a swap stand in one order only; apply.py accepts the other one too.
"""

from collections.abc import Sequence

import msgspec

from engines.ufo_wave.cards import Cards, cards_of
from engines.ufo_wave.claims import leadable, performable
from engines.ufo_wave.moves import (
    UfoWaveAllow,
    UfoWaveChooseSpecies,
    UfoWaveCounter,
    UfoWaveDiscard,
    UfoWaveDiscardHuman,
    UfoWaveDismissHuman,
    UfoWaveDraw,
    UfoWaveEndAction,
    UfoWaveEndPreparation,
    UfoWaveLead,
    UfoWaveOrderScan,
    UfoWavePerform,
    UfoWavePlayPower,
)
from engines.ufo_wave.position import movable
from engines.ufo_wave.powers import targets
from engines.ufo_wave.state import UfoWaveErrand, UfoWaveState

Moves = list[msgspec.Struct]
BASIC, ADVANCED = 0, 1


def to_move(state: UfoWaveState) -> tuple[int, ...]:
    """The seats that the game waits for, ascending; several while a Power may be countered. Rules: U13."""
    if state.phase == "over":
        return ()
    if state.window is not None:
        answers = enumerate(state.window.answers)
        return tuple(seat for seat, given in answers if given is None and seat != state.active)
    if state.agenda:
        return (state.agenda[-1].seat,)
    return (state.active,)


def legal_moves(state: UfoWaveState, seat: int) -> Sequence[msgspec.Struct]:
    """Every legal move once; empty if it is not the seat's turn. Anytime moves are not listed."""
    if seat not in to_move(state):
        return []
    cards = cards_of(state.cards)
    if state.window is not None:
        return [UfoWaveAllow(), *counters(state, cards, seat)]
    if state.agenda:
        return _errand(state, cards, seat, state.agenda[-1])
    if state.phase == "species":
        return [UfoWaveChooseSpecies(cards.species[number].key) for number in free_species(state, cards)]
    if state.phase == "preparation":
        return [*_powers(state, cards, seat), *_dismissals(state, cards, seat), UfoWaveEndPreparation()]
    return _action(state, cards)


def free_species(state: UfoWaveState, cards: Cards) -> list[int]:
    """The Species that nobody has taken. Rules: U18."""
    taken = {about.species for about in state.seats}
    return [number for number in range(len(cards.species)) if number not in taken]


def own_power(state: UfoWaveState, cards: Cards, seat: int) -> int | None:
    """The Power that the seat's Species plays at Advanced without a Craft; None in covert. Rules: R Species, Covert."""
    species = state.seats[seat].species
    return cards.species[species].automatic if species is not None and state.mode == "standard" else None


def crafts_for(state: UfoWaveState, cards: Cards, seat: int, power: int) -> list[int | None]:
    """What the seat may play with the Power to reach Advanced: any one Craft, or nothing with its own. Rules: U10."""
    craft: list[int | None] = [card for card in sorted(set(state.seats[seat].hand)) if cards.is_craft(card)]
    return [None, *craft] if own_power(state, cards, seat) == power else craft


def counters(state: UfoWaveState, cards: Cards, seat: int) -> list[UfoWaveCounter]:
    """The counters that the seat may answer with. Rules: U12, U13, house set Missing Time."""
    if state.window is None or cards.counter is None or cards.counter not in state.seats[seat].hand:
        return []
    levels = cards.plan[cards.counter].levels
    assert levels is not None
    found = []
    if levels[BASIC].effect == "counter_any" or state.window.level == BASIC:
        found.append(UfoWaveCounter("basic"))
    if levels[ADVANCED].effect == "counter_any" or state.window.level == BASIC:
        crafts = crafts_for(state, cards, seat, cards.counter)
        found += [UfoWaveCounter("advanced", None if craft is None else cards.plan[craft].key) for craft in crafts]
    return found


def craft_pairs(state: UfoWaveState, cards: Cards, seat: int) -> list[tuple[int, int]]:
    """The pairs of Craft that the seat holds, each once, in catalogue order. Rules: R Craft, U11."""
    craft = [card for card in state.seats[seat].hand if cards.is_craft(card)]
    found = {(one, other) for i, one in enumerate(craft) for other in craft[i + 1 :] if cards.pairs(one, other)}
    return sorted(found)


def _powers(state: UfoWaveState, cards: Cards, seat: int) -> Moves:
    moves: Moves = []
    for card in sorted(set(state.seats[seat].hand)):
        kind = cards.plan[card]
        if kind.levels is None or card == cards.counter:
            continue
        for aim in targets(state, cards, seat, kind.levels[BASIC]):
            moves.append(UfoWavePlayPower(kind.key, "basic", None, aim))
        crafts = crafts_for(state, cards, seat, card)
        if crafts:
            aims = targets(state, cards, seat, kind.levels[ADVANCED])
            for craft in crafts:
                key = None if craft is None else cards.plan[craft].key
                moves += [UfoWavePlayPower(kind.key, "advanced", key, aim) for aim in aims]
    return moves


def _dismissals(state: UfoWaveState, cards: Cards, seat: int) -> Moves:
    watching = state.seats[seat].watching
    if not watching:
        return []
    pairs = [(cards.plan[one].key, cards.plan[other].key) for one, other in craft_pairs(state, cards, seat)]
    return [UfoWaveDismissHuman(human, pair) for human in watching for pair in pairs]


def _action(state: UfoWaveState, cards: Cards) -> Moves:
    seats = range(len(state.seats))
    moves: Moves = [UfoWavePerform(card) for card in performable(state, cards)]
    moves += [UfoWaveLead(human, to_seat) for human in leadable(state, cards) for to_seat in seats]
    if state.acted:
        moves.append(UfoWaveEndAction())
    return moves


def _errand(state: UfoWaveState, cards: Cards, seat: int, errand: UfoWaveErrand) -> Moves:
    match errand.do:
        case "draw":
            # With one card left it is the open one. Rules: U29.
            ends: Moves = [UfoWaveDraw("top"), UfoWaveDraw("bottom")]
            return ends[: len(state.plan_deck)]
        case "discard":
            return [UfoWaveDiscard(cards.plan[card].key) for card in sorted(set(state.seats[seat].hand))]
        case "discard_human":
            return [UfoWaveDiscardHuman(human) for human in state.seats[seat].watching]
        case _:
            return [UfoWaveOrderScan(card) for card in to_be_set(state, seat)]


def to_be_set(state: UfoWaveState, seat: int) -> list[int]:
    """The cards of the row whose place is not set yet, left to right. Rules: U22."""
    return movable(state, seat)[-1 - state.agenda[-1].count :]
