"""How would a match go on, if all cards were known and everybody simply played the easiest card that fits?"""

import msgspec

from engines.wave.ease import OVER, TURNING


class WaveWater(msgspec.Struct, frozen=True):
    """A position with every card known. Sets of faces, and single faces, as in `ease`."""

    hands: list[int]
    """By place, Silver's open cards last."""
    down: list[int]
    """Silver's face-down cards: the last is turned up next."""
    pile: list[int]
    """The draw pile: the last is the top."""
    silver: int
    """Silver's place, -1 without him."""


def ride(water: WaveWater, place: int, step: int, face: int, left: int) -> int:
    """How many cards remain when `place` now plays `face`, which fits, and everybody goes on as above.

    `step` is 1 clockwise and -1 else, `left` the cards that are not on the discard pile before. Changes nothing that
    it is given. Written out in one loop: a decision rides hundreds of times. Rules: §4-§8.
    """
    hands, pile, down = water.hands.copy(), water.pile.copy(), water.down.copy()
    count, silver = len(hands), water.silver
    while True:
        hands[place] ^= face
        left -= 1
        if pile:
            hands[place] |= pile.pop()
            if not pile and down:
                hands[silver] |= down.pop()
        elif down and place == silver:
            hands[silver] |= down.pop()
        if not left:
            return 0
        if face & TURNING:
            step = -step
        place = (place + step) % count
        while not hands[place]:
            place = (place + step) % count
        fitting = hands[place] & OVER[face]
        if not fitting:
            return left
        face = fitting & -fitting
