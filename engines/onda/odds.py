"""How likely is it that nobody beats a formation? An estimate from what one seat sees.

Every copy of a card that the seat has not seen is taken to be in a rival's hand with the same probability, whatever
the other copies do. What rivals would rather keep than lay is guessed once, in the constants. The rivals are taken
to be alike: they have the mean of their hands and cards face down.
"""

from collections.abc import Iterator
from math import comb, prod

from engines.onda.cards import CATALOGUE, OndaCard
from engines.onda.formations import BOMB_LETTERS, BOMBS, Shape
from engines.onda.view import OndaView

WILD_USED = 0.4
"""How likely a rival with a card face down is to use it for beating what lies there."""
TIDE_TURNED = 0.15
"""How likely the tide is to be turned over a formation, if it can be."""
BOMBED = 0.5
"""How likely a rival is to bomb who can."""

_HIGHEST = 15
_EDGE = _HIGHEST + 1

Unseen = dict[OndaCard, int]
"""How many copies of each card the seat has not seen."""
Stands = tuple[list[float], list[float]]
"""By number, 0 to 16: how likely one rival is to have nothing above it, and nothing below it."""


def bomb_shape(view: OndaView, *, skipped: bool = False) -> Shape:
    """The shape of the current bomb, or of the one that comes after it. Rules: §7.2."""
    return BOMBS[(BOMB_LETTERS.index(view.bomb) + skipped) % len(BOMBS)]


class OndaOdds:
    """The estimates of one seat at one moment. Nothing is read but the view."""

    def __init__(self, view: OndaView) -> None:
        others = [seat for seat in view.seats if seat.seat != view.viewer]
        self.rivals = len(others)
        self.rivals_in_trick = sum(seat.in_trick for seat in others)
        self._unseen = _unseen(view)
        self._held = sum(seat.hand_size for seat in others) / len(others) / max(1, sum(self._unseen.values()))
        self._most = max(seat.hand_size for seat in others)
        self._wild = WILD_USED * sum(seat.face_down > 0 for seat in others) / len(others)
        self._turned = TIDE_TURNED if any(seat.face_down for seat in others) else 0.0
        self._known: dict[Shape, Stands] = {}

    def stays(self, shape: Shape, number: int, *, high: bool, can_turn: bool, bomb: Shape | None, rivals: int) -> float:
        """The probability that none of so many rivals beats it under this tide.

        `can_turn`: the tide may be turned over it. `bomb`: the shape that may be bombed with, None if no more.
        """
        above, below = self._stands(shape)
        now, turned = (above[number], below[number]) if high else (below[number], above[number])
        stands = now + self._turned * (turned - now) if can_turn else now
        if bomb is not None and bomb != shape:
            nobody_has_it = self._stands(bomb)[0][0]
            stands *= 1 - BOMBED * (1 - nobody_has_it)
        return stands**rivals

    def _stands(self, shape: Shape) -> Stands:
        if shape not in self._known:
            self._known[shape] = self._reckoned(shape)
        return self._known[shape]

    def _reckoned(self, shape: Shape) -> Stands:
        size, wild, held, unseen = shape[1], self._wild, self._held, self._unseen
        nothing = [1.0] * (_EDGE + 1)
        alone = _lacked(shape, held, unseen) if size <= self._most else nothing
        helped = _lacked(shape, held, unseen, helped=True) if size <= self._most + 1 else nothing

        def none_of(at: slice) -> float:
            return (1 - wild) * prod(alone[at]) + wild * prod(helped[at])

        numbers = range(_EDGE + 1)
        return [none_of(slice(number + 1, None)) for number in numbers], [none_of(slice(number)) for number in numbers]


def _unseen(view: OndaView) -> Unseen:
    unseen = dict.fromkeys(CATALOGUE, 2)
    for card in (*(view.hand or ()), *(view.face_down or ()), *(view.wilds_used or ())):
        unseen[card] -= 1
    for lay in view.played:
        for card in lay.cards:
            unseen[card] -= 1
    return unseen


def _lacked(shape: Shape, held: float, unseen: Unseen, *, helped: bool = False) -> list[float]:
    """By number: how likely one rival can't lay this, not even (`helped`) with a wild in it.

    `held` is the chance of a copy to be in a rival's hand.
    """
    kind, size = shape
    lacked = [1.0] * (_EDGE + 1)
    if kind == "sequence":
        has = [1 - (1 - held) ** copies for copies in range(3)]
        for number in range(1, _EDGE + 1 - size):
            for cards in _sequences_of(number, size):
                each = sorted([has[unseen[card]] for card in cards])
                lacked[number] *= 1 - prod(each[1:] if helped else each)
    else:
        fewer = [_fewer(size - helped, copies, held) for copies in range(5)]
        for number in range(1, _EDGE):
            lacked[number] = fewer[sum(unseen[card] for card in _of_number(number))]
    return lacked


def _sequences_of(number: int, size: int) -> Iterator[tuple[OndaCard, ...]]:
    for first in (number - 1, _HIGHEST + number - 1):
        yield CATALOGUE[first : first + size]


def _of_number(number: int) -> tuple[OndaCard, OndaCard]:
    return CATALOGUE[number - 1], CATALOGUE[_HIGHEST + number - 1]


def _fewer(wanted: int, copies: int, held: float) -> float:
    """The probability that fewer than so many of these copies are held."""
    if wanted > copies:
        return 1.0
    return sum(comb(copies, k) * held**k * (1 - held) ** (copies - k) for k in range(wanted))
