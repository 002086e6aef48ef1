"""Which built-in players are there?"""

from collections.abc import Mapping
from types import MappingProxyType

from engines.kit.bots import RANDOM
from engines.kit.game import Bot

BOTS: Mapping[str, Bot] = MappingProxyType({"random": RANDOM})
"""From the weakest to the strongest."""
