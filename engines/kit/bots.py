"""Built-in players that need to know nothing of a game."""

from collections.abc import Sequence
from typing import Any

from engines.kit.chance import Chance
from engines.kit.game import Bot


def choose_any(view: Any, legal_moves: Sequence[Any], chance: Chance) -> Any:  # noqa: ARG001
    """One of the legal moves (not empty), each with the same probability."""
    return legal_moves[chance.pick("choose", len(legal_moves))]


RANDOM = Bot(summary="Plays any legal move, each as likely as the others.", choose=choose_any)
"""The weakest of every game: `random`."""
