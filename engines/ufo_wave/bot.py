"""A player for solo that knows its view and its legal moves, no more; in other modes it plays the safe default.

In solo every Activity falls to the player in the end, and every Human that is not got rid of. So what can be won is the
Energy, the Humans dismissed before the end, and the Craft in hand when it comes. The player takes few cards at a
time, for a long match draws more Plan cards; it parks bad Energy at the left end of the row, where the last card taken
brings one of it at most; it spends Craft on the Humans that cost most and hoards what is left.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from engines.ufo_wave import moves as m
from engines.ufo_wave.cards import UfoWaveScanCard
from engines.ufo_wave.default import default_move
from engines.ufo_wave.view import UfoWaveView

CRAFT = ("saucer", "triangle", "cigar", "orb", "shape_shifter")
MILITARY, REPORTER, POLICE = "military", "reporter", "police"
PAIRS_ENOUGH = 5
"""With so many Craft in hand a pair is better spent on a Reporter than kept over the hand limit."""


def choose(view: UfoWaveView, legal: Sequence[Any]) -> Any:
    """One of the legal moves."""
    if view.mode != "solo":
        return default_move(view, legal)
    if view.pending is not None:
        if view.pending.kind == "discard":
            return min(legal, key=lambda move: _worth_keeping(view, move.card))
        return legal[0]
    return _prepare(view, legal) if view.phase == "preparation" else _take(view, legal)


# Preparation


def _prepare(view: UfoWaveView, legal: Sequence[Any]) -> Any:
    return _park(view, legal) or _get_rid(view, legal) or _hide(view, legal) or legal[-1]


def _park(view: UfoWaveView, legal: Sequence[Any]) -> Any:
    """Swap a bad Energy to the leftmost place that has none yet. Dimensional Shift serves for nothing better."""
    swaps = [move for move in legal if isinstance(move, m.UfoWavePlayPower) and move.power == "dimensional_shift"]
    row = [card for card in view.scan if card is not None]
    parked = _parked(row)
    # The worst ones farthest to the left: of those parked only the rightmost can still come along.
    bad = sorted((card for card in row[parked:] if _is_bad(card)), key=lambda card: card.points or 0)
    if not bad or parked >= len(row):
        return None
    wanted = {row[parked].id, bad[0].id}
    return next((move for move in swaps if move.target and {move.target.first, move.target.second} == wanted), None)


def _get_rid(view: UfoWaveView, legal: Sequence[Any]) -> Any:
    """Get rid of the Human that costs most, by the cheapest means."""
    ways = [(_cost_of_human(view, human), -_price(view, move), move) for move in legal if (human := _rids(move))]
    ways = [way for way in ways if way[0] > 0]
    return max(ways, key=lambda way: way[:2])[2] if ways else None


def _hide(view: UfoWaveView, legal: Sequence[Any]) -> Any:
    """Cloak at Advanced when even the best take brings bad Energy along."""
    cloaks = [move for move in legal if isinstance(move, m.UfoWavePlayPower) and move.power == "cloak"]
    advanced = [move for move in cloaks if move.level == "advanced"]
    row = [card for card in view.scan if card is not None]
    takes = [_value(row, place) for place, card in enumerate(row) if card.kind in ("activity", "human")]
    if not advanced or not takes or max(takes) > -1.5:
        return None
    return min(advanced, key=lambda move: _price(view, move))


def _rids(move: Any) -> int | None:
    """The Human that this move gets rid of."""
    if isinstance(move, m.UfoWaveDismissHuman):
        return move.human
    if isinstance(move, m.UfoWavePlayPower) and move.power == "mind_control" and move.level == "advanced":
        return move.target.human if move.target else None
    return None


def _cost_of_human(view: UfoWaveView, human: int) -> float:
    card = next(other for other in view.seats[0].watching if other.id == human)
    if card.key == MILITARY:
        return 1.5  # all four must go to save six points
    if card.key == REPORTER:
        # It costs a place in the hand, which in the end is a Craft.
        return 0.5 if sum(key in CRAFT for key in view.hand or ()) >= PAIRS_ENOUGH else 0
    return -(card.points or 0)


def _price(view: UfoWaveView, move: Any) -> float:
    """The Craft spent, a Shape Shifter counting for more, and a Craft that has a partner too."""
    hand = Counter(view.hand or ())
    craft = move.craft if isinstance(move, m.UfoWaveDismissHuman) else (move.craft,)
    single = 0.3 if len(craft) == 1 and hand[craft[0]] > 1 else 0.0
    return len(craft) + 0.5 * craft.count("shape_shifter") + single


def _worth_keeping(view: UfoWaveView, card: str) -> float:
    if card == "shape_shifter":
        return 5
    if card in CRAFT:
        return 3 + min(1, (view.hand or ()).count(card) - 1)
    return {"mind_control": 4, "dimensional_shift": 2.5, "cloak": 2}.get(card, 1)


# Action


def _take(view: UfoWaveView, legal: Sequence[Any]) -> Any:
    if isinstance(legal[-1], m.UfoWaveEndAction):
        return legal[-1]
    row = [card for card in view.scan if card is not None]
    place = {card.id: index for index, card in enumerate(row)}
    return max(legal, key=lambda move: _value(row, place[_taken(move)]))


def _taken(move: Any) -> int:
    card: int = move.activity if isinstance(move, m.UfoWavePerform) else move.human
    return card


def _value(row: Sequence[UfoWaveScanCard], place: int) -> float:
    """Energy that comes along, less a little for each Human that an Activity brings: a shorter match draws less."""
    value = 0.0
    for beside in (place - 1, place + 1):
        if 0 <= beside < len(row):
            card = row[beside]
            if card.kind == "energy":
                value += (card.points or 0) + {"flux": 0.7, "drain": -0.7}.get(card.key, 0)
            elif card.kind == "human" and row[place].kind == "activity":
                value -= 0.6
    return value


def _is_bad(card: UfoWaveScanCard) -> bool:
    return card.kind == "energy" and (card.points or 0) < 0


def _parked(row: Sequence[UfoWaveScanCard]) -> int:
    """How many bad Energy lie together at the left end."""
    return next((place for place, card in enumerate(row) if not _is_bad(card)), len(row))
