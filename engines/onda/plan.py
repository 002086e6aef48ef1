"""Into which formations is a hand best cut? Each has a cost, and the plan is the cut that costs the least.

The search takes the lowest card of the hand, tries every formation that it can begin, and remembers what it found
of each remainder: a hand of 15 leads to some hundred remainders.
"""

from collections.abc import Callable

from engines.onda.cards import BIT, CATALOGUE, Pile, without
from engines.onda.formations import FORMATIONS, Formation

_PLAIN = tuple(formation for formation in FORMATIONS if formation.wild_as is None)
_BEGUN_BY: dict[Pile, tuple[Formation, ...]] = {
    BIT[card]: tuple(formation for formation in _PLAIN if formation.need & -formation.need == BIT[card])
    for card in CATALOGUE
}
"""The bit of a card -> the formations, without a wild, in which it comes first in hand order."""


class OndaPlans:
    """The plans under one account of costs."""

    def __init__(self, cost: Callable[[Formation], float]) -> None:
        """`cost` is asked once of each formation that is met; it may be negative."""
        self._cost_of = cost
        self._costs: dict[int, float] = {}
        self._least: dict[Pile, float] = {0: 0.0}

    def cost(self, hand: Pile) -> float:
        """What the best cut of this hand costs."""
        known = self._least.get(hand)
        if known is None:
            known = self._least[hand] = min([self._cost_beginning_with(first, hand) for first in _beginnings(hand)])
        return known

    def pieces(self, hand: Pile) -> list[Formation]:
        """The formations of the best cut, lowest card first."""
        if not hand:
            return []
        best = min(_beginnings(hand), key=lambda first: self._cost_beginning_with(first, hand))
        return [best, *self.pieces(without(hand, best.need))]

    def _cost_beginning_with(self, first: Formation, hand: Pile) -> float:
        cost = self._costs.get(first.index)
        if cost is None:
            cost = self._costs[first.index] = self._cost_of(first)
        return cost + self.cost(without(hand, first.need))


def _beginnings(hand: Pile) -> list[Formation]:
    """The formations that lay the first card of this hand, which is not empty."""
    return [formation for formation in _BEGUN_BY[hand & -hand] if hand & formation.need == formation.need]
