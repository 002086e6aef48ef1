"""What are cards worth to a seat, as far as one seat can see? For the built-in player; no rule depends on it.

Worth is in points, the viewer's own counting in full and an opponent's against it, shared among the opponents: two
seats play for the difference. Cards that no one can rate by their points have a rate of their own by key; those of
other card sets count their points alone.
"""

from collections import Counter
from collections.abc import Sequence

from engines.ufo_wave.cards import UfoWaveScanCard
from engines.ufo_wave.view import UfoWaveView

Row = Sequence[UfoWaveScanCard | None]
"""Left to right; None is a gap, or a place whose next card nobody knows."""

FAVOURED = 2
MILITARY, MILITARY_COSTS = "military", 6
MILITARY_SURE = 0.7
"""How likely it is, roughly, that who has the most Military now has them in the end."""
BESIDES = {"police": -0.7, "reporter": -0.8, "believer": 1.2, "flux": 0.6, "drain": -0.7}
"""What cards are worth beside their points: Plan cards drawn, lost, or not to be kept."""
CRAFT = ("saucer", "triangle", "cigar", "orb", "shape_shifter")
KEPT = {
    "paralysis": 3.2,
    "mind_control": 3.0,
    "shape_shifter": 2.8,
    "missing_time": 2.3,
    "tractor_beam": 2.6,
    "protective_aura": 2.2,
    "cloak": 1.8,
    "dimensional_shift": 1.6,
    "terrorize": 1.0,
}
CRAFT_KEPT, OTHERS_KEPT = 2.0, 1.5
PRICE = 0.3
"""A Plan card played costs so much of what it is worth to keep: one comes every turn, and few can be kept."""


class Worth:
    """What cards are worth to `view.viewer`, which must be a seat."""

    def __init__(self, view: UfoWaveView) -> None:
        assert view.viewer is not None
        self.me = view.viewer
        self.favoured = view.favoured
        self.share = 1 / max(1, len(view.seats) - 1)
        self.hand = Counter(view.hand or ())
        self.room = view.seats[self.me].hand_limit - len(view.hand or ())
        self.military = [sum(human.key == MILITARY for human in seat.watching) for seat in view.seats]

    def of(self, card: UfoWaveScanCard) -> float:
        """To the viewer, if the card came to it now."""
        return self.at(card, self.me)

    def at(self, card: UfoWaveScanCard, seat: int) -> float:
        """To the viewer, if the card came to this seat now."""
        if card.key == MILITARY:
            return self._military(seat)
        worth = (card.points or 0) + BESIDES.get(card.key, 0.0)
        if seat != self.me:
            return -self.share * worth
        return worth + (FAVOURED if card.kind == "activity" and card.key == self.favoured else 0)

    def moved(self, card: UfoWaveScanCard, holder: int, seat: int | None) -> float:
        """To the viewer, if the card went from before the holder to this seat, or away."""
        if card.key == MILITARY:
            return self._with_military({holder: -1, **({} if seat is None else {seat: 1})}) - self._with_military({})
        # What it did at once when it came is not undone.
        left = self.at(card, holder) - (1 if holder == self.me else -self.share) * BESIDES.get(card.key, 0.0)
        return (0.0 if seat is None else self.at(card, seat)) - left

    def kept(self, key: str) -> float:
        """This Plan card in hand, compared with others."""
        spare = -0.4 * (self.hand[key] - 1) if key not in CRAFT else 0.2 * (self.hand[key] - 1)
        return KEPT.get(key, CRAFT_KEPT if key in CRAFT else OTHERS_KEPT) + spare

    def price(self, keys: Sequence[str]) -> float:
        """What it costs to play these Plan cards; less where the hand could not be kept anyway."""
        full = 0.4 if self.room <= len(keys) - 1 else 1.0
        return full * PRICE * sum(self.kept(key) for key in keys)

    def _military(self, seat: int) -> float:
        return self._with_military({seat: 1}) - self._with_military({})

    def _with_military(self, more: dict[int, int]) -> float:
        """All that Military cost, with these more before the seats."""
        counts = [count + more.get(seat, 0) for seat, count in enumerate(self.military)]
        most = max(counts)
        if most <= 0:
            return 0.0
        mine = counts[self.me] == most
        others = sum(count == most for count in counts) - mine
        # Beside the loss that stands, one more or less brings a loss nearer or farther.
        near = 0.6 * (self.share * (sum(counts) - counts[self.me]) - counts[self.me])
        return MILITARY_SURE * MILITARY_COSTS * (self.share * others - mine) + near
