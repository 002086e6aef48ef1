"""Which move does the rider make?

It cuts its hand into few formations (`plan`), counts a formation the less the likelier it is to win a trick (`odds`),
and makes the move that is worth the most in the end (`worth`). It sees its seat's view and legal moves, no more, and
leaves nothing to chance.
"""

from collections.abc import Sequence

from engines.kit.chance import Chance
from engines.onda.cards import pile_of, without
from engines.onda.moves import OndaKeepBomb, OndaMove, OndaPass, OndaSetAside, OndaSkipBomb
from engines.onda.odds import bomb_shape
from engines.onda.scoring import cost_of
from engines.onda.view import OndaView
from engines.onda.worth import OndaWorth

ASIDE_DOT = 0.02
"""What it is worth to set a dot aside: face down every card costs the same. It decides between equals."""


def choose(view: OndaView, legal_moves: Sequence[OndaMove], chance: Chance) -> OndaMove:  # noqa: ARG001
    """The best of the legal moves (not empty), as far as the seat can know; of equal ones the first."""
    if len(legal_moves) == 1:
        return legal_moves[0]
    if view.phase == "choose_bomb":
        return _keep_or_skip(view)
    worth = OndaWorth(view, bomb_shape(view))

    def of(move: OndaMove) -> float:
        if isinstance(move, OndaSetAside):
            return _without_these(worth, move)
        if isinstance(move, OndaPass | OndaKeepBomb | OndaSkipBomb):
            return worth.of_hand(worth.hand)
        return worth.of_lay(move)

    return max(legal_moves, key=of)


def _keep_or_skip(view: OndaView) -> OndaMove:
    """The bomb under which the hand is worth more; the current one if it makes no difference."""
    kept, skipped = (OndaWorth(view, bomb_shape(view, skipped=skip)) for skip in (False, True))
    return OndaSkipBomb() if skipped.of_hand(skipped.hand) > kept.of_hand(kept.hand) else OndaKeepBomb()


def _without_these(worth: OndaWorth, move: OndaSetAside) -> float:
    """What the hand is worth without the cards that are set aside: those that fit nowhere cost it the most."""
    cards = pile_of(move.cards)
    return worth.of_hand(without(worth.hand, cards)) + ASIDE_DOT * cost_of(cards)
