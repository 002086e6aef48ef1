"""Pure rules: no clock, no network, no randomness but `engines.kit.chance`.

`GAMES` is the registry. A new game is one folder beside these and one line here.
"""

from collections.abc import Mapping
from types import MappingProxyType

from engines.kit.game import Game
from engines.onda import GAME as ONDA
from engines.ufo_wave import GAME as UFO_WAVE
from engines.wave import GAME as WAVE

_ALL: tuple[Game, ...] = (WAVE, ONDA, UFO_WAVE)

GAMES: Mapping[str, Game] = MappingProxyType({game.key: game for game in _ALL})
"""Every game that is served, by its key."""
