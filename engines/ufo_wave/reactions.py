"""Does the viewer counter the Power that is being played? If it does harm enough, by the cheapest counter."""

from collections.abc import Sequence
from typing import Any

from engines.ufo_wave import moves as m
from engines.ufo_wave.cards import UfoWaveScanCard
from engines.ufo_wave.schemes import DISCARDED_CHOICE, DISCARDED_RANDOM, SKIPPED_POWERS, SKIPPED_TURN
from engines.ufo_wave.view import UfoWaveView, UfoWaveWindowView
from engines.ufo_wave.worth import Worth

GAINS = {("tractor_beam", "basic"): 2.0, ("tractor_beam", "advanced"): 4.0, ("cloak", "advanced"): 2.0}
"""What a Power brings who plays it, where that does not depend on its target."""
OTHERS_GAIN = 1.0
AT_LEAST = 0.4
"""So much harm more than its price a counter must avert."""


def react(view: UfoWaveView, worth: Worth, legal_moves: Sequence[Any]) -> Any:
    """`allow`, which stands first, or a counter."""
    assert view.window is not None
    harm = _harm(view, worth, view.window)

    def gain(move: Any) -> float:
        if isinstance(move, m.UfoWaveAllow):
            return 0.0
        craft = () if move.craft is None else (move.craft,)
        return harm - AT_LEAST - worth.price(("missing_time", *craft))

    return max(legal_moves, key=gain)


def _harm(view: UfoWaveView, worth: Worth, window: UfoWaveWindowView) -> float:
    """To the viewer, in points."""
    aim, advanced = window.target or m.UfoWaveTarget(), window.level == "advanced"
    if window.power in ("paralysis", "terrorize"):
        harm = (DISCARDED_RANDOM if advanced else DISCARDED_CHOICE) if window.power == "terrorize" else 0.0
        if window.power == "paralysis":
            harm = SKIPPED_TURN if advanced else SKIPPED_POWERS
        return harm if aim.seat == worth.me else 0.0
    if window.power == "mind_control":
        holder, human = _human(view, aim.human)
        if holder is None:
            return -worth.at(human, aim.to_seat or 0)
        return -worth.moved(human, holder, aim.to_seat)
    if window.power == "protective_aura":
        activity = next((card for card in view.scan if card is not None and card.id == aim.activity), None)
        return worth.share * (activity.points or 0) if activity is not None and advanced else 0.0
    return worth.share * GAINS.get((window.power, window.level), OTHERS_GAIN)


def _human(view: UfoWaveView, human: int | None) -> tuple[int | None, UfoWaveScanCard]:
    """(before whom the Human is, None in the row; the Human)."""
    for seat in view.seats:
        for card in seat.watching:
            if card.id == human:
                return seat.seat, card
    return None, next(card for card in view.scan if card is not None and card.id == human)
