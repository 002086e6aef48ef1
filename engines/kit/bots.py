"""The bot that every game has: it moves at random."""

from collections.abc import Sequence
from typing import Any

from engines.kit.chance import Chance
from engines.kit.game import Bot


def _any(_view: Any, legal_moves: Sequence[Any], chance: Chance) -> Any:
    return legal_moves[chance.pick("choose", len(legal_moves))]


RANDOM = Bot(summary="Plays any legal move, each as likely as the others.", choose=_any)
