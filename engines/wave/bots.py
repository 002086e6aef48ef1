"""Which built-in players are there?"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engines.kit.chance import Chance
from engines.kit.game import Bot
from engines.wave import surfer
from engines.wave.moves import WaveMove
from engines.wave.view import WaveView


def choose_any(view: WaveView, legal_moves: Sequence[WaveMove], chance: Chance) -> WaveMove:  # noqa: ARG001
    """Each of the legal moves (not empty) with the same probability."""
    return legal_moves[chance.pick("move", len(legal_moves))]


BOTS: Mapping[str, Bot] = MappingProxyType(
    {
        "random": Bot(summary="Plays any card that it may try, and says nothing.", choose=choose_any),
        "surfer": Bot(
            summary="Thinks each move through to the end in many possible deals, believes the tips that it gets, and "
            "tells each seat about the cards that it can't see.",
            choose=surfer.choose,
            remark=surfer.remark,
        ),
    }
)
"""From the weakest to the strongest."""
