"""What does the clock play for a seat that is absent?"""

from collections.abc import Sequence

from engines.wave.cards import RANKS
from engines.wave.moves import WaveMove, WavePlay, WaveProposeSilver
from engines.wave.view import WaveView


def default_move(view: WaveView, legal_moves: Sequence[WaveMove]) -> WaveMove:
    """The safe move, from the seat's own view and its legal moves (not empty) alone. Rules: §9.

    Of the cards that the seat sees and that fit the one with the lowest number, of those the lowest suit; if there is
    none the unseen card that it has had for longest; for Silver the lowest id.
    """
    proposals = [move for move in legal_moves if isinstance(move, WaveProposeSilver)]
    if proposals:
        return min(proposals, key=lambda move: move.card)
    plays = [move for move in legal_moves if isinstance(move, WavePlay)]
    faces = {card.card: card.face for hand in view.hands if hand.seat == view.viewer for card in hand.cards}
    seen = [(RANKS[face], move) for move in plays if (face := faces[move.card]) is not None]
    if seen:
        return min(seen, key=lambda ranked: ranked[0])[1]
    return min(plays, key=lambda move: move.card)
