"""`python -m bench.footprint`: the bytes that each game's modules hold once imported, and after 20 random matches.

Prints a JSON object: game -> [bytes, bytes]. What is counted is what Python allocated on lines of the game's folder.
"""

import gc
import json
import random
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec  # noqa: F401  # not the games' own

MATCHES = 20


def main() -> None:
    gc.collect()
    tracemalloc.start()
    from engines import GAMES

    imported = {key: held(key) for key in GAMES}
    for game in GAMES.values():
        play(game)
    sys.stdout.write(json.dumps({key: [imported[key], held(key)] for key in GAMES}))


def held(game: str) -> int:
    """The bytes held by lines of the game's folder."""
    import engines

    gc.collect()
    folder = Path(engines.__file__).parent / game.replace("-", "_")
    lines = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, f"{folder}/*")])
    return sum(line.size for line in lines.statistics("filename"))


def play(game: Any) -> None:
    from engines.kit.chance import Chance, fixed_seed

    for number in range(MATCHES):
        rng = random.Random(number)
        state = game.setup(game.options(), game.max_seats, Chance(fixed_seed(str(number)))).state
        while turn := game.to_move(state):
            state = game.apply(state, turn[0], rng.choice(game.legal_moves(state, turn[0]))).state
            game.view_for(state, turn[0])


if __name__ == "__main__":
    main()
