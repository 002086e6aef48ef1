"""The sixty cards, and a pile of them as one integer.

A *pile* is an unordered handful of cards packed into 60 bits, two bits for each of the 30 kinds of card: the low
bit says "at least one copy", the high bit "both copies". The kinds stand in hand order (by number, green before
blue), so reading the bits upwards gives the sorted hand, `pile.bit_count()` is the number of cards, and
"this hand holds those cards" is one `&`. Where copies differ in nothing but being two, nothing is lost.

Rules: RULES.md §1.1, §1.2.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, get_args

OndaCard = Literal[
    "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "g10", "g11", "g12", "g13", "g14", "g15",
    "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "b10", "b11", "b12", "b13", "b14", "b15",
]  # fmt: skip
"""A card on the wire: the suit's letter (green, blue) and the number. The two copies have one code."""

Pile = int
"""Cards as bits, see above. 0 is no card."""

CATALOGUE: tuple[OndaCard, ...] = get_args(OndaCard)
"""The 30 kinds in catalogue order: g1 … g15, then b1 … b15."""

DECK: tuple[OndaCard, ...] = tuple(code for code in CATALOGUE for _ in range(2))
"""The 60 cards in catalogue order, the two copies side by side: where every shuffle begins."""

NUMBER: dict[OndaCard, int] = {code: int(code[1:]) for code in CATALOGUE}
SUIT: dict[OndaCard, str] = {code: "green" if code[0] == "g" else "blue" for code in CATALOGUE}
RANK: dict[OndaCard, int] = {code: rank for rank, code in enumerate(CATALOGUE)}
"""Where a code stands in catalogue order."""

HAND_ORDER: tuple[OndaCard, ...] = tuple(sorted(CATALOGUE, key=lambda code: (NUMBER[code], RANK[code])))
"""The 30 kinds as lists of one's cards show them: by number, then green before blue."""

HAND_RANK: dict[OndaCard, int] = {code: rank for rank, code in enumerate(HAND_ORDER)}

BIT: dict[OndaCard, Pile] = {code: 1 << 2 * rank for code, rank in HAND_RANK.items()}
"""The pile of one copy of a code."""

FULL_DECK: Pile = (1 << 2 * len(CATALOGUE)) - 1
_SECONDS: Pile = sum(bit << 1 for bit in BIT.values())

CHUNK_BITS = 12
CHUNKS = 5
"""Tables over piles are cut into 5 chunks of 12 bits (6 kinds, 3 numbers): 729 handfuls each."""


def dots(number: int) -> int:
    """The points that a card of this number costs if it is left over, 1 to 3. Rules: §8.3."""
    if number in (1, 15):
        return 3
    return 1 if 5 <= number <= 11 else 2


def pile_of(cards: Iterable[OndaCard]) -> Pile:
    """The pile of these cards; no code may come more than twice."""
    pile = 0
    for code in cards:
        pile = with_card(pile, code)
    return pile


def with_card(pile: Pile, code: OndaCard) -> Pile:
    """The pile and one more copy of this code, of which it holds at most one."""
    bit = BIT[code]
    return pile | (bit << 1 if pile & bit else bit)


def holds(pile: Pile, wanted: Pile) -> bool:
    """Whether every card of `wanted` is in the pile, both copies where it wants both."""
    return pile & wanted == wanted


def without(pile: Pile, gone: Pile) -> Pile:
    """The pile less these cards; what it does not hold cannot be taken and is passed over."""
    left = pile & ~gone
    # Where one of two copies went, the mark "both" is left standing alone: turn it into the mark "one".
    lonely = left & _SECONDS & ~(left << 1)
    return left - (lonely >> 1)


def codes(pile: Pile) -> tuple[OndaCard, ...]:
    """The cards of a pile as codes, copies repeated, in hand order."""
    if not pile:
        return ()
    return (
        _CODES[0][pile & 4095]
        + _CODES[1][pile >> 12 & 4095]
        + _CODES[2][pile >> 24 & 4095]
        + _CODES[3][pile >> 36 & 4095]
        + _CODES[4][pile >> 48]
    )


@lru_cache(maxsize=512)
def kinds(pile: Pile) -> tuple[OndaCard, ...]:
    """The different codes of a small pile in catalogue order. (There are 496 piles of up to two cards.)"""
    return tuple(sorted(set(codes(pile)), key=RANK.__getitem__))


def chunk_values() -> list[Pile]:
    """Every value that 12 bits of a pile can take, ascending: six kinds, none, one or both copies of each."""
    values = [0]
    for place in range(0, CHUNK_BITS, 2):
        values += [value | copies << place for copies in (1, 3) for value in values]
    return sorted(values)


def _codes_of_chunk(chunk: int, value: Pile) -> tuple[OndaCard, ...]:
    pile = value << CHUNK_BITS * chunk
    return tuple(code for code in HAND_ORDER for bit in (BIT[code], BIT[code] << 1) if pile & bit)


_CODES = tuple({value: _codes_of_chunk(chunk, value) for value in chunk_values()} for chunk in range(CHUNKS))
