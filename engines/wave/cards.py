"""What is a Wave card, and what goes over what?

Inside the engine a face is a small integer: its place in the catalogue, 0 for `w1` to 33 for `b4`. On the wire it
is its code, suit letter and number.
"""

from engines.kit.game import CatalogueCard

SUITS = ("white", "yellow", "orange", "red", "turquoise", "blue")
"""Low to high. Rules: §1.2."""

_NUMBERS = range(6)
_ABSENT = {("white", 0), ("blue", 5)}  # §1.1: the one could never be played, the other never be beaten

_FACES = tuple((suit, number) for suit in SUITS for number in _NUMBERS if (suit, number) not in _ABSENT)

DECK_SIZE = len(_FACES)
"""34 cards, each once. Rules: §1.1."""

CODES = tuple(f"{suit[0]}{number}" for suit, number in _FACES)
"""Face -> code, in catalogue order: by suit low to high, then number."""

RANKS = {code: (number, SUITS.index(suit)) for code, (suit, number) in zip(CODES, _FACES, strict=True)}
"""Code -> (number, suit rank from 0): what a player compares."""

REVERSES = tuple(suit == "white" or number == 0 for suit, number in _FACES)
"""Face -> does playing it turn the direction: every white card and every 0. Rules: §1.3."""


def _goes_over(face: tuple[str, int], top: tuple[str, int]) -> bool:
    return face[1] > top[1] or SUITS.index(face[0]) > SUITS.index(top[0])


FITS = tuple(tuple(_goes_over(face, top) for face in _FACES) for top in _FACES)
"""FITS[top][face]: may this face be laid on that top, because its number or its suit is higher? Rules: §4.2."""

CATALOGUE = tuple(
    CatalogueCard(
        code=code,
        name=f"{suit.capitalize()} {number}",
        count=1,
        text="Turns the direction of play." if turns else "",
    )
    for code, (suit, number), turns in zip(CODES, _FACES, REVERSES, strict=True)
)
