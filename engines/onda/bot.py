"""The safe move for a seat whose clock ran down: it knows no more than the seat. Rules: RULES.md §10.3."""

from collections.abc import Sequence

from engines.onda.cards import NUMBER, RANK, OndaCard, dots
from engines.onda.moves import OndaFollow, OndaKeepBomb, OndaMove, OndaPass, OndaSetAside
from engines.onda.view import OndaView


def default_move(view: OndaView, legal_moves: Sequence[OndaMove]) -> OndaMove:
    """Two cards of the fewest dots aside, keep the bomb, pass where one may, else the first single. Rules: §10.3.

    `legal_moves` is what the seat may do now, in canonical order, and not empty.
    """
    if view.phase == "set_aside":
        return _cheapest_pair(view.hand or (), legal_moves)
    if view.phase == "choose_bomb":
        return next(move for move in legal_moves if isinstance(move, OndaKeepBomb))
    last = legal_moves[-1]
    if isinstance(last, OndaPass):
        return last
    return next(move for move in legal_moves if isinstance(move, OndaFollow) and _laid_by(move) == 1)


def _cheapest_pair(hand: Sequence[OndaCard], legal_moves: Sequence[OndaMove]) -> OndaMove:
    """Ties go by catalogue order."""
    pair = sorted(hand, key=lambda card: (dots(NUMBER[card]), RANK[card]))[:2]
    return next(move for move in legal_moves if isinstance(move, OndaSetAside) and sorted(move.cards) == sorted(pair))


def _laid_by(move: OndaFollow) -> int:
    return len(move.cards) + (move.wild is not None)
