"""What happened before, as far as a view tells it? Bots keep nothing between calls, so they read it back.

A turn has a number: the first is 0, and the top card of turn t is `discard[t]`. Cards leave the pile in the order of
their ids, one with each play, so an id tells in which turn its card came.
"""

from collections.abc import Sequence

from engines.wave.cards import CODES, DECK_SIZE, REVERSES
from engines.wave.view import WaveView

HAND_SIZE = 5
"""What every place begins with, Silver too. Rules: §2.3, §7.1."""

_REVERSING = frozenset(code for code, turns in zip(CODES, REVERSES, strict=True) if turns)


def places(view: WaveView) -> int:
    """The places in the order of play: the seats, and Silver with two. Rules: §7.1."""
    return len(view.hands) + (view.silver is not None)


def present_place(view: WaveView) -> int:
    """The place whose turn it is, Silver's being the number of seats. The match must run. Rules: §5.1, §7.1."""
    assert view.turn is not None
    return view.turn.seat if isinstance(view.turn.seat, int) else len(view.hands)


def arrival(view: WaveView, card: int) -> int:
    """The number of the first turn in which the card lay on the table."""
    return max(0, card - 1 - HAND_SIZE * places(view))


def turns(view: WaveView) -> tuple[int, ...]:
    """The place of every turn so far, the present one last; empty if the match is over.

    The view does not name the first place, so each is tried until one leads to what is seen. Rules: §5.
    """
    if view.turn is None:
        return ()
    held = _held(view)
    for first in range(places(view)):
        told = _told_from(first, view.discard, len(held))
        if told is not None and told[0][-1] == present_place(view) and told[1] == held:
            return told[0]
    return ()  # no deal leads here: a position that was made by hand


def _held(view: WaveView) -> list[int]:
    held = [len(hand.cards) for hand in view.hands]
    if view.silver is not None:
        held.append(len(view.silver.face_up) + view.silver.face_down)
    return held


def _told_from(first: int, discard: Sequence[str], count: int) -> tuple[tuple[int, ...], list[int]] | None:
    """(the place of every turn, the cards that each place holds at last) if `first` began. Rules: §4.6, §4.8, §5.2."""
    held = [HAND_SIZE] * count
    pile = DECK_SIZE - 1 - HAND_SIZE * count
    story, step = [first], 1
    for face in discard[1:]:
        place = story[-1]
        if pile:
            pile -= 1
        else:
            held[place] -= 1
        if held[place] < 0:
            return None
        if face in _REVERSING:
            step = -step
        if not any(held):
            return None
        place = (place + step) % count
        while not held[place]:
            place = (place + step) % count
        story.append(place)
    return tuple(story), held
