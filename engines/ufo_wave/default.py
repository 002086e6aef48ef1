"""The safe move for a seat that is absent. It knows the view and the legal moves, no more. Rules: page, Moves."""

from collections.abc import Sequence
from typing import Any

from engines.ufo_wave import moves as m
from engines.ufo_wave.cards import UfoWaveScanCard
from engines.ufo_wave.view import UfoWaveView

FAVOURED_BONUS = 2
MOST_MILITARY = 6
_TAKES = (m.UfoWavePerform, m.UfoWaveLead)


def default_move(view: UfoWaveView, legal: Sequence[Any]) -> Any:
    """The first Species left, `top`, `end_preparation`, the best take, `end_action`, the first card or Human, `allow`.

    When the action has been taken, `end_action`; a row being put in order stays as it is.
    """
    last = legal[-1]
    if isinstance(last, m.UfoWaveEndPreparation | m.UfoWaveEndAction):
        return last
    if isinstance(legal[0], _TAKES):
        return best_take(view, legal)
    return legal[0]


def best_take(view: UfoWaveView, legal: Sequence[Any]) -> Any:
    """The Activity worth most to the viewer, else the lead to another seat worth most; of equals the first."""
    performs = [move for move in legal if isinstance(move, m.UfoWavePerform)]
    if performs:
        return max(performs, key=lambda move: worth_of_performing(view, move.activity))
    leads = [move for move in legal if isinstance(move, m.UfoWaveLead)]
    away = [move for move in leads if move.to_seat != view.viewer]
    return max(away or leads, key=lambda move: worth_of_leading(view, move))


def worth_of_performing(view: UfoWaveView, activity: int) -> int:
    """What the Activity brings the viewer: its points, the bonus if it is favoured, and all that comes along."""
    card, beside = _around(view, activity)
    came = [other for other in beside if other.kind in ("human", "energy")]
    bonus = FAVOURED_BONUS if card.key == view.favoured else 0
    return (card.points or 0) + bonus + _come_along(view, came)


def worth_of_leading(view: UfoWaveView, move: m.UfoWaveLead) -> int:
    """What leading the Human brings the viewer: the Energy beside it, and the Human if it leads it to itself."""
    card, beside = _around(view, move.human)
    came = [other for other in beside if other.kind == "energy"]
    return _come_along(view, [*came, card] if move.to_seat == view.viewer else came)


def _around(view: UfoWaveView, card: int) -> tuple[UfoWaveScanCard, list[UfoWaveScanCard]]:
    place = next(i for i, other in enumerate(view.scan) if other is not None and other.id == card)
    here = view.scan[place]
    assert here is not None
    beside = [view.scan[i] for i in (place - 1, place + 1) if 0 <= i < len(view.scan)]
    return here, [other for other in beside if other is not None]


def _come_along(view: UfoWaveView, came: Sequence[UfoWaveScanCard]) -> int:
    military = sum(1 for card in came if card.key == "military")
    return sum(card.points or 0 for card in came) + _military(view, military)


def _military(view: UfoWaveView, more: int) -> int:
    """What that many more Military cost the viewer, if they bring it among those that have most. Rules: R, U15."""
    if not more or view.viewer is None:
        return 0
    counts = [sum(1 for human in seat.watching if human.key == "military") for seat in view.seats]
    mine = counts[view.viewer]
    had_most = mine > 0 and mine == max(counts)
    return 0 if had_most or mine + more < max(counts) else -MOST_MILITARY
