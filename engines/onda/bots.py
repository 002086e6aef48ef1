"""Which built-in players are there?"""

from collections.abc import Mapping
from types import MappingProxyType

from engines.kit.bots import RANDOM
from engines.kit.game import Bot
from engines.onda import rider

BOTS: Mapping[str, Bot] = MappingProxyType(
    {
        "random": RANDOM,
        "rider": Bot(
            summary="Cuts its hand into few strong formations, lays the weak ones early, and keeps wilds and bombs "
            "for going out.",
            choose=rider.choose,
        ),
    }
)
"""From the weakest to the strongest."""
