"""Which move does the pilot make?

It rates every Power that it can play by what the turn is worth afterwards (`turn_worth`) less what the cards cost,
plays the best as long as one gains, and takes what is worth most. It sees its seat's view and legal moves, no more, and
leaves nothing to chance. Solo has a player of its own (`bot`).
"""

from collections.abc import Sequence
from typing import Any

from engines.kit.chance import Chance
from engines.ufo_wave import bot as solo
from engines.ufo_wave import moves as m
from engines.ufo_wave import turn_worth
from engines.ufo_wave.default import default_move
from engines.ufo_wave.reactions import react
from engines.ufo_wave.schemes import Schemes
from engines.ufo_wave.view import UfoWaveView
from engines.ufo_wave.worth import Worth

SPECIES = ("hybrids", "greys", "mantids", "nordics", "tall_whites", "reptilians")
"""By their own Power, the best first."""
CLOAKS_FOR_NOTHING = "nordics"
GOOD_DRAW = 2.0
"""An open card that is worth so much to keep is drawn rather than an unseen one."""
WORTH_PLAYING = 0.1


def choose(view: UfoWaveView, legal_moves: Sequence[Any], chance: Chance) -> Any:  # noqa: ARG001
    """The best of the legal moves (not empty), as far as the seat can know; of equal ones the first."""
    if view.mode == "solo":
        return solo.choose(view, legal_moves)
    if len(legal_moves) == 1:
        return legal_moves[0]
    if view.phase == "species":
        return min(legal_moves, key=lambda move: SPECIES.index(move.species) if move.species in SPECIES else 99)
    worth = Worth(view)
    if view.window is not None:
        return react(view, worth, legal_moves)
    if view.pending is not None:
        return _answer(view, worth, legal_moves)
    if view.phase == "preparation":
        return _prepare(view, worth, legal_moves)
    return _take(view, worth, legal_moves) if view.phase == "action" else default_move(view, legal_moves)


def _answer(view: UfoWaveView, worth: Worth, legal_moves: Sequence[Any]) -> Any:
    """What a card, a Power or the hand limit demands."""
    assert view.pending is not None
    match view.pending.kind:
        case "discard":
            return min(legal_moves, key=lambda move: worth.kept(move.card))
        case "discard_human":
            humans = {card.id: card for card in view.seats[worth.me].watching}
            return max(legal_moves, key=lambda move: worth.moved(humans[move.human], worth.me, None))
        case "draw":
            good = view.plan_top is not None and worth.kept(view.plan_top) >= GOOD_DRAW
            return legal_moves[0 if good else -1]
        case _:
            return default_move(view, legal_moves)


def _prepare(view: UfoWaveView, worth: Worth, legal_moves: Sequence[Any]) -> Any:
    schemes = Schemes(view, worth)
    best, gain = legal_moves[-1], WORTH_PLAYING
    for move in legal_moves[:-1]:
        more = schemes.gain(move)
        if more > gain:
            best, gain = move, more
    return best


def _take(view: UfoWaveView, worth: Worth, legal_moves: Sequence[Any]) -> Any:
    cloak = cloak_in_effect(view)
    place = {card.id: number for number, card in enumerate(view.scan) if card is not None}
    of_takes = {
        take[1:]: turn_worth.of_take(worth, view.scan, take, cloak)
        for take in turn_worth.takes(worth, view.scan, len(view.seats), cloak)
    }

    def of(move: Any) -> float:
        if isinstance(move, m.UfoWaveEndAction):
            return -turn_worth.left_to_others(worth, view.scan)
        if isinstance(move, m.UfoWavePerform):
            return of_takes[place[move.activity], None]
        return of_takes[place[move.human], move.to_seat]

    return max(legal_moves, key=of)


def cloak_in_effect(view: UfoWaveView) -> int:
    """Whether a Cloak works for the viewer. No view says so; but it plays one last, so it lies on the discard pile."""
    tail = view.plan_discard[-2:]
    if tail[-1:] == ("cloak",):
        own = view.mode == "standard" and view.seats[view.active].species == CLOAKS_FOR_NOTHING
        return turn_worth.CLOAK_ALL if own else turn_worth.CLOAK_FIRST
    return turn_worth.CLOAK_ALL if tail[:1] == ("cloak",) and tail[-1] in solo.CRAFT else 0
