"""Which cards are easy to follow, and which are hard? The order by which the surfer plays and speaks.

A set of faces is an integer with a bit for each face; bit 0 is the easiest. So the easiest of a set is its lowest bit.
"""

from engines.wave.cards import CODES, FITS, RANKS, REVERSES


def _hardness(code: str) -> tuple[int, int]:
    """Number and suit together: the higher, the fewer cards go over it.

    Of equal sums the balanced card is the easier: one that is extreme in one of the two gets over nearly everything
    and is worth saving.
    """
    number, suit = RANKS[code]
    return number + suit, -number * suit


EASY = tuple(sorted(CODES, key=_hardness))
"""Every face's code, the easiest first: a face's place here is its bit."""

BIT = {code: 1 << place for place, code in enumerate(EASY)}
"""Code -> the set of that face alone."""

ALL = (1 << len(EASY)) - 1
"""The set of all faces."""

OVER = {
    BIT[top]: sum(BIT[code] for code, fits in zip(CODES, row, strict=True) if fits)
    for top, row in zip(CODES, FITS, strict=True)
}
"""A face -> the set of those that may be laid on it. Rules: §4.2."""

TURNING = sum(BIT[code] for code, turns in zip(CODES, REVERSES, strict=True) if turns)
"""The set of the faces that turn the direction. Rules: §1.3."""


def faces_in(faces: int) -> list[int]:
    """The faces of a set, each as a set of one, the easiest first."""
    found = []
    while faces:
        found.append(faces & -faces)
        faces &= faces - 1
    return found
