"""What may a card be that its holder can't see? What the tips leave open.

The convention of the surfers. At the beginning of a seat's turn somebody who sees its unseen cards says of each:

    `should_play`      it fits, and is among the easiest third of all unplayed faces that fit (see `ease`)
    `can_play`         it fits, and is of the middle third
    `should_not_play`  it fits, and is of the hardest third
    `cannot_play`      it does not fit

So each tip is true and means what a person would take it for. The view does not tell in which turn a tip was given;
but the teller speaks once in each turn of the holder, so the k-th tip is of the holder's k-th turn with that card.
"""

from itertools import pairwise

from engines.wave.ease import ALL, BIT, OVER, faces_in
from engines.wave.moves import Says
from engines.wave.story import arrival
from engines.wave.view import WaveTipView, WaveView

GRADES: tuple[Says, ...] = ("should_play", "can_play", "should_not_play", "cannot_play")
"""What can be said of a card, the best first."""

_THIRDS = len(GRADES) - 1


def meaning(view: WaveView, turn: int, says: Says) -> int:
    """The set of the faces of which that was true in that turn. All seats come to the same one: the discard is open."""
    unplayed = ALL & ~sum(BIT[code] for code in view.discard[: turn + 1])
    fitting = unplayed & OVER[BIT[view.discard[turn]]]
    if says == "cannot_play":
        return unplayed & ~fitting
    faces, third = faces_in(fitting), GRADES.index(says)
    return sum(faces[len(faces) * third // _THIRDS : len(faces) * (third + 1) // _THIRDS])


def grade(view: WaveView, turn: int, face: int) -> Says:
    """What is true of an unplayed face in that turn."""
    return next(says for says in GRADES if meaning(view, turn, says) & face)


def is_told(view: WaveView, story: tuple[int, ...], card: int, holder: int) -> bool:
    """Has one and the same seat spoken of this card once in each turn of its holder, the present one included?

    Or has the viewer, a seat, said too much already: nothing can mend that.
    """
    due = len(_occasions(view, story, card, holder))
    told = [len(_grades_told(view, teller, card)) for teller in range(len(view.hands))]
    return due in told or (view.viewer is not None and told[view.viewer] > due)


def possible(view: WaveView, story: tuple[int, ...], card: int, holder: int) -> int:
    """The set of the faces that an unseen card may have by the tips alone; ALL if they say nothing or contradict.

    Only a seat that has spoken exactly once in each of the holder's turns is taken at its word: of other tips nobody
    can tell what top card they meant.
    """
    turns = _occasions(view, story, card, holder)
    faces = ALL
    for teller in range(len(view.hands)):
        tips = _grades_told(view, teller, card)
        if len(tips) != len(turns):
            continue
        pairs = list(zip(turns, tips, strict=True))
        # Two tips in a row, with no play between them, are of one turn: somebody came late and caught up.
        if any(tip.version + 1 == later.version for tip, later in pairwise(tips)):
            pairs = pairs[-1:]
        for turn, tip in pairs:
            faces &= meaning(view, turn, tip.says)
    return faces or ALL


def _occasions(view: WaveView, story: tuple[int, ...], card: int, holder: int) -> list[int]:
    """The turns in which the card is spoken of: those of its holder since it came, the present one included."""
    return [turn for turn in range(arrival(view, card), len(story)) if story[turn] == holder]


def _grades_told(view: WaveView, teller: int, card: int) -> list[WaveTipView]:
    """What a seat has said of a card, oldest first."""
    return [tip for tip in view.tips if tip.seat == teller and tip.about == card and tip.says in GRADES]
