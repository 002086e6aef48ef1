"""Which card does the surfer play, and what does it say?

It deals the cards that it can't see in WORLDS ways, as the tips allow, and asks of each of its moves how the match
would go on (`ride`). The move that leaves the fewest cards on average is played.
"""

from collections.abc import Sequence

from engines.kit.chance import Chance
from engines.wave.ease import BIT, OVER
from engines.wave.moves import WaveMove, WaveProposeSilver, WaveTip
from engines.wave.reading import grade, is_told
from engines.wave.ride import ride
from engines.wave.story import present_place, turns
from engines.wave.view import WaveView
from engines.wave.worlds import deal, look

WORLDS = 48
"""More are a little stronger, and slower in proportion: a decision takes 1 to 2 ms of CPU with these."""


def choose(view: WaveView, legal_moves: Sequence[WaveMove], chance: Chance) -> WaveMove:
    """The legal move that leaves the fewest cards, as far as the seat can know; of equal ones the first."""
    if len(legal_moves) == 1:
        return legal_moves[0]
    agreed = _given_way(view)
    if agreed is not None and agreed in legal_moves:
        return agreed
    remaining = _remaining(view, legal_moves, chance)
    return legal_moves[remaining.index(min(remaining))]


def remark(view: WaveView, chance: Chance) -> WaveTip | None:  # noqa: ARG001 (it leaves nothing to chance)
    """What the convention of `reading` wants said: of the next unseen card of the seat to move; None if all is said.

    Each tip makes the number of its occasions one fuller, so it comes to an end. The view does not tell how many tips
    a seat has left: one that is refused (W-tips) is the end too.
    """
    story = turns(view)
    if not story or story[-1] == view.viewer or story[-1] >= len(view.hands):
        return None
    holder = view.hands[story[-1]]
    for card in holder.cards:
        if card.facing == "team" and card.face is not None and not is_told(view, story, card.card, holder.seat):
            return WaveTip(card.card, grade(view, len(story) - 1, BIT[card.face]))
    return None


def _given_way(view: WaveView) -> WaveProposeSilver | None:
    """What the other seat proposes for Silver, if both have proposed: who has been heard gives way. Rules: §7.3."""
    if view.silver is None or view.viewer is None:
        return None
    mine, theirs = (view.silver.proposals[str(seat)] for seat in (view.viewer, 1 - view.viewer))
    return None if mine is None or theirs is None else WaveProposeSilver(theirs)


def _remaining(view: WaveView, legal_moves: Sequence[WaveMove], chance: Chance) -> list[float]:
    """By move: the cards that remain after it, the mean of the worlds in which it fits.

    Where it does not fit nothing is lost, for a misfit keeps the turn (§4.5); a card that fits in no world comes last.
    Whether the match is `strict` the view does not tell; there the tips must be enough.
    """
    seen = look(view)
    place, step = present_place(view), 1 if view.direction == "clockwise" else -1
    over = OVER[BIT[view.top.face]]
    rides: list[list[int]] = [[] for _ in legal_moves]
    for world in range(WORLDS):
        water, unseen = deal(seen, chance, f"world {world}")
        faces = seen.open | unseen
        for results, move in zip(rides, legal_moves, strict=True):
            face = faces[_card(move)]
            if face & over:
                results.append(ride(water, place, step, face, view.remaining))
    return [sum(results) / len(results) if results else float("inf") for results in rides]


def _card(move: WaveMove) -> int:
    """The card that is played or proposed."""
    return move.about if isinstance(move, WaveTip) else move.card
