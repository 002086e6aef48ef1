"""What does the viewer gain by a move of its Preparation, compared with going on to its action at once?"""

from typing import Any

from engines.ufo_wave import moves as m
from engines.ufo_wave import turn_worth
from engines.ufo_wave.cards import ANYTHING, UfoWaveScanCard
from engines.ufo_wave.view import UfoWaveView
from engines.ufo_wave.worth import Row, Worth

SKIPPED_TURN, SKIPPED_POWERS = 4.0, 0.6
DISCARDED_CHOICE, DISCARDED_RANDOM = 0.6, 1.6
CLAIM_LATER = 0.9
"""An Activity that can be claimed next turn may have changed its neighbours by then."""
KEPT_SAFE = 0.3
NO_GAIN = -1.0
TRACTOR_BASIC = 2


class Schemes:
    """The gains of one Preparation."""

    def __init__(self, view: UfoWaveView, worth: Worth) -> None:
        self.view, self.worth, self.row = view, worth, view.scan
        self.limits = sorted(
            (ANYTHING if claim.at_most is None else claim.at_most for claim in view.claims.extra), reverse=True
        )
        self.now = self._turn(self.row)
        self._seen: dict[Any, float] = {}

    def gain(self, move: Any) -> float:
        """In points, the price of the cards taken off."""
        if isinstance(move, m.UfoWaveDismissHuman):
            human = self._watching(move.human)[1]
            return self.worth.moved(human, self.worth.me, None) - self.worth.price(move.craft)
        # Craft differ in nothing but their price.
        about = (move.power, move.level, move.target)
        if about not in self._seen:
            self._seen[about] = self._of_power(*about)
        cards = (move.power,) if move.craft is None else (move.power, move.craft)
        return self._seen[about] - self.worth.price(cards)

    def _turn(self, row: Row, *more: int, cloak: int = 0, kept_off: int | None = None) -> float:
        limits = sorted((*self.limits, *more), reverse=True)
        return turn_worth.of_turn(self.worth, row, len(self.view.seats), limits, cloak, kept_off)

    def _of_power(self, power: str, level: str, target: m.UfoWaveTarget | None) -> float:
        advanced, aim = level == "advanced", target or m.UfoWaveTarget()
        match power:
            case "tractor_beam":
                return self._turn(self.row, ANYTHING if advanced else TRACTOR_BASIC) - self.now
            case "cloak":
                cloak = turn_worth.CLOAK_ALL if advanced else turn_worth.CLOAK_FIRST
                return self._turn(self.row, cloak=cloak) - self.now
            case "dimensional_shift" if not advanced:
                return self._swapped(aim) - self.now
            case "mind_control":
                return self._moved(aim) if advanced else self._led(aim)
            case "protective_aura":
                return self._protected(aim, claim=advanced)
            case "paralysis" | "terrorize":
                return self._against(power, advanced, aim)
            case _:
                return NO_GAIN

    def _swapped(self, aim: m.UfoWaveTarget) -> float:
        row = list(self.row)
        one, other = (self._place(card) for card in (aim.first, aim.second))
        row[one], row[other] = row[other], row[one]
        return self._turn(row)

    def _led(self, aim: m.UfoWaveTarget) -> float:
        place = self._place(aim.human)
        found = turn_worth.takes(self.worth, self.row, len(self.view.seats))
        at_once = next((take[0] for take in found if take[1:] == (place, aim.to_seat)), 0.0)
        return at_once + self._turn(turn_worth.taken(self.row, place, aim.to_seat)) - self.now

    def _moved(self, aim: m.UfoWaveTarget) -> float:
        holder, human = self._watching(aim.human)
        return self.worth.moved(human, holder, aim.to_seat)

    def _protected(self, aim: m.UfoWaveTarget, *, claim: bool) -> float:
        """The Activity is left for the next turn; the row of that turn is not known, so it counts as it lies now."""
        place = self._place(aim.activity)
        found = turn_worth.takes(self.worth, self.row, 0)
        later = next((take[0] for take in found if take[1] == place), 0.0)
        rest = self._turn(self.row, kept_off=aim.activity)
        if not claim:
            return rest - self.now + KEPT_SAFE * later if later > 0 else NO_GAIN
        return rest + CLAIM_LATER * later - self.now

    def _against(self, power: str, advanced: bool, aim: m.UfoWaveTarget) -> float:
        seat = self.view.seats[aim.seat or 0]
        if power == "terrorize":
            lost = DISCARDED_RANDOM * min(1, seat.hand_size / 2) if advanced else DISCARDED_CHOICE
            return self.worth.share * lost if seat.hand_size else NO_GAIN
        if seat.paralysed is not None:
            return NO_GAIN
        return self.worth.share * (SKIPPED_TURN if advanced else SKIPPED_POWERS * min(1, seat.hand_size / 4))

    def _place(self, card: int | None) -> int:
        return next(place for place, other in enumerate(self.row) if other is not None and other.id == card)

    def _watching(self, human: int | None) -> tuple[int, UfoWaveScanCard]:
        """(before whom the Human is, the Human)."""
        return next((seat.seat, card) for seat in self.view.seats for card in seat.watching if card.id == human)
