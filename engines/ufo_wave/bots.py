"""Which built-in players are there?"""

from collections.abc import Mapping
from types import MappingProxyType

from engines.kit.bots import RANDOM
from engines.kit.game import Bot
from engines.ufo_wave import pilot

BOTS: Mapping[str, Bot] = MappingProxyType(
    {
        "random": RANDOM,
        "pilot": Bot(
            summary="Plays the Powers that make its turn worth most, takes what is worth most to it, and leads Humans "
            "to those whom they cost most; hunts for medals in solo.",
            choose=pilot.choose,
        ),
    }
)
"""From the weakest to the strongest."""
